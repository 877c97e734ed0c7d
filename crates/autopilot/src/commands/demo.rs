//! `autopilot demo`: makes a sample project and runs it for real, with a scripted model. What is in the project is `sample`'s,
//! where it lies `place`'s, the run itself that of `autopilot run`.

use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::finding::printable;
use autopilot_core::problem::Problem;
use autopilot_core::selection::Request;
use autopilot_core::selection::flags::Flags;
use autopilot_engine::git::{Git, GitError};
use autopilot_engine::machine::Machine;
use autopilot_engine::process;
use autopilot_engine::start::{self, Means, Wish};

use super::run::{go, means};
use crate::arguments::DemoArguments;
use crate::output::{BOLD, Output, styled};
use crate::problem_text::{Form, refuse};

mod kill;
mod language;
mod place;
mod sample;
mod scene;

use language::Language;
use place::{Place, State};
use sample::Pace;

/// So that the demo works for somebody who never set git up, and whatever is set up.
const GIT_SETTINGS: [(&str, &str); 6] = [
    ("user.name", "Demo"),
    ("user.email", "demo@example.org"),
    // The scripts of the sample are not to be given other line ends, and none of its files is to be ignored.
    ("core.autocrlf", "false"),
    ("core.eol", "lf"),
    ("core.excludesFile", ""),
    ("core.attributesFile", ""),
];

pub(super) fn run(arguments: &DemoArguments, output: &mut Output) -> Exit {
    match shown(arguments, output) {
        Ok(exit) => exit,
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

fn shown(arguments: &DemoArguments, output: &mut Output) -> Result<Exit, Problem> {
    let machine = without_settings(&Machine::of_this_process());
    let git = Git::find(&machine).map_err(|error| no_git(&error.into()))?;
    let language = Language::choose(arguments.lang, &machine)?;
    let place = Place::make(arguments.keep.as_deref())?;
    output.say_wrapped("A demo. The model is scripted; git, files, checks and commits are real.");
    let language_name = language.name();
    output.say_wrapped(&format!("The sample project is written in {language_name} and lies in"));
    output.say(&format!("  {}", place.root().display()));
    let pace = if output.is_terminal() { Pace::ForPeople } else { Pace::ForPrograms };
    lay_out(&git, language, pace, place.root())?;
    let means = Means { machine: place.machine(&machine), ..means()? };
    output.say("");
    let exit = if arguments.kill {
        kill::run(place.root(), &means, arguments.seed, output)?
    } else {
        let ready = start::begin(place.root(), &wish(), &means)?;
        go(ready, None, &means, Form::Text, output)
    };
    look_around(place, &machine, exit, output);
    Ok(exit)
}

/// As `autopilot run --complete` has it, so that this very command goes on with the run.
fn wish() -> Wish {
    let command = "autopilot run --complete".to_string();
    let flags = Flags { complete: true, ..Flags::default() };
    let request = Request { flags, command: "autopilot run".to_string(), ..Request::default() };
    Wish { request, command, ..Wish::default() }
}

/// The demo shows what its own config.json says, not what somebody set for other projects.
fn without_settings(machine: &Machine) -> Machine {
    let is_setting = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("AUTOPILOT_");
    let variables = machine.variables().iter().filter(|(name, _)| !is_setting(name));
    Machine::with_variables(variables.map(|(name, value)| (name.clone(), value.clone())))
}

fn lay_out(git: &Git, language: Language, pace: Pace, root: &Path) -> Result<(), Problem> {
    let files = sample::files(language, pace).map_err(|fault| {
        Problem::environment(
            format!("the sample project is at fault: {fault}"),
            "the demo runs on it",
            "please report it; another language may work: autopilot demo --lang shell",
        )
    })?;
    for (path, text) in &files {
        place::write(&root.join(path), text)?;
    }
    git.found_repository(root, &GIT_SETTINGS, "sample: a keeper of bookmarks, before the run")
        .map_err(|error| no_git(&error))
}

fn no_git(error: &GitError) -> Problem {
    Problem::environment(
        format!("git: {error}"),
        "the demo makes a repository and commits the work of every phase",
        "install git 2.31 or newer; autopilot doctor says whether it works",
    )
}

/// The project's own story, for whoever saw the lines rush by.
const WHAT_HAPPENED: [&str; 5] = [
    "1  in full depth: researched, planned, judged twice, rated",
    "2  a criterion was red that the agent never tried; a debug attempt mended it",
    "3  a reviewer named a deficiency and rated it 8.4: sent back, mended, 9.5",
    "4  the agent said that its tests pass; they did not, so it had to do it again",
    "5  straight through",
];

/// What happened and commands to try next, each on a line of its own so that it can be copied.
fn look_around(place: Place, machine: &Machine, exit: Exit, output: &mut Output) {
    output.say("");
    if exit == Exit::Success {
        output.say(&styled(BOLD, "What happened, phase by phase:"));
        for line in WHAT_HAPPENED {
            output.say(&format!("  {line}"));
        }
        output.say("");
    }
    let root = shell_word(place.root());
    let program = program(machine);
    output.say(&styled(BOLD, "Look around:"));
    if exit != Exit::Success {
        let state = match place.state() {
            State::Usual => String::new(),
            State::Own(folder) => format!("XDG_STATE_HOME={} ", shell_word(&folder)),
        };
        output.say(&format!("  {state}{program} -C {root} resume"));
    }
    for command in ["show 4", "diff 4", "logs 4", "status", "journal verify"] {
        output.say(&format!("  {program} -C {root} {command}"));
    }
    output.say(&format!("  git -C {root} log --oneline --branches"));
    if let Some(folder) = place.leave() {
        output.say("");
        output.say("The project stays until you remove it:");
        output.say(&format!("  rm -rf {}", shell_word(&folder)));
        output.say("In a folder of your choice: autopilot demo --keep DIR");
    }
}

/// How this program is called: by its name where that is found, else by its path.
fn program(machine: &Machine) -> String {
    let own = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let found = process::find_program("autopilot", machine.path());
    let found = found.and_then(|path| path.canonicalize().ok());
    match own {
        Some(own) if found.as_ref() != Some(&own) => {
            let current = std::env::current_dir().unwrap_or_default();
            shell_word(own.strip_prefix(&current).unwrap_or(&own))
        }
        _ => "autopilot".to_string(),
    }
}

/// A path as a shell takes it.
fn shell_word(path: &Path) -> String {
    let text = printable(&path.display().to_string());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_can_be_copied_into_a_shell() {
        let check = |path: &str, expected: &str| assert_eq!(shell_word(Path::new(path)), expected);
        check("/tmp/autopilot-demo-a1B2/x_y.z", "/tmp/autopilot-demo-a1B2/x_y.z");
        check("/tmp/my demo", "'/tmp/my demo'");
        check("/tmp/it's", r"'/tmp/it'\''s'");
    }
}
