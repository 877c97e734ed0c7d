//! The arguments of whatever starts work: what is shared by `run` and `do`, and those of `do`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{AgentArguments, dollars};

pub(super) const DO_EXAMPLES: &str = "Examples:\n  \
    autopilot do \"add a --version flag that prints the version\"\n  \
    autopilot do \"fix the crash on empty files\" --check \"./app empty.txt\"\n  \
    autopilot do --prompt-file task.md --max-cost 2 --merge";

// What a run may use.
#[derive(Debug, Clone, Args)]
pub(crate) struct BoundArguments {
    /// How many agents look at a phase [default: auto]
    #[arg(long, value_enum, help_heading = "What runs")]
    pub(crate) depth: Option<DepthArgument>,
    /// Tokens the run may spend [default: 5000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "What runs")]
    pub(crate) max_tokens: Option<u64>,
    /// What the run may cost in US dollars, such as 2.50 [default: no cap]
    #[arg(long, value_name = "USD", value_parser = dollars, help_heading = "What runs")]
    pub(crate) max_cost: Option<String>,
}

// What a run may pass over, and what it may do at its end.
#[derive(Debug, Clone, Args)]
pub(crate) struct AllowedArguments {
    /// A bar of 7.0 and no remediation
    #[arg(long, help_heading = "How it runs")]
    pub(crate) lenient: bool,
    /// Start although files are not committed; agents do not see them
    #[arg(long, help_heading = "How it runs")]
    pub(crate) allow_dirty: bool,
    /// Let phases pass in a project without any check
    #[arg(long, help_heading = "How it runs")]
    pub(crate) allow_unproven: bool,
    /// Start although a check is red on your commit
    #[arg(long, help_heading = "How it runs")]
    pub(crate) accept_red: bool,
    /// Exit 0 also for phases that only reviewers found good
    #[arg(long, help_heading = "How it runs")]
    pub(crate) accept_judged: bool,
    /// Move your branch to the work at the end, if all went well and nothing of yours has changed
    #[arg(long, help_heading = "How it runs")]
    pub(crate) merge: bool,
    /// Let agents and checks write wherever you may
    #[arg(long, help_heading = "How it runs")]
    pub(crate) no_fence: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DepthArgument {
    Auto,
    Lean,
    Full,
}

#[derive(Debug, Args)]
pub(crate) struct DoArguments {
    /// What is to be done, in a sentence or more
    #[arg(value_name = "TASK", required_unless_present = "prompt_file")]
    pub(crate) task: Vec<String>,
    /// Read the task from this file; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    pub(crate) prompt_file: Option<PathBuf>,
    /// A command that has to succeed when it is done; may be given several times
    #[arg(long, value_name = "COMMAND")]
    pub(crate) check: Vec<String>,
    #[command(flatten)]
    pub(crate) bounds: BoundArguments,
    #[command(flatten)]
    pub(crate) agents: AgentArguments,
    #[command(flatten)]
    pub(crate) allowed: AllowedArguments,
    /// Print one event a line
    #[arg(long, help_heading = "How it is shown")]
    pub(crate) json: bool,
}
