//! CHECK-13 and CHECK-14: whoever asks for a person names the checkpoint of the plan, what could not be verified and why. That
//! something should be looked at is no reason when all tasks are done.

use crate::contract::returns::DeferralEvidence;
use crate::run::checks::{Found, Integrity, prose, quoted};
use crate::run::pipeline::At;
use crate::run::work::TaskOutcome;

/// What people say who want somebody to look, in the words of the rule.
const GENERIC: [&[&str]; 11] = [
    &["visual"],
    &["visually"],
    &["visuals"],
    &["screenshot"],
    &["screenshots"],
    &["look"],
    &["looks"],
    &["appearance"],
    &["ui", "review"],
    &["manual", "check"],
    &["manually", "check"],
];

/// Words of something a person does step by step, or needs a thing in the world for.
const WORKFLOW: [&str; 40] = [
    "account",
    "buy",
    "call",
    "card",
    "checkout",
    "click",
    "clicks",
    "device",
    "dial",
    "download",
    "email",
    "enter",
    "flow",
    "hardware",
    "headset",
    "install",
    "key",
    "login",
    "mail",
    "message",
    "microphone",
    "order",
    "pay",
    "payment",
    "phone",
    "press",
    "print",
    "printer",
    "purchase",
    "receive",
    "scan",
    "send",
    "sign",
    "sms",
    "speaker",
    "submit",
    "transaction",
    "type",
    "upload",
    "workflow",
];

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let verification = at.work.candidate.verification.as_ref();
    let Some(asked) = verification.and_then(|said| said.deferral_evidence.as_ref()) else {
        return Vec::new();
    };
    let reasons = unjustified(at, asked);
    if !reasons.is_empty() {
        return vec![Found::Rejected { check: Integrity::Deferral, reasons }];
    }
    let is_done = |outcome: &Option<TaskOutcome>| {
        matches!(outcome, Some(TaskOutcome::Done { .. } | TaskOutcome::Skipped))
    };
    let all_done = at.work.tasks.iter().all(|task| is_done(&task.outcome));
    if !all_done || !is_generic(&asked.what) {
        return Vec::new();
    }
    let check = Integrity::UnnecessaryDeferral;
    let told = quoted(&asked.what);
    vec![
        Found::Warned { check, reason: format!("a person was asked for without need: {told}") },
        Found::Rejected {
            check,
            reasons: vec![format!(
                "{told} is no reason to wait for a person: every task is done, so resolve it yourself by building, tracing and reading, or name the workflow only a person can go through"
            )],
        },
    ]
}

fn unjustified(at: At<'_>, asked: &DeferralEvidence) -> Vec<String> {
    let mut reasons = Vec::new();
    let task = at.work.tasks.iter().find(|task| task.task.id.as_str() == asked.task_id.trim());
    match task {
        Some(task) if !task.task.kind.is_agents() => {}
        Some(_) => reasons.push(format!(
            "the task {} of `deferral_evidence` is none that asks for a person",
            quoted(&asked.task_id)
        )),
        None => reasons.push(format!(
            "`deferral_evidence` names the task {}, which is none of the plan",
            quoted(&asked.task_id)
        )),
    }
    let texts = [("what", &asked.what), ("why", &asked.why)];
    let blank = texts.into_iter().filter(|(_, text)| text.trim().is_empty());
    reasons.extend(blank.map(|(name, _)| format!("`deferral_evidence.{name}` is empty")));
    reasons
}

/// Says that something is to be looked at, and nothing that a person would do.
fn is_generic(what: &str) -> bool {
    let words = prose::plain_words(what);
    let has = |run: &[&str]| words.windows(run.len()).any(|window| window == run);
    let is_concrete = words.iter().any(|word| WORKFLOW.contains(&word.as_str()));
    !is_concrete && GENERIC.iter().any(|run| has(run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::fixture::{Scene, told, verification};
    use crate::run::definition::{TaskDefinition, TaskKind};
    use crate::run::work::TaskWork;

    #[test]
    fn a_person_is_asked_for_by_a_task_that_needs_one_with_what_and_why() {
        let check = |task_id: &str, what: &str, why: &str, expected: &str| {
            let mut scene = Scene::new();
            for (id, kind) in [("form", TaskKind::Auto), ("look", TaskKind::HumanVerify)] {
                let mut task = TaskWork::new(TaskDefinition::remediation(1, |_| false));
                (task.task.id, task.task.kind) = (id.parse().unwrap(), kind);
                task.outcome = Some(TaskOutcome::Skipped);
                scene.work.tasks.push(task);
            }
            let text = |text: &str| text.to_string();
            let mut said = verification("seen");
            said.deferral_evidence =
                Some(DeferralEvidence { task_id: text(task_id), what: text(what), why: text(why) });
            scene.work.candidate.verification = Some(said);
            let found = told(&look(scene.at()));
            assert!(found.starts_with(expected), "{found}");
            assert_eq!(found.is_empty(), expected.is_empty(), "{found}");
        };
        check("look", "the payment flow", "no card", "");
        check("form", "the payment flow", "no card", "rejected deferral: the task \"form\"");
        check(
            "other",
            "the payment flow",
            "no card",
            "rejected deferral: `deferral_evidence` names",
        );
        check("", "the payment flow", "no card", "rejected deferral");
        check("look", " ", "no card", "rejected deferral: `deferral_evidence.what` is empty");
        check(
            "look",
            "the payment flow",
            "",
            "rejected deferral: `deferral_evidence.why` is empty",
        );
        check("look", "a screenshot", "no screen", "warned unnecessary_deferral");
    }

    #[test]
    fn that_somebody_should_look_is_generic_and_a_workflow_is_not() {
        let check = |what: &str, expected: bool| assert_eq!(is_generic(what), expected, "{what}");
        check("visual confirmation of the page", true);
        check("The new dialog should be looked at: a screenshot", true);
        check("UI review", true);
        check("a manual check of the layout", true);
        check("Appearance.", true);
        check("somebody must look", true);
        check("the payment flow processes a real transaction, look at the receipt", false);
        check("the page as the printer prints it", false);
        check("screenshot of the SMS on a real phone", false);
        check("the overlooked case", false);
        check("whether the tone is right for our customers", false);
    }
}
