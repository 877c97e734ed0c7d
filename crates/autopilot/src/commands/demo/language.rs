//! The languages the sample project comes in: what each needs on the machine, and its own files. What is the same in all of them
//! is `sample`'s.

use autopilot_core::limits;
use autopilot_core::problem::Problem;
use autopilot_engine::machine::Machine;
use autopilot_engine::process::{self, Ending, Environment, Order};

use crate::arguments::LanguageArgument;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Node,
    Python,
    Shell,
}

/// The files of one language below `sample/`.
macro_rules! scenes {
    ($folder:literal) => {
        Scenes {
            start: include_str!(concat!("../../../sample/", $folder, "/start.txt")),
            phases: [
                include_str!(concat!("../../../sample/", $folder, "/1-add-and-list.txt")),
                include_str!(concat!("../../../sample/", $folder, "/2-find.txt")),
                include_str!(concat!("../../../sample/", $folder, "/3-tags.txt")),
                include_str!(concat!("../../../sample/", $folder, "/4-export.txt")),
                include_str!(concat!("../../../sample/", $folder, "/5-help.txt")),
            ],
        }
    };
}

pub(super) struct Scenes {
    /// The project before the run.
    pub start: &'static str,
    /// The edits of each phase, from the first.
    pub phases: [&'static str; 5],
}

impl Language {
    /// In the order they are looked for.
    pub(super) const ALL: [Language; 4] =
        [Language::Rust, Language::Node, Language::Python, Language::Shell];

    /// The one that was named, else the first whose programs work.
    pub(super) fn choose(
        named: Option<LanguageArgument>,
        machine: &Machine,
    ) -> Result<Language, Problem> {
        match named {
            None => {
                let mut found = Language::ALL.into_iter();
                Ok(found.find(|one| one.missing(machine).is_none()).unwrap_or(Language::Shell))
            }
            Some(named) => {
                let language = Language::of(named);
                match language.missing(machine) {
                    None => Ok(language),
                    Some(missing) => Err(Problem::environment(
                        missing,
                        format!("the sample in {} is built and tested with it", language.name()),
                        "install it, or take another language: autopilot demo --lang shell",
                    )),
                }
            }
        }
    }

    fn of(named: LanguageArgument) -> Language {
        match named {
            LanguageArgument::Rust => Language::Rust,
            LanguageArgument::Node => Language::Node,
            LanguageArgument::Python => Language::Python,
            LanguageArgument::Shell => Language::Shell,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Language::Rust => "Rust",
            Language::Node => "Node.js",
            Language::Python => "Python",
            Language::Shell => "POSIX shell",
        }
    }

    /// The command that runs the project's tests.
    pub(super) fn test(self) -> &'static str {
        match self {
            // A target folder that is shared with other projects would mix their programs up.
            Language::Rust => "cargo test --quiet --offline --target-dir target",
            Language::Node => "node tests/all.js",
            Language::Python => "python3 -B -m unittest discover -q",
            Language::Shell => "sh tests/all.sh",
        }
    }

    /// The file a part of the program stands in.
    pub(super) fn code(self, part: &str) -> String {
        match self {
            Language::Rust => format!("src/{part}.rs"),
            Language::Node => format!("src/{part}.js"),
            Language::Python => format!("bookmarks/{part}.py"),
            Language::Shell => format!("src/{part}.sh"),
        }
    }

    pub(super) fn scenes(self) -> Scenes {
        match self {
            Language::Rust => scenes!("rust"),
            Language::Node => scenes!("node"),
            Language::Python => scenes!("python"),
            Language::Shell => scenes!("shell"),
        }
    }

    /// The first program it needs that does not work, with the reason. Asked in the environment that checks get.
    fn missing(self, machine: &Machine) -> Option<String> {
        // The first one with `node:test`.
        const NODE_MIN: u32 = 18;
        match self {
            Language::Rust => too_old("cargo", 1, machine).or_else(|| {
                let linker = process::find_program("cc", machine.path());
                linker.is_none().then(|| "cc, the linker of cargo, was not found".into())
            }),
            Language::Node => too_old("node", NODE_MIN, machine),
            Language::Python => too_old("python3", 3, machine),
            Language::Shell => None,
        }
    }
}

/// Why the program cannot be used: it is not there, does not answer, or its version is below the least one.
fn too_old(program: &str, least: u32, machine: &Machine) -> Option<String> {
    let environment = Environment::listed(machine);
    let order = Order::new(program, "/", environment, limits::VERSION_TIME_MAX);
    let finished = match process::run(order.arguments(["--version"])) {
        Ok(finished) if finished.succeeded() => finished,
        Ok(finished) if finished.ending == Ending::TimedOut => {
            let seconds = limits::VERSION_TIME_MAX.as_secs();
            return Some(format!("{program} --version did not answer within {seconds} s"));
        }
        Ok(_) => return Some(format!("{program} does not work on this machine")),
        Err(error) => return Some(error.to_string()),
    };
    let said = finished.stdout.text();
    let digits = said.trim_start_matches(|c: char| !c.is_ascii_digit());
    let number = digits.split(|c: char| !c.is_ascii_digit()).next()?;
    match number.parse::<u32>() {
        Ok(version) if version >= least => None,
        Ok(version) => Some(format!("{program} is version {version}, and {least} is the least")),
        Err(_) => Some(format!("{program} --version says no number")),
    }
}
