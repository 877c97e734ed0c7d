//! Criteria that nobody can check: sentences that only say that something is good. The rule is simple so that it can be told to whoever
//! wrote them: a criterion is vague when every word of it is a filler, a name for the whole, or praise. One word that names something
//! of the project acquits it, so does a figure, a quote or code.

use crate::contract::drafting::DraftedCriterion;

/// Words that carry a sentence and name nothing.
const FILLERS: [&str; 44] = [
    "a", "an", "and", "are", "as", "at", "be", "been", "being", "by", "can", "do", "does",
    "enough", "expected", "for", "has", "have", "in", "intended", "is", "it", "its", "must", "no",
    "of", "on", "or", "s", "shall", "should", "that", "the", "their", "there", "they", "this",
    "to", "used", "using", "when", "will", "with", "without",
];
/// Names for the whole, which say no more than "it".
const WHOLES: [&str; 38] = [
    "all",
    "any",
    "app",
    "application",
    "architecture",
    "behavior",
    "behaviour",
    "code",
    "codebase",
    "design",
    "everything",
    "every",
    "everyone",
    "experience",
    "feature",
    "features",
    "functionality",
    "interface",
    "issues",
    "look",
    "looks",
    "performance",
    "phase",
    "problem",
    "problems",
    "product",
    "program",
    "project",
    "quality",
    "requirements",
    "site",
    "software",
    "solution",
    "system",
    "things",
    "ui",
    "user",
    "users",
];
/// What is said of something without saying what could be seen.
const PRAISE: [&str; 82] = [
    "acceptable",
    "accessible",
    "adequate",
    "appropriate",
    "appropriately",
    "attractive",
    "beautiful",
    "beautifully",
    "best",
    "better",
    "clean",
    "cleanly",
    "clear",
    "clearly",
    "complete",
    "completed",
    "completely",
    "convenient",
    "correct",
    "correctly",
    "done",
    "easily",
    "easy",
    "efficient",
    "efficiently",
    "elegant",
    "excellent",
    "extensible",
    "fast",
    "finished",
    "fine",
    "flawless",
    "flawlessly",
    "flexible",
    "friendly",
    "fully",
    "functional",
    "functions",
    "good",
    "great",
    "happy",
    "high",
    "implemented",
    "intuitive",
    "maintainable",
    "met",
    "modern",
    "nice",
    "nicely",
    "optimal",
    "optimized",
    "perfect",
    "perfectly",
    "pleasant",
    "polished",
    "proper",
    "properly",
    "quick",
    "quickly",
    "readable",
    "ready",
    "reasonable",
    "reliable",
    "reliably",
    "responsive",
    "robust",
    "robustly",
    "satisfied",
    "satisfying",
    "scalable",
    "seamless",
    "seamlessly",
    "secure",
    "securely",
    "simple",
    "smooth",
    "smoothly",
    "stable",
    "successful",
    "successfully",
    "usable",
    "useful",
];
/// The same, of what a thing does.
const DEEDS: [&str; 10] =
    ["behave", "behaves", "feel", "feels", "run", "runs", "very", "well", "work", "works"];

/// Whether nobody could say when it is met. A criterion with a command is met when the command passes.
pub(super) fn is_vague(criterion: &DraftedCriterion) -> bool {
    let has_command = criterion.command.as_deref().is_some_and(|it| !it.trim().is_empty());
    !has_command && says_nothing(&criterion.text)
}

fn says_nothing(text: &str) -> bool {
    let names_something = |c: char| c.is_numeric() || matches!(c, '`' | '"' | '“' | '«');
    if text.contains(names_something) {
        return false;
    }
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.all(|word| {
        [&FILLERS[..], &WHOLES[..], &PRAISE[..], &DEEDS[..]].iter().any(|list| list.contains(&word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criterion(text: &str, command: Option<&str>) -> DraftedCriterion {
        DraftedCriterion { text: text.into(), command: command.map(String::from) }
    }

    #[test]
    fn sentences_that_only_praise_are_vague() {
        for text in [
            "It works",
            "Works well",
            "The app works as expected.",
            "Everything is fast",
            "The UI is user-friendly and intuitive",
            "Good performance",
            "The code is clean, readable and maintainable",
            "All features work correctly",
            "The system should be robust and scalable",
            "High quality",
            "Users are happy",
            "The phase is complete",
            "All requirements are met",
            "It's done",
            "It runs without problems",
        ] {
            assert!(is_vague(&criterion(text, None)), "{text}");
        }
    }

    #[test]
    fn sentences_that_name_something_are_not() {
        for text in [
            "A wrong password is refused",
            "Tests pass",
            "The list is sorted by date",
            "Login works",
            "The page loads in under 200 ms",
            "It runs on Windows",
            "`todo add milk` prints the new item",
            "An empty file is reported with exit code 2",
            "The user sees \"saved\"",
            "The app starts without a network",
            "Two users can edit the same note",
            "The README names every command",
            "Das Ergebnis ist gut lesbar",
            "Every note survives a restart",
            "The design follows the mockup in docs/login.png",
        ] {
            assert!(!is_vague(&criterion(text, None)), "{text}");
        }
        assert!(!is_vague(&criterion("It works", Some("make smoke"))));
        assert!(is_vague(&criterion("It works", Some("  "))));
    }
}
