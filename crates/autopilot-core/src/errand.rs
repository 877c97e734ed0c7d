//! One piece of work that somebody asks for without a roadmap (`autopilot do`). What was typed becomes a roadmap of one phase, so
//! that everything behind it, from selection to the gate, is the same; here is decided what can be asked for and what it is called.

use std::borrow::Cow;

use crate::criterion::{Check, Criterion};
use crate::finding::quote;
use crate::limits;
use crate::phase_id::PhaseId;
use crate::problem::Problem;
use crate::roadmap::{Phase, Roadmap, Standing};

/// What ids of errands begin with, so that they never meet the phases of a roadmap.
pub const PREFIX: &str = "DO";
/// A name is a line of a table and the subject of a commit.
const NAME_CHARS_MAX: usize = limits::TITLE_CHARS_MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errand {
    text: String,
    checks: Vec<String>,
}

impl Errand {
    /// `checks` are commands that have to be green when it is done.
    pub fn of(text: &str, checks: &[String]) -> Result<Errand, Problem> {
        let text = text.trim();
        if text.split_whitespace().count() < limits::ERRAND_WORDS_MIN {
            return Err(too_short(text));
        }
        let length = text.chars().count();
        if length > limits::ERRAND_CHARS_MAX {
            return Err(too_long(length));
        }
        let checks: Vec<String> = checks.iter().map(|check| check.trim().to_string()).collect();
        if checks.iter().any(|check| check.is_empty() || check.contains('\n')) {
            return Err(no_command());
        }
        if checks.len() > limits::CRITERIA_PER_PHASE_MAX {
            return Err(too_many(checks.len()));
        }
        Ok(Errand { text: text.to_string(), checks })
    }

    /// Word for word.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn has_checks(&self) -> bool {
        !self.checks.is_empty()
    }

    /// A roadmap that no file has, with this and nothing else in it.
    pub fn roadmap(&self, id: PhaseId) -> Roadmap<'static> {
        let criterion = |command: &String| Criterion {
            text: Cow::Owned(format!("`{command}` succeeds")),
            check: Check::Command(Cow::Owned(command.clone())),
        };
        let phase = Phase {
            id,
            name: Cow::Owned(self.name()),
            goal: Cow::Owned(self.text.clone()),
            description: Cow::Borrowed(""),
            depends_on: Vec::new(),
            requirements: Vec::new(),
            criteria: self.checks.iter().map(criterion).collect(),
            plans: Vec::new(),
            mode: Cow::Borrowed(""),
            ui_hint: Cow::Borrowed(""),
            is_inserted: false,
            standing: Standing::NotStarted,
            line: 1,
        };
        Roadmap { file: String::new(), phases: vec![phase] }
    }

    /// Its first sentence, as far as a line goes.
    pub fn name(&self) -> String {
        let line = self.text.lines().next().unwrap_or_default();
        let line = line.trim_start_matches(['#', '-', '*', ' ']).trim();
        let sentence = line.split_once(". ").map_or(line, |(first, _)| first);
        let sentence = sentence.trim_end_matches(['.', ':']);
        if sentence.chars().count() <= NAME_CHARS_MAX {
            return sentence.to_string();
        }
        let mut name = String::new();
        for word in sentence.split_whitespace() {
            if name.chars().count() + word.chars().count() + 2 > NAME_CHARS_MAX {
                break;
            }
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(word);
        }
        if name.is_empty() {
            name = sentence.chars().take(NAME_CHARS_MAX - 1).collect();
        }
        name.push('…');
        name
    }
}

/// The number after the highest that an errand of this project has.
pub fn next_id<'a>(taken: impl IntoIterator<Item = &'a PhaseId>) -> PhaseId {
    let numbers = taken.into_iter().filter_map(number_of);
    let next = numbers.max().unwrap_or(0).saturating_add(1);
    // A prefix and a number are an id.
    format!("{PREFIX}-{next}").parse().unwrap_or_else(|_| PhaseId::number(next))
}

/// Whether it is an errand's, and not a roadmap's.
pub fn is_errand(id: &PhaseId) -> bool {
    number_of(id).is_some()
}

fn number_of(id: &PhaseId) -> Option<u32> {
    id.prefix().filter(|prefix| *prefix == PREFIX)?;
    id.to_string().strip_prefix(PREFIX)?.strip_prefix('-')?.parse().ok()
}

fn too_short(text: &str) -> Problem {
    let what = match text {
        "" => "there is no task".to_string(),
        text => format!("{} is no task yet", quote(text)),
    };
    Problem::usage(
        what,
        "an agent does what the task says, and nobody can be asked in between",
        "say it in a sentence: autopilot do \"add a --version flag that prints the version\"",
    )
}

fn too_long(length: usize) -> Problem {
    Problem::usage(
        format!(
            "the task has {length} characters, and at most {} are taken",
            limits::ERRAND_CHARS_MAX
        ),
        "every agent of the run gets the whole of it with its prompt",
        "put the details into a file of the repository, commit it, and name it in the task",
    )
}

fn too_many(count: usize) -> Problem {
    Problem::usage(
        format!(
            "--check was given {count} times, and at most {} are taken",
            limits::CRITERIA_PER_PHASE_MAX
        ),
        "each is run before and after the work",
        "put several commands into a script, and name that",
    )
}

fn no_command() -> Problem {
    Problem::usage(
        "--check names no command in one line",
        "it is run before and after the work, and its exit code counts",
        "name a command: --check \"npm test\"",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errand(text: &str) -> Errand {
        Errand::of(text, &[]).unwrap()
    }

    #[test]
    fn its_name_is_its_first_sentence_as_far_as_a_line_goes() {
        let check = |text: &str, expected: &str| assert_eq!(errand(text).name(), expected);
        check("add a --version flag", "add a --version flag");
        check("Add a flag. It prints 1.2.3 and ends.", "Add a flag");
        check("# Export as HTML\n\nEvery bookmark is a link.", "Export as HTML");
        check(
            "make the reader refuse every file that is larger than eight megabytes before it is read",
            "make the reader refuse every file that is larger than eight megabytes…",
        );
        check(&format!("do {}", "x".repeat(80)), "do…");
        check(&format!("{} it", "x".repeat(80)), &format!("{}…", "x".repeat(71)));
    }

    #[test]
    fn a_task_is_more_than_a_word_and_less_than_a_book() {
        let check = |text: &str, expected: &str| {
            let problem = Errand::of(text, &[]).unwrap_err();
            assert_eq!(problem.what, expected);
        };
        check(" \n", "there is no task");
        check("tests", "\"tests\" is no task yet");
        check(&"a b ".repeat(1001), "the task has 4003 characters, and at most 4000 are taken");
    }

    #[test]
    fn its_checks_are_criteria_with_a_command() {
        let errand = Errand::of("do it", &[" make test ".to_string()]).unwrap();
        assert!(errand.has_checks());
        let roadmap = errand.roadmap(next_id([]));
        let criteria: Vec<Option<&str>> =
            roadmap.phases[0].criteria.iter().map(Criterion::command).collect();
        assert_eq!(criteria, [Some("make test")]);
        for bad in ["", " ", "a\nb"] {
            assert!(Errand::of("do it", &[bad.to_string()]).is_err(), "{bad:?}");
        }
        let many: Vec<String> =
            (0..=limits::CRITERIA_PER_PHASE_MAX).map(|n| n.to_string()).collect();
        assert!(Errand::of("do it", &many).is_err());
    }

    #[test]
    fn errands_are_counted_apart_from_phases() {
        let ids = |words: &[&str]| -> Vec<PhaseId> {
            words.iter().map(|word| word.parse().unwrap()).collect()
        };
        let check = |taken: &[&str], expected: &str| {
            assert_eq!(next_id(&ids(taken)).to_string(), expected);
        };
        check(&[], "DO-1");
        check(&["7", "PROJ-9", "DO-2", "DO-10", "DO-3.1"], "DO-11");
        assert!(is_errand(&ids(&["DO-4"])[0]));
        assert!(!is_errand(&ids(&["4"])[0]));
    }
}
