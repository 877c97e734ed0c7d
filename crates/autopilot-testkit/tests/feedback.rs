//! What an agent is told when work comes back to it: the findings of a remediation, the reasons of a new plan (PIPE-11, PIPE-9).

use autopilot_core::run::event::{Event, Finding};
use autopilot_core::run::state::RunState;
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
    let played = played("roadmap: 1 login. bar 9.0", "1 rated 9.0 and 8.8; 1 rated 8.9");
    let expected = [vec!["1.1 rate what round 1 misses"], vec!["2.1 rate what round 2 misses"]];
    assert_eq!(cycles(&played), expected);
}

#[test]
fn rater_judge_and_verifier_all_have_their_say() {
    let played = played(
        "roadmap: 1 login. depth full",
        "1 rated 8.0; 1 judge has a minor concern; 1 verifier fails it",
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
