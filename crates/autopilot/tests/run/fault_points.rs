//! Killed at every point that a run passes on its way to the disk, to git and to children, and taken up again.

use std::collections::BTreeMap;

use autopilot_core::run::state::RunStatus;
use autopilot_testkit::say;

use super::KILLED;
use super::outcome::{Outcome, UsersOwn, assert_same, starts, state};
use super::project::Project;
use super::script::{entry, executed, reviewed, write};

/// Runs all passings of every point when it is set, and more random kills.
pub(crate) const KILLS: &str = "AUTOPILOT_KILLS";
/// More resumes than any single kill can need.
const RESUMES_MAX: u32 = 3;

/// The smallest run that passes every point: one phase, a task, a review.
pub(crate) fn small() -> Project {
    Project::small(vec![
        entry(
            "1",
            "execute",
            Some("1-01-1"),
            1,
            vec![
                write("lib/1", "base\n"),
                write("tests/1.sh", "grep -q base lib/1\n"),
                executed("1-01-1"),
            ],
        ),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ])
}

/// The points of a run in the order of their names, and how often each is passed.
fn points(project: &Project) -> (BTreeMap<String, u64>, Outcome, BTreeMap<String, u32>) {
    let project = project.copy();
    let log = project.around().join("points");
    let before = UsersOwn::of(&project);
    let project = project.variable("AUTOPILOT_FAULT_LOG", log.to_str().unwrap());
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let mut passed = BTreeMap::new();
    for point in std::fs::read_to_string(&log).unwrap().lines() {
        *passed.entry(point.to_string()).or_default() += 1;
    }
    let outcome = Outcome::of(&project, &before, ended.code);
    (passed, outcome, starts(&project))
}

/// Goes on until the run has ended, and gives back how.
pub(crate) fn resume_to_the_end(project: &Project, context: &str) -> i32 {
    for _ in 0..RESUMES_MAX {
        let ended = project.run(&["resume"]);
        if ended.code != KILLED {
            assert_eq!(ended.code, 0, "{context}\n{ended:?}");
            return ended.code;
        }
    }
    panic!("{context}: no end after {RESUMES_MAX} resumes");
}

/// Extra starts of agents, which a kill may cost one of.
pub(crate) fn assert_starts(
    project: &Project,
    unbroken: &BTreeMap<String, u32>,
    kills: u32,
    context: &str,
) {
    let started = starts(project);
    let total = |counts: &BTreeMap<String, u32>| counts.values().sum::<u32>();
    assert_eq!(
        started.keys().collect::<Vec<_>>(),
        unbroken.keys().collect::<Vec<_>>(),
        "{context}"
    );
    assert!(total(&started) <= total(unbroken) + kills, "{context}: {started:?}");
}

/// The first, the middle and the last passing, or all of them.
fn chosen(count: u64, all: bool) -> Vec<u64> {
    if all {
        return (1..=count).collect();
    }
    let mut chosen = vec![1, count.div_ceil(2), count];
    chosen.dedup();
    chosen
}

fn killed_at(
    base: &Project,
    point: &str,
    nth: u64,
    unbroken: &Outcome,
    starts: &BTreeMap<String, u32>,
) {
    let context = format!("{point}:{nth}");
    let project = base.copy();
    let before = UsersOwn::of(&project);
    let fault = format!("{point}:{nth}:kill");
    let killed = project.command().variable("AUTOPILOT_FAULT", &fault).run(&["run", "--complete"]);
    let killed = killed.unwrap();
    assert_eq!(killed.code, KILLED, "{context}\n{killed:?}");
    let exit = match (has_run(&project, "journal"), has_run(&project, "archive")) {
        (true, _) => resume_to_the_end(&project, &context),
        // Killed after its very last act.
        (false, true) => match state(&project).status {
            RunStatus::Completed(result) => i32::from(result.exit().code()),
            other => panic!("{context}: {other:?} is archived"),
        },
        // Before the first event is on disk there is no run to go on with.
        (false, false) => project.run(&["run", "--complete"]).code,
    };
    assert_same(&Outcome::of(&project, &before, exit), unbroken, &context);
    assert_starts(&project, starts, 1, &context);
}

/// Whether a journal with something in it lies there.
pub(crate) fn has_run(project: &Project, folder: &str) -> bool {
    let entries = std::fs::read_dir(project.state().join(folder)).into_iter().flatten().flatten();
    let is_journal = |entry: &std::fs::DirEntry| {
        entry.path().extension().is_some_and(|ending| ending == "jsonl")
            && entry.metadata().is_ok_and(|found| found.len() > 0)
    };
    entries.into_iter().any(|entry| is_journal(&entry))
}

fn killed_at_points(base: &Project, all: bool) {
    let (passed, unbroken, starts) = points(base);
    let mut count = 0;
    for (point, passings) in &passed {
        for nth in chosen(*passings, all) {
            killed_at(base, point, nth, &unbroken, &starts);
            count += 1;
        }
    }
    say(&format!("killed at {count} passings of {} points", passed.len()));
}

#[test]
fn a_run_killed_at_any_point_ends_the_same() {
    killed_at_points(&small(), std::env::var_os(KILLS).is_some());
}

#[test]
fn the_whole_sample_killed_at_its_points_ends_the_same() {
    if std::env::var_os(KILLS).is_some() {
        killed_at_points(&Project::sample(), false);
    }
}
