//! Agents that seem dead and are not, and those that seem alive and are dead, as real processes. Hours of a clock are played beside the
//! judgement itself; here seconds have to do.

use autopilot_core::run::event::{Event, Failure};
use autopilot_core::run::quiet::Quiet;
use serde_json::json;

use super::leftovers;
use super::outcome::records;
use super::project::{Project, soon};
use super::script::{entry, executed, reviewed, write};
use super::{commanded, misbehaving};

fn runs(project: &Project) {
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    leftovers::assert_none(project);
}

/// What was noticed of an agent, in order.
fn noticed(project: &Project) -> Vec<&'static str> {
    let of = |event| match event {
        Event::AttemptQuiet { quiet: Quiet::Noticed { .. }, .. } => Some("noticed"),
        Event::AttemptQuiet { quiet: Quiet::Nudged { .. }, .. } => Some("nudged"),
        Event::AttemptQuiet { quiet: Quiet::Over, .. } => Some("over"),
        _ => None,
    };
    records(project).1.into_iter().filter_map(|record| of(record.event)).collect()
}

#[test]
fn a_spinner_is_ended_and_the_next_try_counts() {
    let spinner = "while :; do echo .; sleep 0.2; done";
    let project = commanded::project(spinner).variable("AUTOPILOT_STALL_TIME", "3");
    runs(&project);
    assert_eq!(misbehaving::failures(&project), [Failure::Stalled]);
    assert_eq!(noticed(&project), ["noticed", "nudged"]);
}

#[test]
fn one_that_ignores_the_polite_signal_is_ended_too() {
    let deaf = "trap '' TERM; while :; do sleep 0.5; done";
    let project = commanded::project(deaf).variable("AUTOPILOT_STALL_TIME", "1");
    runs(&project);
    assert_eq!(misbehaving::failures(&project), [Failure::Stalled]);
}

#[test]
fn silent_work_on_files_is_let_go_on() {
    let build = "for one in 1 2 3 4 5 6 7 8 9 10; do sleep 0.5; echo $one > object; done; rm object\n<<work>>\n<<answer>>";
    let project = commanded::project(build).variable("AUTOPILOT_STALL_TIME", "4");
    runs(&project);
    assert_eq!(misbehaving::failures(&project), []);
}

#[test]
fn a_tool_that_runs_is_waited_for_longer() {
    let actions =
        vec![json!({"run": {"command": "sleep 5"}}), write("lib/1", "base\n"), executed("1-01-1")];
    let project = Project::small(vec![
        entry("1", "execute", Some("1-01-1"), 1, actions),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ])
    .variable("AUTOPILOT_STALL_TIME", "4");
    runs(&project);
    assert_eq!(misbehaving::failures(&project), []);
}

#[test]
fn a_stopped_agent_is_told_to_go_on() {
    let stopped = "kill -STOP $$\n<<work>>\n<<answer>>";
    let project = commanded::project(stopped).variable("AUTOPILOT_STALL_TIME", "4");
    runs(&project);
    assert_eq!(misbehaving::failures(&project), []);
    assert_eq!(noticed(&project)[..2], ["noticed", "nudged"]);
}

#[test]
fn why_says_that_an_agent_is_quiet() {
    let project = commanded::project("sleep 300").variable("AUTOPILOT_STALL_TIME", "30");
    let started = project.start(&["run", "--complete"]);
    let mut said = String::new();
    soon("a word about the silence", || {
        said = project.run(&["why"]).stdout;
        said.contains("no sign of life for")
    });
    assert!(said.contains("ended after 30 s"), "{said}");
    started.signal(rustix::process::Signal::INT).unwrap();
    let ended = started.finish().unwrap();
    assert!(ended.stdout.contains("no sign of life"), "{ended:?}");
    leftovers::assert_none(&project);
}
