//! The sentences there are. A sentence that can never be told would make `never:` hold for nothing, so expectations are held against
//! this list, and so is every account.

use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::ids::TaskId;
use autopilot_core::score::Score;

use crate::world::given::ROLES;

/// `{...}` stands for one thing of that kind.
const SENTENCES: &[&str] = &[
    "run started",
    "project read",
    "{phase} read",
    "run resumed",
    "run paused",
    "run halted",
    "run completed",
    "asked to stop",
    "waits",
    "agent switched",
    "breaker opened",
    "breaker half open",
    "breaker closed",
    "asked to stop at once",
    "asked for more",
    "{phase} added",
    "merge wanted",
    "asked to merge",
    "run merging",
    "run merged",
    "merge refused",
    "asked to take back",
    "taking back",
    "taken back",
    "not taken back",
    "run opening",
    "run opened",
    "baseline measuring",
    "baseline measured",
    "{phase} opening",
    "{phase} opened",
    "{phase} triage measuring",
    "{phase} triage measured",
    "{phase} candidate measuring",
    "{phase} candidate measured",
    "{phase} tests before measuring",
    "{phase} tests before measured",
    "{phase} all tests before measuring",
    "{phase} all tests before measured",
    "{phase} brought checks measuring",
    "{phase} brought checks measured",
    "{phase} without work measuring",
    "{phase} without work measured",
    "{phase} {role} started",
    "{phase} {role} spawned",
    "{phase} {role} quiet",
    "{phase} {role} returned",
    "{phase} {role} failed",
    "attempt lost",
    "attempt cancelled",
    "{phase} rated {score}",
    "{phase} rated nothing",
    "{phase} plan reading",
    "{phase} plan read",
    "{phase} plan sent back {number}",
    "{phase} criteria adopted {number}",
    "{phase} {task} planned",
    "{phase} {task} measuring",
    "{phase} {task} measured",
    "{phase} {task} committing",
    "{phase} {task} done",
    "{phase} {task} tried again",
    "{phase} {task} given up",
    "{phase} {task} left out",
    "{phase} {task} putting back",
    "{phase} {task} put back",
    "{phase} putting back",
    "{phase} put back",
    "{phase} merging",
    "{phase} merged",
    "{phase} diagnostic writing",
    "{phase} diagnostic written",
    "batch report written",
    "report writing",
    "report written",
    "engine failed",
    "{phase} started",
    "{phase} delegated {number}",
    "{phase} triage skipped",
    "{phase} research skipped",
    "{phase} planning skipped",
    "{phase} plan check skipped",
    "{phase} execution skipped",
    "{phase} places looking up",
    "{phase} places looked up",
    "{phase} {role} rejected",
    "{phase} {role} warned",
    "{phase} {role} contaminated",
    "{phase} {role} defers without need",
    "uniform scores",
    "uniform scores enhanced",
    "uniform scores critical",
    "{phase} verdict rollback",
    "{phase} verdict fail",
    "{phase} verdict defer",
    "{phase} verdict debug",
    "{phase} verdict pass",
    "{phase} verdict pass incomplete",
    "{phase} verdict pass judged",
    "{phase} verdict pass unproven",
    "{phase} verdict remediate",
    "{phase} verdict replan",
    "{phase} debug {number}",
    "{phase} replanned {number}",
    "{phase} sent back",
    "{phase} passed {score}",
    "{phase} passed incomplete {score}",
    "{phase} passed judged {score}",
    "{phase} passed unproven {score}",
    "{phase} failed",
    "{phase} blocked",
    "{phase} waits for a person",
    "exit {number}",
];

/// Whether a sentence, its parentheses left out, is one of the list.
pub(super) fn knows(sentence: &str) -> bool {
    SENTENCES.iter().any(|template| fits(template, sentence))
}

/// A sentence without what stands in parentheses at its end.
pub(super) fn bare(sentence: &str) -> &str {
    match sentence.find(" (") {
        Some(at) if sentence.ends_with(')') => &sentence[..at],
        _ => sentence,
    }
}

fn fits(template: &str, text: &str) -> bool {
    let Some((word, rest)) = template.split_once(' ') else { return is_one(template, text) };
    if word == "{role}" {
        let after = |(name, _): &(&str, _)| text.strip_prefix(name)?.strip_prefix(' ');
        return ROLES.iter().filter_map(after).any(|left| fits(rest, left));
    }
    match text.split_once(' ') {
        Some((first, left)) => is_one(word, first) && fits(rest, left),
        None => false,
    }
}

fn is_one(word: &str, text: &str) -> bool {
    match word {
        "{phase}" => text.parse::<PhaseId>().is_ok(),
        "{task}" => text.parse::<TaskId>().is_ok(),
        "{score}" => text.parse::<Score>().is_ok(),
        "{number}" => text.parse::<u32>().is_ok(),
        word => word == text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sentences_that_can_be_told_are_known() {
        for known in ["1 passed 9.2", "2.1 plan checker started", "1 debug-1 put back", "exit 130"]
        {
            assert!(knows(known), "{known}");
        }
        for unknown in ["1 past 9.2", "1 passed", "1 cook started", "one started", "exit", "", "1"]
        {
            assert!(!knows(unknown), "{unknown}");
        }
        assert_eq!(bare("1 failed (tool_failure)"), "1 failed");
        assert_eq!(bare("1 failed"), "1 failed");
    }
}
