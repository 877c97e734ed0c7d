//! The languages the sample project comes in: what each needs on the machine, and its own files. What is the same in all of them
//! is `sample`'s.

use autopilot_core::limits;
use autopilot_core::problem::Problem;
use autopilot_engine::machine::Machine;
use autopilot_engine::process::{self, Environment, Order};

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
                        format!("{missing} does not work on this machine"),
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

    /// The first program it needs that does not work. Asked in the environment that checks get.
    fn missing(self, machine: &Machine) -> Option<&'static str> {
        // The first one with `node:test`.
        const NODE_MIN: u32 = 18;
        match self {
            Language::Rust => match process::find_program("cc", machine.path()) {
                _ if version_of("cargo", machine).is_none() => Some("cargo"),
                None => Some("cc, the linker of cargo,"),
                Some(_) => None,
            },
            Language::Node => {
                let major = version_of("node", machine);
                (major.is_none_or(|major| major < NODE_MIN)).then_some("node 18 or newer")
            }
            Language::Python => (version_of("python3", machine) != Some(3)).then_some("python3"),
            Language::Shell => None,
        }
    }
}

/// The first number of what `--version` says; `None` where the program does not answer.
fn version_of(program: &str, machine: &Machine) -> Option<u32> {
    let environment = Environment::listed(machine);
    let order = Order::new(program, "/", environment, limits::VERSION_TIME_MAX);
    let finished = process::run(order.arguments(["--version"])).ok()?;
    let said = finished.stdout.text();
    let digits = said.trim_start_matches(|c: char| !c.is_ascii_digit());
    let number = digits.split(|c: char| !c.is_ascii_digit()).next()?;
    finished.succeeded().then(|| number.parse().ok()).flatten()
}
