//! What the failures of a run teach its later phases (LRN-1): one rule for each failed phase, made from its category and from what
//! was measured red. No model words it, and no word of an agent is in it, so that it can stand in a prompt.

use std::fmt::Write;

use crate::contract::Category;
use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::files::reports::one_line;
use crate::run::ids::Moment;
use crate::run::measured::{CheckName, reds};
use crate::run::outcome::PhaseFailure;
use crate::run::projection::iso;
use crate::run::state::RunState;
use crate::run::work::{TaskOutcome, Work};

/// What one failed phase taught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    pub phase: PhaseId,
    pub category: Category,
    pub rule: String,
    pub at: Moment,
}

/// `.autopilot/learnings.md`.
pub const FILE: &str = "learnings.md";

/// Adds what a failure teaches. A phase that fails again has one rule, the newer; of all only the newest are kept.
pub(super) fn learn(lessons: &mut Vec<Lesson>, lesson: Lesson) {
    lessons.retain(|known| known.phase != lesson.phase);
    lessons.push(lesson);
    let surplus = lessons.len().saturating_sub(limits::LESSONS_MAX);
    lessons.drain(..surplus);
}

/// As planners and executors of later phases are told.
pub fn told(state: &RunState) -> Vec<String> {
    let words = |lesson: &Lesson| format!("Phase {} failed. {}", lesson.phase, lesson.rule);
    state.lessons.iter().map(words).collect()
}

/// The whole file. Of a run in which nothing has failed it has a title only: what an earlier run taught is not carried over.
pub fn document(state: &RunState) -> String {
    let mut text = format!("# Learnings (current run)\n\nRun {}.\n", state.definition.run);
    for lesson in &state.lessons {
        let Lesson { phase, category, rule, at } = lesson;
        let name = state.phase(phase).map(|phase| one_line(&phase.definition.name));
        let category = named(category).word();
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            "\n### Phase {phase} failure -- {category}\n**Prevention rule:** {rule}\n\
             **Context:** Phase {phase} ({}) failed with category `{category}`. Recorded: {}.\n",
            name.unwrap_or_default(),
            iso(*at),
        );
    }
    text
}

/// One of the ten (CHECK-12): whatever has no name of its own is a matter of how the parts work together.
pub fn named(category: &Category) -> &Category {
    match category {
        Category::Unclassified(_) => &Category::CoordinationFailure,
        named => named,
    }
}

/// Checks that were red when the phase ended: of the candidate, or of the tasks that were given up.
pub(super) fn red_at_the_end(work: &Work) -> Vec<CheckName> {
    let mut red = work.candidate.evidence.as_deref().map(reds).unwrap_or_default();
    let given_up = work.tasks.iter().filter(|task| {
        task.outcome.is_none() || matches!(task.outcome, Some(TaskOutcome::Failed { .. }))
    });
    red.extend(given_up.flat_map(|task| reds(&task.last_red)));
    red.sort();
    red.dedup();
    red
}

/// One or two sentences for whoever plans or works next.
pub fn rule(failure: &PhaseFailure, red: &[CheckName]) -> String {
    let advice = match named(&failure.category) {
        Category::ExecutorIncomplete if failure.step == "budget" => {
            "It used up what a phase may use: plan fewer and smaller tasks, and read only what a task needs."
        }
        Category::ExecutorIncomplete => {
            "Work was handed over unfinished: do every part of a task before you end, and leave none for a repair."
        }
        Category::ExecutorWrongApproach if failure.step == "plan_check" => {
            "The plan did not stand up to its check: give every task an action that can be carried out and a command that proves it."
        }
        Category::ExecutorWrongApproach => {
            "The approach itself was found wanting: hold it against the criteria before you build on it, and prefer the smallest one that meets them."
        }
        Category::CompilationFailure => {
            "Compile after every change, and end only when it is green."
        }
        Category::LintFailure => {
            "Run the linter before you end and mend what it names instead of switching it off."
        }
        Category::BuildFailure => {
            "Run the whole build before you end: that it compiles is not enough."
        }
        Category::AcceptanceCriteriaUnmet => {
            "Hold the work against each criterion's own check before you end; what is not seen green is not done."
        }
        Category::ScopeCreep => {
            "Change only the files the task names; what else seems worth doing belongs into a phase of its own."
        }
        Category::ContextExhaustion => {
            "It ran out of context: plan smaller tasks, and name the few files each has to read."
        }
        Category::ToolFailure => {
            "The agent itself failed, not the work: answer in exactly the form that is asked for, and end on time."
        }
        Category::CoordinationFailure | Category::Unclassified(_) => {
            "The parts did not fit together: say in each plan what it takes from others and what it leaves them."
        }
    };
    match red {
        [] => advice.to_string(),
        red => {
            let names: Vec<String> = red.iter().map(ToString::to_string).collect();
            let shown = names.len().min(limits::LESSON_CHECKS_MAX);
            let more = match names.len() - shown {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            format!("{} stayed red{more}. {advice}", names[..shown].join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(phase: u32, rule: &str) -> Lesson {
        let (category, rule) = (Category::LintFailure, rule.to_string());
        Lesson { phase: PhaseId::number(phase), category, rule, at: Moment(0) }
    }

    #[test]
    fn a_phase_teaches_once_and_only_the_newest_lessons_are_kept() {
        let mut lessons = Vec::new();
        let count = u32::try_from(limits::LESSONS_MAX).unwrap();
        for phase in 1..=count + 2 {
            learn(&mut lessons, lesson(phase, "first"));
        }
        learn(&mut lessons, lesson(5, "again"));
        assert_eq!(lessons.len(), limits::LESSONS_MAX);
        assert_eq!(lessons.first().unwrap().phase, PhaseId::number(3));
        assert_eq!(lessons.last().unwrap(), &lesson(5, "again"));
        assert_eq!(lessons.iter().filter(|one| one.phase == PhaseId::number(5)).count(), 1);
    }

    #[test]
    fn every_category_has_a_rule_and_names_what_stayed_red() {
        for word in Category::words() {
            let failure = PhaseFailure {
                category: Category::from_word(word),
                step: "gate".to_string(),
                reason: "words of an agent".to_string(),
            };
            let plain = rule(&failure, &[]);
            assert!(plain.len() > 40 && !plain.contains("words of an agent"), "{word}: {plain}");
            let red = rule(&failure, &[CheckName::Test, CheckName::Criterion(2)]);
            assert_eq!(red, format!("test, criterion 2 stayed red. {plain}"));
        }
    }
}
