//! Scripts that run checks and were made to forgive: a command whose failure ended them is let fail now.

use super::language::{Language, file_name, is_test_path};
use super::{Doubt, DoubtKind, FileChange, doubt};
use crate::finding::quote;

/// Names of scripts that exist to fail.
const CHECKING: [&str; 8] =
    ["check", "checks", "ci", "lint", "verify", "build", "run-tests", "run_tests"];
const FOLDERS: [&str; 3] = ["ci", ".ci", ".github"];
/// How a command ends whose failure is thrown away.
const FORGIVEN: [&str; 4] = ["|| true", "||true", "|| :", "; true"];

pub(super) fn look(changes: &[FileChange<'_>]) -> Vec<Doubt> {
    let checks = changes.iter().filter(|change| runs_checks(change.path));
    checks.flat_map(|change| of_script(change).unwrap_or_default()).collect()
}

fn runs_checks(path: &str) -> bool {
    let stem = file_name(path).split('.').next().unwrap_or_default();
    let is_there = path.split('/').rev().skip(1).any(|folder| FOLDERS.contains(&folder));
    let is_script = Language::of(path) == Some(Language::Shell);
    is_script && (is_test_path(path) || CHECKING.contains(&stem) || is_there)
}

fn of_script(change: &FileChange<'_>) -> Option<Vec<Doubt>> {
    let (before, after) = (change.before?, change.after?);
    let had = |command: &str| before.lines().any(|line| line.trim() == command);
    let told = |line: Option<usize>, fact: String| {
        let line = line.and_then(|line| u32::try_from(line + 1).ok());
        doubt(DoubtKind::SettingLoosened, change.path, line, fact)
    };
    let mut doubts = Vec::new();
    for (at, line) in after.lines().enumerate() {
        let line = line.trim();
        let command = FORGIVEN.iter().find_map(|end| line.strip_suffix(end)).map(str::trim_end);
        if let Some(command) = command.filter(|command| !command.is_empty() && had(command)) {
            let fact =
                format!("a failure of {} is ignored now, by what follows it", quote(command));
            doubts.push(told(Some(at), fact));
        }
    }
    if stops_at_failures(before) && !stops_at_failures(after) {
        doubts
            .push(told(None, "it no longer stops when a command fails: \"set -e\" is gone".into()));
    }
    Some(doubts)
}

fn stops_at_failures(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let is_switch =
        |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('e');
    lines.any(|line| {
        let mut words = line.split_whitespace();
        let is_set = words.next().is_some_and(|word| word == "set" || word.starts_with("#!"));
        is_set && (words.clone().any(is_switch) || line.contains("errexit"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(path: &str, before: &str, after: &str) -> Vec<(Option<u32>, String)> {
        let change =
            FileChange { path, before: Some(before), after: Some(after), renamed_from: None };
        look(&[change]).into_iter().map(|doubt| (doubt.line, doubt.fact)).collect()
    }

    const RUNNER: &str = "#!/bin/sh\nset -eu\nfor t in tests/*.sh; do\n    sh \"$t\"\ndone\n";

    #[test]
    fn a_command_of_a_check_that_may_fail_now_is_found() {
        let after = RUNNER.replace("sh \"$t\"", "sh \"$t\" || true");
        let found = facts("ci/test.sh", RUNNER, &after);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, Some(4));
        assert!(found[0].1.contains("is ignored now"), "{found:?}");
        assert_eq!(facts("deploy/clean.sh", RUNNER, &after), [], "no script of checks");
        assert_eq!(facts("ci/test.sh", &after, RUNNER), [], "taken out again");
        let more = format!("{RUNNER}rm -f log || true\n");
        assert_eq!(facts("ci/test.sh", RUNNER, &more), [], "nothing that counted before");
    }

    #[test]
    fn a_script_that_goes_on_after_failures_is_found() {
        let after = RUNNER.replace("set -eu\n", "set -u\n");
        assert_eq!(facts("check.sh", RUNNER, &after).len(), 1);
        let other = RUNNER.replace("set -eu", "set -o errexit -o nounset");
        assert_eq!(facts("check.sh", RUNNER, &other), []);
        let first = RUNNER.replace("#!/bin/sh\nset -eu\n", "#!/bin/sh -eu\n");
        assert_eq!(facts("check.sh", RUNNER, &first), []);
    }
}
