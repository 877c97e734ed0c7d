//! What must be on a contributor's machine before anything else: found by asking each program, told in one line.

use crate::program::{answer, cargo, program};

/// One thing to have, the programs that must answer for it, and where to get it.
struct Requirement {
    name: &'static str,
    questions: &'static [Question],
    source: &'static str,
}

struct Question {
    program: &'static str,
    arguments: &'static [&'static str],
    /// How a true answer begins: some systems have a `python3` that only offers to install itself.
    begins: &'static str,
}

const fn ask(
    program: &'static str,
    arguments: &'static [&'static str],
    begins: &'static str,
) -> Question {
    Question { program, arguments, begins }
}

const REQUIREMENTS: [Requirement; 8] = [
    Requirement {
        name: "Rust",
        questions: &[
            ask("rustc", &["--version"], "rustc 1."),
            ask("cargo", &["--version"], "cargo 1."),
        ],
        source: "https://rustup.rs",
    },
    Requirement {
        name: "rustfmt",
        questions: &[ask("cargo", &["fmt", "--version"], "rustfmt ")],
        source: "rustup component add rustfmt",
    },
    Requirement {
        name: "clippy",
        questions: &[ask("cargo", &["clippy", "--version"], "clippy ")],
        source: "rustup component add clippy",
    },
    Requirement {
        name: "git",
        questions: &[ask("git", &["--version"], "git version ")],
        source: "https://git-scm.com/downloads",
    },
    Requirement {
        name: "Node.js with npm",
        questions: &[ask("node", &["--version"], "v"), ask("npm", &["--version"], "")],
        source: "https://nodejs.org",
    },
    Requirement {
        name: "Python 3",
        questions: &[ask("python3", &["--version"], "Python 3.")],
        source: "https://www.python.org/downloads",
    },
    Requirement {
        name: "jq",
        questions: &[ask("jq", &["--version"], "jq-")],
        source: "apt-get install jq, or https://jqlang.org",
    },
    Requirement {
        name: "bubblewrap",
        questions: &[ask("bwrap", &["--version"], "bubblewrap ")],
        source: "apt-get install bubblewrap",
    },
];

/// `None` when everything is there; else one line with all that is missing and how to get it.
pub(crate) fn missing() -> Option<String> {
    missing_among(|question| {
        let mut command = match question.program {
            "cargo" => cargo(question.arguments.iter().copied()),
            name => {
                let mut command = program(name);
                command.args(question.arguments);
                command
            }
        };
        answer(&mut command)
    })
}

fn missing_among(answer: impl Fn(&Question) -> Option<String>) -> Option<String> {
    let is_answered = |question: &Question| {
        answer(question).is_some_and(|said| !said.is_empty() && said.starts_with(question.begins))
    };
    let absent = REQUIREMENTS.iter().filter(|needed| !needed.questions.iter().all(is_answered));
    let shown: Vec<String> = absent.map(|r| format!("{} ({})", r.name, r.source)).collect();
    (!shown.is_empty()).then(|| format!("this machine lacks {}", shown.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truthful(question: &Question) -> Option<String> {
        Some(format!("{}1.2.3", question.begins))
    }

    #[test]
    fn nothing_is_missing_where_everything_answers() {
        assert_eq!(missing_among(truthful), None);
    }

    #[test]
    fn one_line_names_all_that_is_missing() {
        let answer = |question: &Question| match (question.program, question.arguments) {
            ("npm", _) => None,
            ("cargo", ["clippy", ..]) => Some(String::new()),
            ("python3", _) => Some("Python 2.7.18".into()),
            (_, _) => truthful(question),
        };
        let expected = "this machine lacks clippy (rustup component add clippy), Node.js with npm (https://nodejs.org), \
                        Python 3 (https://www.python.org/downloads)";
        assert_eq!(missing_among(answer).as_deref(), Some(expected));
    }
}
