//! Every effect done twice: killed after it and before its record, which is written anew by the one that goes on. A second passes
//! in between, so that a commit made once more would be another commit.

use std::time::{SystemTime, UNIX_EPOCH};

use autopilot_core::contract::Returned;
use autopilot_core::run::event::Event;
use autopilot_journal::Record;
use serde_json::json;

use super::KILLED;
use super::fault_points::{assert_starts, resume_to_the_end, small};
use super::outcome::{Outcome, UsersOwn, assert_same, records, starts};
use super::project::{Project, soon};
use super::script::{entry, executed, plan, plan_text, planned, researched, reviewed, write};

/// Which write of the journal has the last event that fits, counted from 1. A write ends with the events a run begins with,
/// with every start of a step and of a process, and at the end.
fn write_with(records: &[Record<Event>], fits: fn(&Event) -> bool) -> u64 {
    let mut writes = 1;
    let mut found = None;
    for record in records {
        if fits(&record.event) {
            found = Some(writes);
        }
        let ends_write = match &record.event {
            Event::PhaseRead { is_last, .. } => *is_last,
            Event::StepStarted { .. } | Event::AttemptSpawned { .. } => true,
            _ => false,
        };
        writes += u64::from(ends_write);
    }
    found.unwrap()
}

fn let_a_second_pass() {
    let second = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let begun = second();
    soon("another second", || second() > begun);
}

/// Does the last effect with such an end twice and compares everything with a run that did it once.
fn check(base: &Project, name: &str, fits: fn(&Event) -> bool) {
    let once = base.copy();
    let before = UsersOwn::of(&once);
    let ended = once.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let write = write_with(&records(&once).1, fits);
    let expected = Outcome::of(&once, &before, 0);
    let twice = base.copy();
    let before = UsersOwn::of(&twice);
    let fault = format!("journal.write.before:{write}:kill");
    let killed = twice.command().variable("AUTOPILOT_FAULT", &fault).run(&["run", "--complete"]);
    assert_eq!(killed.unwrap().code, KILLED, "{name}");
    let had = records(&twice).1.iter().filter(|record| fits(&record.event)).count();
    let will_have = records(&once).1.iter().filter(|record| fits(&record.event)).count();
    assert_eq!(had + 1, will_have, "{name}: killed before the record");
    let_a_second_pass();
    let exit = resume_to_the_end(&twice, name);
    assert_same(&Outcome::of(&twice, &before, exit), &expected, name);
    assert_starts(&twice, &starts(&once), 1, name);
}

#[test]
fn effects_of_a_phase_done_twice_are_done_once() {
    let base = small();
    check(&base, "open run", |event| matches!(event, Event::RunOpened { .. }));
    check(&base, "open phase", |event| matches!(event, Event::PhaseOpened { .. }));
    check(&base, "measure", |event| matches!(event, Event::EvidenceMeasured { .. }));
    check(&base, "read plan", |event| matches!(event, Event::PlanRead { .. }));
    check(&base, "agent", |event| matches!(event, Event::StepCompleted { .. }));
    check(&base, "commit", |event| matches!(event, Event::TaskCompleted { .. }));
    check(&base, "close", |event| matches!(event, Event::PhaseMerged { .. }));
    check(&base, "report", |event| matches!(event, Event::ReportWritten { .. }));
}

#[test]
fn putting_a_task_back_twice_is_putting_it_back_once() {
    let base = Project::sample();
    check(&base, "roll back", |event| matches!(event, Event::RolledBack { .. }));
}

/// A planner that wrote a plan too many in the attempt that was lost. Nobody asked for that plan, so nobody works on it.
#[test]
fn what_a_lost_attempt_wrote_is_no_part_of_the_plan() {
    let extra = plan_text(1, "01-base", &[("Do more", "test -s lib/more", "")])
        .replace("plan: 01", "plan: 02");
    let folder = ".planning/phases/01-base";
    let first_time = format!(
        "[ -e ../cache/planned ] || {{ touch ../cache/planned; cat > {folder}/01-02-PLAN.md <<'END'\n{extra}END\n}}"
    );
    let planning = vec![
        plan(1, "01-base", "Lay the base", "test -s lib/1", ""),
        json!({"run": {"command": first_time}}),
        planned(),
    ];
    let base = Project::unplanned(vec![
        entry("1", "research", None, 1, vec![researched()]),
        entry("1", "plan", None, 1, planning),
        entry(
            "1",
            "execute",
            Some("1-01-1"),
            1,
            vec![write("lib/1", "base\n"), executed("1-01-1")],
        ),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ]);
    let is_plan = |event: &Event| {
        matches!(event, Event::StepCompleted { returned: Returned::Planning(_), .. })
    };
    let once = base.copy();
    std::fs::create_dir_all(once.cache()).unwrap();
    std::fs::write(once.cache().join("planned"), "").unwrap();
    let before = UsersOwn::of(&once);
    let ended = once.run(&["run", "--complete"]);
    let expected = Outcome::of(&once, &before, ended.code);
    let write = write_with(&records(&once).1, is_plan);
    let twice = base.copy();
    let before = UsersOwn::of(&twice);
    let fault = format!("journal.write.before:{write}:kill");
    let killed = twice.command().variable("AUTOPILOT_FAULT", &fault).run(&["run", "--complete"]);
    assert_eq!(killed.unwrap().code, KILLED);
    assert!(twice.cache().join("planned").exists(), "the extra plan was written");
    let exit = resume_to_the_end(&twice, "lost plan");
    assert_same(&Outcome::of(&twice, &before, exit), &expected, "lost plan");
}
