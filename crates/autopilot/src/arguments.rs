//! The arguments and the help of every command. The help is the documentation a newcomer starts with, so it is written here in
//! full.

use std::ffi::OsString;
use std::path::PathBuf;

use autopilot_core::money;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

mod doing;
mod landing;
mod looking;
mod new;
pub(crate) mod plan_alone;

use doing::DO_EXAMPLES;
pub(crate) use doing::{AllowedArguments, BoundArguments, DepthArgument, DoArguments};

use landing::{MERGE_EXAMPLES, ROLLBACK_EXAMPLES, WORKTREES_EXAMPLES};
pub(crate) use landing::{MergeArguments, RollbackArguments, WorktreesArguments, WorktreesCommand};
use looking::{DIFF_EXAMPLES, PROVE_EXAMPLES, REPLAY_EXAMPLES, SHOW_EXAMPLES};
pub(crate) use looking::{DiffArguments, ProveArguments, ReplayArguments, ShowArguments};
use new::NEW_EXAMPLES;
pub(crate) use new::NewArguments;

#[derive(Debug, Parser)]
#[command(
    name = "autopilot",
    version,
    about = "Takes a software project through its roadmap, phase by phase, and proves what it did",
    after_help = "Without a command: where the project stands and what to do next.\n\n\
        Start here:\n  \
        autopilot demo            watch it work on a sample project, in a minute\n  \
        autopilot doctor          is this machine ready?\n  \
        autopilot do \"TASK\"       do one thing, without a roadmap\n  \
        autopilot new \"IDEA\"      draft a roadmap from an idea or a file\n  \
        autopilot init --from F   make a roadmap of a prd.json, a plan or a task list\n  \
        autopilot plan            what would run, in which order, at what cost\n\n\
        Exit codes:\n  \
        0 fine            3 needs a person      6 this machine\n  \
        1 failed          4 budget or limit     75 try later\n  \
        2 input or files  5 gate not met        130, 143 interrupted"
)]
pub(crate) struct Arguments {
    /// Work in this folder instead of the current one
    #[arg(short = 'C', long = "project", value_name = "DIR", global = true)]
    pub(crate) project: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

// What a command takes is put together only for the one that is asked for. Arguments that several share have no
// documentation of their own for that reason: it would take the place of the command's.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Show what would run: order, what can run at once, cost, and everything wrong with the planning files
    ///
    /// Reads the roadmap, requirements, plans and settings and shows the schedule made of them. It makes no plan,
    /// runs no agent and changes no file.
    #[command(after_help = PLAN_EXAMPLES)]
    Plan(PlanArguments),
    /// Take phases through the pipeline, unattended
    ///
    /// Works through the selected phases on a branch of its own, in a worktree outside the project: research, plan,
    /// execute, measure, review, gate. Your files and branches are not touched. Whatever happens, `autopilot resume`
    /// goes on where it was.
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArguments),
    /// Do one thing, without a roadmap
    ///
    /// Takes a single task through the same pipeline, proof and gate as a phase, on a branch of its own, in a worktree
    /// outside the project. Needs no .planning/ and leaves none. Ends with what changed, what was proven, what it cost,
    /// how to merge it and how to undo it.
    #[command(after_help = DO_EXAMPLES)]
    Do(DoArguments),
    /// Go on with the run that was stopped, failed or crashed
    Resume(ResumeArguments),
    /// Watch the run that is going on; Ctrl-C leaves it going
    Attach,
    /// Give the unfinished run more phases, also while it is going on
    #[command(
        after_help = "Examples:\n  autopilot add 6\n  autopilot add 8-9 4.1\n  autopilot add all    everything outstanding"
    )]
    Add(AddArguments),
    /// Ask the run that is going on to stand still after its step
    ///
    /// The step it is in is ended and recorded, then the run pauses. autopilot resume goes on; stop --now does not wait
    /// for the step.
    Pause,
    /// Ask the run that is going on to stop
    ///
    /// It ends the step it is in, records it and pauses; --now ends the step at once. autopilot resume goes on.
    Stop(StopArguments),
    /// Give an unfinished run up; its branches stay
    Abandon,
    /// Move your branch to what a run brought
    ///
    /// The branch you were on when the run began is moved forward to the run's work, and your files with it. Only while
    /// nothing is uncommitted and the branch stands where the run left it; otherwise nothing is touched, and the answer
    /// says what to do. No merge commit is made and no hook of yours runs. Cut off at any moment, the same command
    /// brings it to its end.
    #[command(after_help = MERGE_EXAMPLES)]
    Merge(MergeArguments),
    /// Take a phase of the last run back, so that a later run does it again
    ///
    /// What is only on the run's branch is taken off it. What your branch has already is undone by a commit on a branch
    /// of its own, or with --merge on yours. Nothing is lost: the work stays under a rescue ref, which is printed
    /// with the command that brings it back. Where it does not work out, nothing is changed.
    #[command(after_help = ROLLBACK_EXAMPLES)]
    Rollback(RollbackArguments),
    /// List the trees that stand outside the project for its runs, or take them away
    ///
    /// Agents work, and checks are measured, in worktrees in your state folder. They stay for the next run, with their
    /// build caches. clean takes away what no run uses; work in it that is in no commit, or on no branch, is kept under a
    /// ref that is printed.
    #[command(after_help = WORKTREES_EXAMPLES)]
    Worktrees(WorktreesArguments),
    /// Show what happened in the newest run, in words
    #[command(
        after_help = "Examples:\n  autopilot logs\n  autopilot logs -f          go on as it happens\n  autopilot logs 3 execute   one step of one phase"
    )]
    Logs(LogsArguments),
    /// Say what the run is doing or waiting for, and since when
    Why,
    /// Show, check or export the events of a run
    #[command(
        after_help = "Examples:\n  autopilot journal show\n  autopilot journal verify\n  autopilot journal export | jq -r .event.type | sort | uniq -c\n  autopilot journal record > script.json"
    )]
    Journal(JournalArguments),
    /// Measure again what a phase rests on, and say PROVEN, NOT PROVEN or FALSE
    ///
    /// Every phase that passed has a receipt in its commit: the commands that were run, what came of them and on which
    /// files. This runs them all once more in a clean checkout, those that have to be red before the work also on the
    /// commit it began from, and tests that have to fail without its code also without it. Nothing but the repository is
    /// needed, so a fresh clone will do. Ends with 0 when the phase is proven, with 5 when something could not be seen or
    /// nothing measured looks at the work, with 1 when something is another.
    ///
    /// A task of `autopilot do` leaves no papers in its commits: its receipt is in .autopilot/receipts/, which git
    /// ignores. Copy it to the same place in a clone to prove the task there.
    #[command(after_help = PROVE_EXAMPLES)]
    Prove(ProveArguments),
    /// Show what a phase did: verdict and why, commits, measurements, findings, cost
    ///
    /// Told from the journal of the last run that worked on it, which is archived when a run is over. Ends with the commands
    /// that show more of it, prove it again or take it back.
    #[command(after_help = SHOW_EXAMPLES)]
    Show(ShowArguments),
    /// Print what a phase changed, as git shows a difference
    ///
    /// All of its commits together, without the reports that the closing commit brings.
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(DiffArguments),
    /// Follow a recorded run with today's rules, and say where they would decide otherwise
    ///
    /// Takes every recorded fact as it is and asks at every point what would be decided now. Nothing of the project is
    /// read or changed. Ends with 0 when every decision is the same, with 1 when one is not.
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArguments),
    /// Show where the project stands: phases, percent, what comes next
    #[command(
        after_help = "Examples:\n  autopilot status\n  autopilot status --json | jq .percent"
    )]
    Status(StatusArguments),
    /// Try everything a run needs, and say how to mend what does not work
    ///
    /// Makes a commit in a throw-away repository, asks each agent for its version and login, renders a page in the
    /// browser, tries the fence, and runs the project's own compile, test, lint and build commands. A program that is
    /// merely installed does not count. Ends with exit code 6 if a run could not start.
    #[command(
        after_help = "Examples:\n  autopilot doctor\n  autopilot doctor --quick    leave the project's own commands out"
    )]
    Doctor(DoctorArguments),
    /// List the agents of this machine and who would do which step, or try one for real
    ///
    /// Asks every agent autopilot knows for its version and login. An agent that no test of autopilot has driven is untried
    /// and is never chosen by itself.
    #[command(
        after_help = "Examples:\n  autopilot agents\n  autopilot agents try claude    one line asked and answered for real"
    )]
    Agents(AgentsArguments),
    /// Make .planning/ for a project that has none
    ///
    /// Writes config.json with the commands that were detected and tried, and PROJECT.md; with --from also ROADMAP.md
    /// and REQUIREMENTS.md, converted without any agent from what you have. Never overwrites a file.
    #[command(after_help = INIT_EXAMPLES)]
    Init(InitArguments),
    /// Draft a roadmap from an idea, with an agent
    ///
    /// For a project without a roadmap. One agent reads your last commit and drafts ROADMAP.md, REQUIREMENTS.md and PROJECT.md; it
    /// changes nothing. What autopilot would refuse later it refuses now, and asks once more with everything that is wrong. You
    /// see the phases, what they would cost and every line, and the files are written when you say yes. Never overwrites a file.
    #[command(after_help = NEW_EXAMPLES)]
    New(NewArguments),
    /// Watch autopilot work on a sample project
    ///
    /// Makes a small project with five phases in a temporary folder and runs it. The model is scripted: its edits and
    /// answers are fixed, and one of them is a lie. Everything else is real: git, the checks, the commits, the journal.
    #[command(after_help = DEMO_EXAMPLES)]
    Demo(DemoArguments),
    /// Write autopilot's own prompts into the project, to be changed
    ///
    /// They go to .planning/autopilot/prompts/, one file a step; what lies there is used instead of autopilot's own. No
    /// file is overwritten.
    Eject {
        #[command(subcommand)]
        what: Ejectable,
    },
    /// Print the JSON Schema of a document
    ///
    /// The schemas of what --json prints, and of the settings in .planning/config.json.
    Schema {
        /// Which document
        #[arg(value_parser = clap::builder::PossibleValuesParser::new(autopilot_core::documents::NAMES))]
        document: String,
    },
    /// Print a script that completes autopilot's commands in your shell
    #[command(
        after_help = "Example:\n  autopilot completions bash > ~/.local/share/bash-completion/completions/autopilot"
    )]
    Completions { shell: Shell },
}

const PLAN_EXAMPLES: &str = "Examples:\n  \
    autopilot plan                  every phase that is not completed\n  \
    autopilot plan 3-7              phases 3 to 7, decimals too\n  \
    autopilot plan 3,5 6.1          some phases\n  \
    autopilot plan next             the next one that is ready\n  \
    autopilot plan --force 3        phase 3 again, though it is completed\n  \
    autopilot plan --graph          the dependencies as a picture\n  \
    autopilot plan --format dot     the same for Graphviz; or mermaid";

const RUN_EXAMPLES: &str = "Examples:\n  \
    autopilot run next              the next phase that is ready\n  \
    autopilot run 3-7               phases 3 to 7\n  \
    autopilot run --complete        everything outstanding; failures block only what depends on them\n  \
    autopilot run 3 --dry-run       what would run, nothing is started\n  \
    autopilot run 3-7 --merge       and move your branch to the work when all went well\n  \
    autopilot run 3 --json | jq -r .event.type";

const DEMO_EXAMPLES: &str = "Examples:\n  \
    autopilot demo                    in the first of Rust, Node.js, Python that is installed\n  \
    autopilot demo --lang shell       needs nothing but git and sh\n  \
    autopilot demo --keep bookmarks   leave the project in a new folder\n  \
    autopilot demo --kill             kill the run with SIGKILL, and go on";

const INIT_EXAMPLES: &str = "Sources --from understands:\n  \
    prd.json of Ralph, a ralphex plan, tasks.md of spec-kit or OpenSpec,\n  \
    any Markdown with headings and check-lists\n\n\
    Examples:\n  \
    autopilot init                       settings only\n  \
    autopilot init --from prd.json       settings and a roadmap\n  \
    autopilot init --from tasks.md --commit";

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Show it again whenever it changes, until no run is going on
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) watch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    /// Phases: 3, 3-7, 3,5,8, 6.1, all, next [default: all]
    #[arg(value_name = "PHASES")]
    pub(crate) phases: Vec<String>,
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
    /// Print one JSON document
    #[arg(long, help_heading = "How it is shown")]
    pub(crate) json: bool,
    /// Draw the dependencies
    #[arg(long, help_heading = "How it is shown", conflicts_with = "json")]
    pub(crate) graph: bool,
    /// How the graph is drawn; mermaid and dot imply --graph
    #[arg(long, help_heading = "How it is shown", value_enum, default_value_t = Format::Text, conflicts_with = "json")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// Phases: 3, 3-7, 3,5,8, 6.1, all, next [default: all]
    #[arg(value_name = "PHASES")]
    pub(crate) phases: Vec<String>,
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
    #[command(flatten)]
    pub(crate) agents: AgentArguments,
    /// Who does a phase up to its review: an agent a step, or one delegate for all [default: steps]
    #[arg(long, value_enum, help_heading = "How it runs")]
    pub(crate) runner: Option<RunnerArgument>,
    #[command(flatten)]
    pub(crate) allowed: AllowedArguments,
    /// Let agents change files in this folder instead of a copy; your branch moves with every phase that passes
    #[arg(long, help_heading = "How it runs")]
    pub(crate) in_place: bool,
    /// Go on in the background; autopilot attach shows it
    #[arg(long, help_heading = "How it runs", conflicts_with_all = ["json", "dry_run"])]
    pub(crate) detach: bool,
    /// Show what would run and start nothing
    #[arg(long, help_heading = "How it is shown")]
    pub(crate) dry_run: bool,
    /// Print one event a line
    #[arg(long, help_heading = "How it is shown")]
    pub(crate) json: bool,
}

// Who does the work.
#[derive(Debug, Default, Args)]
pub(crate) struct AgentArguments {
    /// Who does the work: claude, codex, gemini, gemini-acp, opencode, goose, acp, command, scripted; autopilot agents lists those that are here
    #[arg(long, value_name = "NAME", help_heading = "How it runs")]
    pub(crate) agent: Option<String>,
    /// The model the agent is asked for, as it spells it
    #[arg(long, value_name = "NAME", help_heading = "How it runs")]
    pub(crate) model: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    #[command(flatten)]
    pub(crate) agents: AgentArguments,
    /// What the run may cost in all, in US dollars, from here on
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost: Option<String>,
    /// Move your branch to the work at the end, as run --merge does
    #[arg(long)]
    pub(crate) merge: bool,
    /// Let agents and checks write wherever you may, from here on
    #[arg(long)]
    pub(crate) no_fence: bool,
    /// Print one event a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AgentsArguments {
    #[command(subcommand)]
    pub(crate) command: Option<AgentsCommand>,
    /// Print one JSON document
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// Ask one agent one line for real, in a throw-away folder; it costs a few tokens
    Try {
        /// claude, command, …
        #[arg(value_name = "NAME")]
        name: String,
        /// The model it is asked for [default: as in a run]
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// Phases: 3, 3-7, 3,5,8, 6.1, all, next
    #[arg(value_name = "PHASES", required = true)]
    pub(crate) phases: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct StopArguments {
    /// Do not wait for the step to end
    #[arg(long)]
    pub(crate) now: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LogsArguments {
    /// Only this phase
    #[arg(value_name = "PHASE")]
    pub(crate) phase: Option<String>,
    /// Only lines of this step: plan, execute, evidence, gate, …
    #[arg(value_name = "STEP")]
    pub(crate) step: Option<String>,
    /// Go on as it happens, until the run stands still
    #[arg(short, long)]
    pub(crate) follow: bool,
}

#[derive(Debug, Args)]
pub(crate) struct JournalArguments {
    #[command(subcommand)]
    pub(crate) command: JournalCommand,
    /// Another run than the newest
    #[arg(long, value_name = "RUN", global = true)]
    pub(crate) run: Option<String>,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum JournalCommand {
    /// One line an event
    Show,
    /// Check every hash, the order, and that each event can have happened
    Verify,
    /// Every event as a line of JSON
    Export,
    /// A script that does the same again with the scripted agent, without a model
    Record,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum Ejectable {
    /// What agents are told, one Markdown template a step
    Prompts,
}

// What chooses phases and shapes a run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What runs")]
pub(crate) struct SelectionArguments {
    /// Everything outstanding; a failure blocks only what depends on it
    #[arg(long)]
    pub(crate) complete: bool,
    /// Completed phases again, from scratch
    #[arg(long)]
    pub(crate) force: bool,
    /// Unfinished phases, and completed ones until they score 9.5
    #[arg(long)]
    pub(crate) quality: bool,
    /// Close the remaining gaps of completed phases, one at a time
    #[arg(long)]
    pub(crate) gaps: bool,
    /// Look first at how clear the phases are
    #[arg(long)]
    pub(crate) map: bool,
    /// First phase of a range
    #[arg(long, value_name = "N")]
    pub(crate) from: Option<String>,
    /// Last phase of a range
    #[arg(long, value_name = "N")]
    pub(crate) to: Option<String>,
    /// Phases that may run at once [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) jobs: Option<u32>,
    /// One phase at a time, the same as --jobs 1
    #[arg(long, conflicts_with = "jobs")]
    pub(crate) sequential: bool,
    #[command(flatten)]
    pub(crate) bounds: BoundArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Mermaid,
    Dot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunnerArgument {
    Steps,
    Delegate,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// What the sample is written in [default: the first that is installed]
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub(crate) lang: Option<LanguageArgument>,
    /// Leave the project in this folder, which must be new or empty
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Kill the run at a random moment and go on
    #[arg(long)]
    pub(crate) kill: bool,
    /// Which moment that is; the demo says its number
    #[arg(long, value_name = "N", requires = "kill")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LanguageArgument {
    Rust,
    Node,
    Python,
    Shell,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Do not try the project's own commands
    #[arg(long)]
    pub(crate) quick: bool,
    /// Mend damaged journals and nothing else; what is cut is kept aside
    #[arg(long, conflicts_with_all = ["quick", "json"])]
    pub(crate) repair: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The file to make a roadmap of
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Commit the new files, and nothing else
    #[arg(long)]
    pub(crate) commit: bool,
    /// Write the detected commands without trying them
    #[arg(long)]
    pub(crate) no_try: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// What the scripted agent plays, as `autopilot_agents::scripted` asks for it. For autopilot itself: it is no `Command`, so that
/// no help, completion or list of commands names it.
#[derive(Debug, Parser)]
#[command(
    name = "autopilot scripted-agent",
    about = "Play a script as an agent; for autopilot itself"
)]
pub(crate) struct ScriptedAgentArguments {
    #[arg(long)]
    pub(crate) script: PathBuf,
    #[arg(long)]
    pub(crate) phase: String,
    #[arg(long)]
    pub(crate) step: String,
    #[arg(long)]
    pub(crate) task: Option<String>,
    #[arg(long)]
    pub(crate) round: u32,
    /// Taken and passed over: a script may play an agent that does more than it may
    #[arg(long)]
    pub(crate) access: Option<String>,
}

/// What autopilot tells itself when it talks to an agent. Read apart, and never shown.
#[derive(Debug, Parser)]
#[command(
    name = "autopilot acp-client",
    about = "Talk to an agent in the Agent Client Protocol; for autopilot itself"
)]
pub(crate) struct AcpClientArguments {
    #[arg(long)]
    pub(crate) access: AcpAccess,
    /// The agent's program and its arguments
    #[arg(last = true, required = true)]
    pub(crate) agent: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AcpAccess {
    ReadOnly,
    Writable,
}

/// The command with its help wrapped to the screen.
/// The text of an amount that is one.
fn dollars(text: &str) -> Result<String, String> {
    match money::usd_micros(text) {
        Some(_) => Ok(text.to_string()),
        None => Err(format!("it must be {}", money::FORM)),
    }
}

pub(crate) fn command(width: usize) -> clap::Command {
    Arguments::command().term_width(width)
}

/// The same with what every command takes, for whoever looks into all of them.
pub(crate) fn whole_command(width: usize) -> clap::Command {
    let mut command = command(width);
    command.build();
    command
}
