//! `autopilot logs` with words that choose lines.

use super::autopilot;
use super::replay::{project_with, records};

#[test]
fn a_phase_and_a_step_keep_their_own_lines() {
    let project = project_with(&records());
    let lines = |arguments: &[&str]| {
        let ended = autopilot(project.root()).run(&[&["logs"], arguments].concat()).unwrap();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{arguments:?}");
        ended.stdout
    };
    let all = lines(&[]);
    let of_phase: Vec<&str> = all.lines().filter(|line| line.contains("[Phase 2] ")).collect();
    assert_eq!(lines(&["2"]).lines().collect::<Vec<_>>(), of_phase);
    let gate = lines(&["2", "gate"]);
    assert_eq!(gate.lines().count(), 2, "{gate}");
    assert_eq!(lines(&["2", "gat"]), "", "a step has a whole name");
}

#[test]
fn a_phase_the_run_does_not_have_is_refused() {
    let project = project_with(&records());
    for (name, phase) in [("logs_no_phase", "executor"), ("logs_other_phase", "42")] {
        let ended = autopilot(project.root()).run(&["logs", phase]).unwrap();
        insta::assert_snapshot!(name, ended.shown(project.root()));
        assert_eq!(ended.code, 2);
    }
}
