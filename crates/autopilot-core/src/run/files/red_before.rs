//! What a user is told when checks do not hold on the commit a run would start from: which, what they said, and what can be done.

use crate::finding::printable;
use crate::run::measured::{CheckResult, Measured};
use crate::run::outcome::Halt;
use crate::run::state::{RunState, RunStatus};

/// Lines of a check's output that are shown; the rest is in the journal.
const LINES_MAX: usize = 4;

/// Empty unless the run was halted for it.
pub(super) fn lines(state: &RunState) -> Vec<String> {
    let RunStatus::Halted(Halt::RedBaseline { .. }) = &state.status else { return Vec::new() };
    let red = state.baseline.iter().flatten().filter(|one| !one.result.is_green());
    let red: Vec<&Measured> = red.collect();
    let mut lines: Vec<String> = red.iter().flat_map(|one| of_check(one)).collect();
    let is_not_run = |one: &&&Measured| one.result == CheckResult::NotRun;
    lines.push(match red.iter().find(is_not_run) {
        Some(_) => "mend it, or say in the setting worktree_setup what a fresh checkout needs before its checks can run".to_string(),
        None => "mend it, or run with --accept-red".to_string(),
    });
    lines
}

fn of_check(one: &Measured) -> Vec<String> {
    let how = match one.result {
        CheckResult::Green => "is green",
        CheckResult::Red { .. } => "is red",
        CheckResult::TimedOut => "timed out",
        CheckResult::NotRun => "could not be run",
        CheckResult::NoTests => "ran no test",
    };
    let said: Vec<&str> = one.tail.lines().filter(|line| is_telling(line)).collect();
    // What could not be started says why first, what failed says it last.
    let first = if one.result == CheckResult::NotRun { 1 } else { 0 };
    let (first, rest) = said.split_at(first.min(said.len()));
    let last = &rest[rest.len().saturating_sub(LINES_MAX)..];
    let told = first.iter().chain(last).map(|line| format!("  | {}", printable(line.trim_end())));
    let mut lines = vec![format!("{} {how}: {}", one.check, one.command)];
    lines.extend(told);
    lines
}

/// Whether somebody learns something from a line of output: none of those that npm ends everything with.
fn is_telling(line: &str) -> bool {
    let line = line.trim();
    let is_noise = ["npm notice", "npm error A complete log", "npm error Run \"npm help"]
        .iter()
        .any(|start| line.starts_with(start));
    !line.is_empty() && line != "npm error" && !is_noise
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::fixture::Scene;
    use crate::run::measured::CheckName;

    #[test]
    fn the_user_is_told_what_was_said_and_what_to_do() {
        let mut scene = Scene::new();
        scene.measure(&[CheckName::Test]);
        let mut measured = scene.work.candidate.evidence.clone().unwrap();
        let mut told = |result: CheckResult, tail: &str| {
            measured[0].result = result;
            measured[0].tail = tail.to_string();
            scene.run.baseline = Some(measured.clone());
            let checks = vec![CheckName::Test];
            scene.run.status = RunStatus::Halted(Halt::RedBaseline { checks });
            lines(&scene.run).join("\n")
        };
        assert_eq!(
            told(CheckResult::Red { exit: Some(1) }, "1\n2\n3\n\n4\n5 failed\n"),
            "test is red: make test\n  | 2\n  | 3\n  | 4\n  | 5 failed\nmend it, or run with --accept-red"
        );
        assert_eq!(
            told(CheckResult::NotRun, "`npm ci` failed:\n1\n2\n3\n4\n5\n"),
            "test could not be run: make test\n  | `npm ci` failed:\n  | 2\n  | 3\n  | 4\n  | 5\n\
             mend it, or say in the setting worktree_setup what a fresh checkout needs before its checks can run"
        );
        let npm =
            "`npm ci` failed:\nnpm error Missing: a@1 from lock file\nnpm error\nnpm notice new\n";
        assert!(told(CheckResult::NotRun, npm).contains("Missing: a@1 from lock file\nmend it"));
        scene.run.status = RunStatus::Running;
        assert_eq!(lines(&scene.run), [""; 0]);
    }
}
