//! The arguments of what is done with a run's work afterwards: `merge`, `rollback`, `worktrees`.

use autopilot_core::phase_id::PhaseId;
use clap::{Args, Subcommand};

pub(super) const MERGE_EXAMPLES: &str = "Examples:\n  \
    autopilot merge                 what the newest run brought\n  \
    autopilot merge RUN             what another one brought\n  \
    autopilot run next --merge      the same by itself, when all went well";

pub(super) const ROLLBACK_EXAMPLES: &str = "Examples:\n  \
    autopilot rollback 3                     phase 3\n  \
    autopilot rollback 3 --with-dependents   and every phase that is built on it\n  \
    autopilot rollback --run                 all that the last run brought\n  \
    autopilot rollback 3 --merge             also on your branch, which has it";

pub(super) const WORKTREES_EXAMPLES: &str = "Examples:\n  \
    autopilot worktrees                  where they are, how large, what is in them\n  \
    autopilot worktrees clean            all but the caches\n  \
    autopilot worktrees clean --caches   everything";

#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// The run, by its name [default: the newest]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RollbackArguments {
    /// The phase, as in the roadmap
    #[arg(value_name = "PHASE", required_unless_present = "run")]
    pub(crate) phase: Option<PhaseId>,
    /// Every phase that the run brought
    #[arg(long, conflicts_with = "phase")]
    pub(crate) run: bool,
    /// Also the phases that passed and are built on it
    #[arg(long, conflicts_with = "run")]
    pub(crate) with_dependents: bool,
    /// Where your branch has the work already: take it back there too
    #[arg(long)]
    pub(crate) merge: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WorktreesArguments {
    #[command(subcommand)]
    pub(crate) command: Option<WorktreesCommand>,
    /// Print one JSON document
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum WorktreesCommand {
    /// Where they are, how large, and what of them is uncommitted or unmerged
    List,
    /// Take away what no run uses, and lose nothing
    Clean {
        /// Also what tools have fetched, which the next run fetches again
        #[arg(long)]
        caches: bool,
    },
}
