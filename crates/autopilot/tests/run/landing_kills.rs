//! Killed at every point that a merge and a rollback pass, and asked again: nothing is lost, nothing is done twice.

use std::collections::BTreeMap;

use autopilot_testkit::say;

use super::KILLED;
use super::fault_points::{KILLS, resume_to_the_end, small};
use super::landing::{assert_whole, run_branch, status, tip};
use super::outcome::records;
use super::project::Project;
use super::rolled_back;

/// A point and its number among the passings of that name, in the order they are passed.
pub(crate) fn points(project: &Project, arguments: &[&str]) -> Vec<(String, u64)> {
    let log = project.around().join("points");
    let command = project.command().variable("AUTOPILOT_FAULT_LOG", log.to_str().unwrap());
    let ended = command.run(arguments).unwrap();
    assert_eq!(ended.code, 0, "{ended:?}");
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let text = std::fs::read_to_string(&log).unwrap();
    let numbered = text.lines().map(|name| {
        let count = counts.entry(name.to_string()).or_default();
        *count += 1;
        (name.to_string(), *count)
    });
    numbered.collect()
}

/// What the work came to: commits by their words and files, so that two that were made at other times compare.
#[derive(Debug, PartialEq)]
struct Came {
    branches: BTreeMap<String, Vec<String>>,
    rescues: Vec<String>,
    status: String,
    ledger: Vec<String>,
    moves: usize,
    ends: Vec<String>,
}

fn came(project: &Project, phases: &[&str]) -> Came {
    let (run, records) = records(project);
    let refs = |below: &str| {
        let listed = project.git(&["for-each-ref", "--format=%(refname)", below]);
        listed.lines().map(ToString::to_string).collect::<Vec<_>>()
    };
    let history = |name: &String| {
        let log = project.git(&["log", "--format=%s %T", name]);
        // The trees of runs that began at other times differ by their receipts; how many there are does not.
        log.lines().map(|line| line.rsplit_once(' ').unwrap().0.to_string()).collect()
    };
    let plain = |name: &String| name.replace(&run, "RUN");
    let ends = ["run_merged", "merge_refused", "rollback_completed", "rollback_refused"];
    let ended = records.iter().map(|record| record.event.name());
    Came {
        branches: refs("refs/heads").iter().map(|name| (plain(name), history(name))).collect(),
        rescues: refs("refs/autopilot").iter().map(plain).collect(),
        status: status(project),
        ledger: phases.iter().map(|phase| rolled_back::outcome_of(project, phase)).collect(),
        moves: project.git(&["reflog", "show", "main"]).lines().count(),
        ends: ended.filter(|name| ends.contains(name)).map(ToString::to_string).collect(),
    }
}

/// Kills the command at each of these points and gives it once more, until it ends.
fn killed_at(base: &Project, arguments: &[&str], again: &[&str], chosen: &[(String, u64)]) {
    let phases = ["1"];
    let unbroken = base.copy();
    let ended = unbroken.run(arguments);
    assert_eq!(ended.code, 0, "{ended:?}");
    let expected = came(&unbroken, &phases);
    for (point, nth) in chosen {
        let context = format!("{arguments:?} {point}:{nth}");
        let project = base.copy();
        let fault = format!("{point}:{nth}:kill");
        let killed = project.command().variable("AUTOPILOT_FAULT", &fault).run(arguments).unwrap();
        if killed.code == 0 && is_paced(point) {
            continue;
        }
        assert_eq!(killed.code, KILLED, "{context}: {killed:?}");
        match again {
            ["resume"] if !is_over(&project) => {
                resume_to_the_end(&project, &context);
            }
            ["resume"] => {}
            again => {
                let ended = project.run(again);
                // A rollback that was done when it was killed has nothing left to take back.
                let is_done = ended.code == 2 && again[0] == "rollback";
                assert!(ended.code == 0 || is_done, "{context}: {ended:?}");
            }
        }
        assert_eq!(came(&project, &phases), expected, "{context}");
        assert_whole(&project, &context);
        let verified = project.run(&["journal", "verify"]);
        assert_eq!(verified.code, 0, "{context}: {verified:?}");
        let replayed = project.run(&["replay"]);
        assert_eq!(replayed.code, 0, "{context}: {replayed:?}");
    }
    say(&format!("killed {arguments:?} at {} points", chosen.len()));
}

/// How often `state.json` is written depends on how long a run takes: what a busy machine passed four times an idle one passes
/// three times.
fn is_paced(point: &str) -> bool {
    ["backup.", "file.", "folder."].iter().any(|name| point.starts_with(name))
}

fn is_over(project: &Project) -> bool {
    let journals = std::fs::read_dir(project.state().join("journal")).unwrap();
    journals.count() == 0
}

/// Every passing, or where that would take too long every so manieth, and each name at least once.
pub(crate) fn some(points: Vec<(String, u64)>, every: usize) -> Vec<(String, u64)> {
    let every = if std::env::var_os(KILLS).is_some() { 1 } else { every };
    let chosen = points.into_iter().enumerate();
    let is_chosen = |(at, (name, nth)): &(usize, (String, u64))| {
        at % every == 0 || *nth == 1 || name.starts_with("landing") || name.starts_with("take_back")
    };
    chosen.filter(is_chosen).map(|(_, point)| point).collect()
}

#[test]
fn a_merge_by_hand_killed_at_any_point_is_merged_once() {
    let base = small();
    assert_eq!(base.run(&["run", "--complete"]).code, 0);
    let points = points(&base.copy(), &["merge"]);
    assert!(points.iter().any(|(name, _)| name == "landing.index"), "{points:?}");
    killed_at(&base, &["merge"], &["merge"], &some(points, 3));
}

#[test]
fn a_run_killed_while_it_merges_is_merged_once() {
    let base = small();
    let arguments = ["run", "--complete", "--merge"];
    let points = points(&base.copy(), &arguments);
    let begins = points.iter().position(|(name, _)| name == "landing.begin").unwrap();
    // The order is on disk and the first looks are taken before anything of the user's is touched.
    let of_the_merge = points[begins.saturating_sub(40)..].to_vec();
    killed_at(&base, &arguments, &["resume"], &some(of_the_merge, 5));
}

#[test]
fn a_rollback_killed_at_any_point_takes_back_once() {
    let base = rolled_back::ended();
    for phase in ["3", "1"] {
        let arguments = ["rollback", phase];
        let points = points(&base.copy(), &arguments);
        assert!(points.iter().any(|(name, _)| name == "take_back.refs"), "{points:?}");
        killed_at(&base, &arguments, &arguments, &some(points, 8));
    }
}

#[test]
fn a_rollback_of_merged_work_killed_at_any_point_takes_back_once() {
    let base = rolled_back::ended();
    assert_eq!(base.run(&["merge"]).code, 0);
    let arguments = ["rollback", "1"];
    let points = points(&base.copy(), &arguments);
    killed_at(&base, &arguments, &arguments, &some(points, 8));
}

/// A git that is killed in the middle of writing files leaves some of them new, one begun, and others as they were.
#[test]
fn files_that_a_killed_git_left_half_way_are_brought_to_their_end_and_a_persons_are_not() {
    let base = Project::three((1..=3).flat_map(rolled_back::work).collect());
    assert_eq!(base.run(&["run", "1"]).code, 0);
    let cut_off = || {
        let project = base.copy();
        let fault = "landing.files:1:kill";
        let killed = project.command().variable("AUTOPILOT_FAULT", fault).run(&["merge"]).unwrap();
        assert_eq!(killed.code, KILLED, "{killed:?}");
        project
    };
    let put = |project: &Project, name: &str, text: &str| {
        let path = project.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let project = cut_off();
    put(&project, "lib/1", "par");
    put(&project, "tests/1.sh", "grep -q part lib/1\n");
    let refused = project.run(&["run", "2"]);
    assert!(refused.code == 2 && refused.stderr.contains("cut off"), "{refused:?}");
    let merged = project.run(&["merge"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    assert_eq!(tip(&project, "main"), tip(&project, &run_branch(&project)));
    assert_eq!(status(&project), "");
    assert_whole(&project, "half way");
    for (name, text) in [("lib/1", "mine"), ("lib/README", "mine"), ("new.txt", "mine")] {
        let project = cut_off();
        put(&project, name, text);
        let refused = project.run(&["merge"]);
        assert_eq!(refused.code, 2, "{name}: {refused:?}");
        assert!(refused.stderr.contains(&format!("{name} is not committed")), "{refused:?}");
        assert_eq!(std::fs::read_to_string(project.root().join(name)).unwrap(), text);
    }
}
