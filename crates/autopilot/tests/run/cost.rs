//! A cap in money, typed with real commands: the agent is ended, the run ends, and it goes on with more (BUD-1).

use autopilot_core::run::event::{Event, Failure};
use autopilot_core::run::outcome::{Cap, Halt};
use serde_json::{Value, json};

use super::outcome::records;
use super::project::Project;
use super::script::{entry, executed, reviewed, write};
use super::{leftovers, misbehaving};

const USAGE: i32 = 2;
const BUDGET: i32 = 4;

/// The first to work on the task spends so and would never end.
fn project(spend: Value) -> Project {
    let execute = |round, actions| entry("1", "execute", Some("1-01-1"), round, actions);
    Project::small(vec![
        execute(1, vec![json!({ "spend": spend }), json!("hang")]),
        execute(2, vec![write("lib/1", "base\n"), executed("1-01-1")]),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ])
}

fn halts(project: &Project, words: &str) {
    let ended = project.run(&["run", "--complete", "--max-cost", "0.03"]);
    assert_eq!(ended.code, BUDGET, "{ended:?}");
    let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("5.0M and $0.03 in all"), "{text}");
    assert!(text.contains(words), "{text}");
    assert_eq!(misbehaving::failures(project), [Failure::AllowanceUsed]);
    let is_it = |event: &Event| match event {
        Event::RunHalted { why: Halt::BudgetReached(reached) } => reached.cap == Cap::RunCost,
        _ => false,
    };
    assert!(records(project).1.iter().any(|record| is_it(&record.event)));
    leftovers::assert_none(project);
}

#[test]
fn a_run_ends_when_it_has_cost_what_it_may_and_goes_on_with_more() {
    let project = project(json!({"input_tokens": 10, "output_tokens": 2, "usd_micros": 52_000}));
    halts(&project, "what it may cost: $0.05 of $0.03; go on with more");
    let again = project.run(&["resume"]);
    assert_eq!(again.code, BUDGET, "the number that was typed stays: {again:?}");
    let ended = project.run(&["resume", "--max-cost", "2.5"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("and $2.50 in all"), "{ended:?}");
}

#[test]
fn an_agent_that_tells_no_cost_is_held_to_an_estimate() {
    let project = project(json!({"input_tokens": 10_000, "output_tokens": 1_000}));
    halts(&project, "what it may cost: $0.04 of $0.03, partly estimated; go on with more");
}

#[test]
fn what_is_no_amount_is_refused_and_nothing_begins() {
    let project = project(json!({"input_tokens": 1, "output_tokens": 1}));
    for command in ["run", "plan", "resume"] {
        let ended = project.run(&[command, "--max-cost", "five"]);
        assert_eq!(ended.code, USAGE, "{ended:?}");
        let text = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("dollars such as 5 or 2.50"), "{text}");
        assert!(text.contains(&format!("autopilot {command} --help")), "{text}");
    }
    let planned = project.run(&["plan", "--max-cost", "12"]);
    assert!(planned.stdout.contains("; at most $12.00"), "{planned:?}");
}
