//! What an agent is told when work comes back to it: the findings of a remediation, the reasons of a new plan, why a return was not
//! accepted (PIPE-11, PIPE-9, CHECK-0).

use std::collections::BTreeSet;

use autopilot_core::contract::Role;
use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::{Event, Finding};
use autopilot_core::run::ids::AttemptId;
use autopilot_core::run::state::{PhaseStatus, RunState};
use autopilot_core::run::{apply, briefing};
use autopilot_testkit::scenario::{self, Played};

fn played(given: &str, happens: &str) -> Played {
    let text = format!("# A-1: x\ngiven {given}\nhappens {happens}\nexpect exit 0\n");
    let scenarios = scenario::read("here", &text).unwrap_or_default();
    let played = scenarios.first().map(|scenario| scenario.play());
    match played {
        Some(Ok(played)) => played,
        _ => unreachable!("{text} is a scenario"),
    }
}

/// The findings of each cycle, as `id role deficiency`.
fn cycles(played: &Played) -> Vec<Vec<String>> {
    let words = |finding: &Finding| {
        format!("{} {} {}", finding.id, finding.role.name(), finding.deficiency)
    };
    let started = played.journal.iter().filter_map(|event| match event {
        Event::RemediationStarted { findings, .. } => Some(findings.iter().map(words).collect()),
        _ => None,
    });
    started.collect()
}

fn plan_issues(state: &RunState) -> &[String] {
    state.phases[0].work.as_ref().map(|work| work.plan_issues.as_slice()).unwrap_or_default()
}

#[test]
fn a_score_that_meets_the_bar_is_no_finding_whatever_it_misses() {
    let played = played("roadmap: 1 login. bar 9.0", "1 rated 9.0 and 8.6; 1 rated 8.9");
    let expected = [vec!["1.1 rate what round 1 misses"], vec!["2.1 rate what round 2 misses"]];
    assert_eq!(cycles(&played), expected);
}

#[test]
fn after_a_cycle_that_made_nothing_better_the_findings_are_those_of_the_best_candidate() {
    let played = played("roadmap: 1 login", "1 rated 8.5; 1 rated 8.0; 1 rated 8.6");
    let expected = [vec!["1.1 rate what round 1 misses"], vec!["2.1 rate what round 1 misses"]];
    assert_eq!(cycles(&played), expected);
}

#[test]
fn rater_judge_and_verifier_all_have_their_say() {
    let played = played(
        "roadmap: 1 login. depth full",
        "1 rated 8.0; 1 judge has a minor concern; 1 verifier names a failure",
    );
    let expected = [[
        "1.1 rate what round 1 misses",
        "1.2 judge it could be clearer",
        "1.3 verify a requirement is not met",
    ]];
    assert_eq!(cycles(&played), expected);
}

#[test]
fn a_new_plan_is_told_what_was_rated_low_and_which_tasks_failed() {
    let played = played(
        "roadmap: 1 login. plan of 1: form; store",
        "1 executor crashes on store 3 times; 1 rated 6.0 and 10.0 and 4.0",
    );
    let expected = [
        "it works was rated 6.0: what round 1 misses",
        "it works was rated 10.0: seen",
        "it works was rated 4.0: what round 1 misses",
        "task store failed",
    ];
    assert_eq!(plan_issues(&played.state), expected);
}

/// The prompt of each attempt of a role, as far as it tells why it is asked again and how strict it has to be.
fn told(played: &Played, role: Role) -> Vec<(Vec<String>, bool)> {
    let mut state: Option<RunState> = None;
    let mut told = Vec::new();
    for (event, at) in played.journal.iter().zip(&played.times) {
        if let (Some(state), Event::StepStarted { effect: Effect::RunAgent(order), .. }) =
            (&state, event)
            && order.role == role
            && let Some(phase) = state.phase(&order.phase)
        {
            let project = state.project.as_ref();
            let context = briefing::context(&state.definition, project, phase, order, (&[], &[]));
            told.push((context.feedback.rejections, context.enhanced));
        }
        state = apply(state, event, *at).ok();
    }
    told
}

#[test]
fn whoever_is_asked_again_is_told_why_and_only_once() {
    let played = played(
        "roadmap: 1 login. depth full",
        "1 verifier shows nothing; 1 verifier crashes; 1 rated 8.0; 1 judge has a minor concern",
    );
    let rejections: Vec<usize> =
        told(&played, Role::Verify).iter().map(|(why, _)| why.len()).collect();
    // Rejected, then crashed: both are told; the next candidate's verifier is told nothing.
    assert_eq!(rejections, [0, 1, 2, 0]);
    assert_eq!(
        told(&played, Role::Verify)[1].0,
        ["`commands_run` is empty: a verification runs commands"]
    );
    assert!(told(&played, Role::Judge).iter().all(|(why, _)| why.is_empty()));
}

#[test]
fn nothing_of_the_copied_words_is_told_to_whoever_copied_them() {
    let played = played("roadmap: 1 login. depth full", "1 judge quotes the verifier");
    assert_eq!(
        told(&played, Role::Judge)[1].0,
        ["`independent_evidence[0]` has 12 words in a row of the verifier's report"]
    );
}

#[test]
fn after_five_scores_alike_reviewers_are_told_to_be_stricter() {
    let played = played("roadmap: 1 a; 2 b; 3 c; 4 d; 5 e; 6 f; 7 g", "6 rated 9.9");
    let strict: Vec<bool> =
        told(&played, Role::Review).iter().map(|(_, is_enhanced)| *is_enhanced).collect();
    assert_eq!(strict, [false, false, false, false, false, true, false]);
}

#[test]
fn a_debugger_is_told_what_reviewers_found_where_nothing_is_red() {
    let played = played("roadmap: 1 login. depth full", "1 verifier fails it");
    let mut state: Option<RunState> = None;
    let mut findings = Vec::new();
    for (event, at) in played.journal.iter().zip(&played.times) {
        if let (Some(state), Event::StepStarted { effect: Effect::RunAgent(order), .. }) =
            (&state, event)
            && order.role == Role::Debug
        {
            let context =
                briefing::context(&state.definition, None, &state.phases[0], order, (&[], &[]));
            findings.extend(context.feedback.findings.into_iter().map(|one| one.deficiency));
        }
        state = apply(state, event, *at).ok();
    }
    assert_eq!(findings, ["a requirement is not met"]);
}

#[test]
fn a_rating_that_was_rejected_leaves_no_score() {
    let played = played(
        "roadmap: 1 login. depth full",
        "1 verifier does well; 1 rater quotes the verifier; 1 rated 9.5",
    );
    let PhaseStatus::Passed(result) = &played.state.phases[0].status else {
        unreachable!("{:?}", played.account)
    };
    let scores: Vec<String> = result.score_history.iter().map(ToString::to_string).collect();
    assert_eq!(scores, ["9.5"]);
}

/// CHECK-4: from the journal's own books, so that a reviewer among the workers would be seen.
#[test]
fn who_worked_and_who_reviewed_is_remembered() {
    let played = played("roadmap: 1 login. depth full", "1 executor crashes; 1 executor does well");
    let mut worked = BTreeSet::new();
    let mut reviewed = BTreeSet::new();
    for event in &played.journal {
        if let Event::StepStarted { attempt, effect: Effect::RunAgent(order) } = event {
            match (order.role, &order.task) {
                (_, Some(_)) => drop(worked.insert(*attempt)),
                (Role::Verify | Role::Judge | Role::JudgeDivergence | Role::Rate, None) => {
                    reviewed.insert(*attempt);
                }
                _ => {}
            }
        }
    }
    let work = played.state.phases[0].work.as_ref();
    let known = work.map(|work| work.checked.workers.clone()).unwrap_or_default();
    assert_eq!((known.len(), known), (2, worked));
    let known = work.iter().flat_map(|work| work.candidate.reviewed.values());
    let known: BTreeSet<AttemptId> = known.map(|one| one.attempt).collect();
    assert!(reviewed.is_subset(&known), "{reviewed:?} {known:?}");
}
