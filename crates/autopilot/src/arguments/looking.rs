//! The arguments of what looks at work that was done: `show`, `diff`, `prove`, `replay`.

use autopilot_core::phase_id::PhaseId;
use clap::Args;

pub(super) const PROVE_EXAMPLES: &str = "Examples:\n  \
    autopilot prove 3\n  \
    autopilot prove 3 --at autopilot/run-20260102-030405-ab12\n  \
    autopilot prove 3 --json | jq .differs";

pub(super) const SHOW_EXAMPLES: &str = "Examples:\n  \
    autopilot show          the phase that was begun last\n  \
    autopilot show 3\n  \
    autopilot show 3 --json | jq '.measured[] | select(.result != \"green\")'";

pub(super) const DIFF_EXAMPLES: &str = "Examples:\n  \
    autopilot diff          the phase that was begun last\n  \
    autopilot diff 3 | less -R";

pub(super) const REPLAY_EXAMPLES: &str = "Examples:\n  \
    autopilot replay                the newest run\n  \
    autopilot replay RUN            another one, archived or not\n  \
    autopilot replay events.jsonl   what journal export printed, or a journal";

#[derive(Debug, Args)]
pub(crate) struct ProveArguments {
    /// The phase, as in the roadmap
    #[arg(value_name = "PHASE")]
    pub(crate) phase: PhaseId,
    /// The commit to measure [default: HEAD]
    #[arg(long, value_name = "COMMIT")]
    pub(crate) at: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The phase, as in the roadmap [default: the one that was begun last]
    #[arg(value_name = "PHASE")]
    pub(crate) phase: Option<PhaseId>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// The phase, as in the roadmap [default: the one that was begun last]
    #[arg(value_name = "PHASE")]
    pub(crate) phase: Option<PhaseId>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// A run by its name, or a file with its events [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
