//! The arguments of `new`, which drafts a roadmap from an idea.

use clap::Args;

use super::AgentArguments;

pub(super) const NEW_EXAMPLES: &str = "Examples:\n  \
    autopilot new \"a command that prints the tides of a harbour\"\n  \
    autopilot new notes.md             what you want, in a file\n  \
    autopilot new notes.md --yes --commit\n  \
    autopilot new notes.md --json      the draft as a document, nothing is written";

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// What you want, in a sentence; or a file that says it
    #[arg(value_name = "IDEA|FILE", required = true)]
    pub(crate) words: Vec<String>,
    /// Write the files without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Commit the new files, and nothing else
    #[arg(long)]
    pub(crate) commit: bool,
    #[command(flatten)]
    pub(crate) agents: AgentArguments,
    /// Let the agent write wherever you may
    #[arg(long, help_heading = "How it runs")]
    pub(crate) no_fence: bool,
    /// Print one JSON document; without --yes nothing is written
    #[arg(long, help_heading = "How it is shown")]
    pub(crate) json: bool,
}
