//! What the engine saw when it ran a check itself. This, never an agent's word, is what a verdict rests on (invariant 13).

use std::fmt;
use std::str::FromStr;

use crate::run::definition::CheckOrder;
use crate::test_counts::TestCounts;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Which check: one of the project's, a criterion's or a task's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckName {
    Compile,
    Lint,
    Test,
    Build,
    /// The phase's criterion of that number, counted from 1.
    Criterion(u32),
    /// The task's own check of that number, counted from 1.
    Task(u32),
}

impl fmt::Display for CheckName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckName::Compile => f.write_str("compile"),
            CheckName::Lint => f.write_str("lint"),
            CheckName::Test => f.write_str("test"),
            CheckName::Build => f.write_str("build"),
            CheckName::Criterion(number) => write!(f, "criterion {number}"),
            CheckName::Task(number) => write!(f, "task check {number}"),
        }
    }
}

impl FromStr for CheckName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |prefix: &str| text.strip_prefix(prefix)?.parse().ok();
        match text {
            "compile" => Ok(CheckName::Compile),
            "lint" => Ok(CheckName::Lint),
            "test" => Ok(CheckName::Test),
            "build" => Ok(CheckName::Build),
            _ => number("criterion ")
                .map(CheckName::Criterion)
                .or_else(|| number("task check ").map(CheckName::Task))
                .ok_or_else(|| format!("{text:?} is no check")),
        }
    }
}

impl Serialize for CheckName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CheckName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// One check, run once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    pub check: CheckName,
    pub command: String,
    pub result: CheckResult,
    /// It was red and, run once more on the same tree, green (GATE-5). Never silently green.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_flaky: bool,
    /// What a test runner we know said of its tests; none where it is judged by its exit code alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCounts>,
    pub took_ms: u64,
    /// Of the whole output, so that it can be told from another one.
    pub output_hash: String,
    /// The last lines of it, bounded.
    pub tail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum CheckResult {
    Green,
    Red {
        /// None when a signal ended it.
        exit: Option<i32>,
    },
    /// It ran into its time limit; what it would have said is unknown, so it is not green.
    TimedOut,
    /// The program could not be started.
    NotRun,
    /// It ended well and ran none of the tests it is there for: its filter fits no name, its folder has none. Nothing was seen.
    NoTests,
}

impl CheckResult {
    pub fn is_green(self) -> bool {
        self == CheckResult::Green
    }

    /// The same, with a look at the tests that were run. A criterion's and a task's own check names what it wants to see; where that is
    /// tests and there were none, it saw nothing, whatever its exit code (GATE-2). What else a command of several did, nobody knows.
    pub fn with_tests(self, order: &CheckOrder, tests: Option<&TestCounts>) -> CheckResult {
        let is_own = matches!(order.name, CheckName::Criterion(_) | CheckName::Task(_));
        let is_one = !order.command.contains(['&', '|', ';', '\n']);
        match self {
            CheckResult::Green
                if is_own && is_one && tests.is_some_and(TestCounts::is_none_run) =>
            {
                CheckResult::NoTests
            }
            seen => seen,
        }
    }
}

/// The checks of a list that are not green, by name.
pub fn reds(measured: &[Measured]) -> Vec<CheckName> {
    measured.iter().filter(|one| !one.result.is_green()).map(|one| one.check).collect()
}

/// Those that speak against the work: checks that were flaky before it cannot do so alone (GATE-5). One that did not run is no flaky
/// one: nothing was seen of it (GATE-2).
pub fn reds_against(measured: &[Measured], before: &[Measured]) -> Vec<CheckName> {
    let was_flaky = |check: CheckName| before.iter().any(|one| one.check == check && one.is_flaky);
    let is_excused = |one: &Measured| match one.result {
        CheckResult::Green => true,
        CheckResult::Red { .. } => was_flaky(one.check),
        CheckResult::TimedOut | CheckResult::NotRun | CheckResult::NoTests => false,
    };
    if measured.iter().all(is_excused) { Vec::new() } else { reds(measured) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_counts::Runner;

    fn seen(check: CheckName, result: CheckResult, is_flaky: bool) -> Measured {
        let (command, output_hash, tail) = (String::new(), String::new(), String::new());
        Measured { check, command, result, is_flaky, tests: None, took_ms: 1, output_hash, tail }
    }

    #[test]
    fn a_check_that_was_flaky_before_speaks_only_with_others() {
        let red = CheckResult::Red { exit: Some(1) };
        let before = [
            seen(CheckName::Test, CheckResult::Green, true),
            seen(CheckName::Lint, CheckResult::Green, false),
        ];
        let alone =
            [seen(CheckName::Test, red, false), seen(CheckName::Lint, CheckResult::Green, false)];
        assert_eq!(reds_against(&alone, &before), []);
        assert_eq!(reds_against(&alone, &[]), [CheckName::Test]);
        for unseen in [CheckResult::NotRun, CheckResult::TimedOut] {
            let alone = [seen(CheckName::Test, unseen, false)];
            assert_eq!(reds_against(&alone, &before), [CheckName::Test]);
        }
        let both = [seen(CheckName::Test, red, false), seen(CheckName::Lint, red, false)];
        assert_eq!(reds_against(&both, &before), [CheckName::Test, CheckName::Lint]);
    }

    #[test]
    fn a_check_of_its_own_that_ran_no_test_saw_nothing() {
        let tests = |passed, failed, skipped| {
            let failed_names = Vec::new();
            Some(TestCounts { runner: Runner::CargoTest, passed, failed, skipped, failed_names })
        };
        let check = |name: CheckName, command: &str, tests: Option<TestCounts>, expected| {
            let order = CheckOrder { name, command: command.to_string(), is_hidden: false };
            let seen = CheckResult::Green.with_tests(&order, tests.as_ref());
            assert_eq!(seen, expected, "{name} {command}");
        };
        let (own, task) = (CheckName::Criterion(1), CheckName::Task(1));
        check(own, "cargo test kelvin", tests(0, 0, 0), CheckResult::NoTests);
        check(task, "cargo test kelvin", tests(0, 0, 0), CheckResult::NoTests);
        check(own, "cargo test kelvin", tests(0, 0, 3), CheckResult::NoTests);
        check(own, "cargo test kelvin", tests(1, 0, 0), CheckResult::Green);
        check(own, "cargo test kelvin", None, CheckResult::Green);
        check(own, "cargo test kelvin && ./smoke.sh", tests(0, 0, 0), CheckResult::Green);
        check(CheckName::Test, "cargo test", tests(0, 0, 0), CheckResult::Green);
        let order = CheckOrder { name: own, command: "c".to_string(), is_hidden: false };
        let red = CheckResult::Red { exit: Some(1) };
        assert_eq!(red.with_tests(&order, tests(0, 0, 0).as_ref()), red);
    }

    #[test]
    fn the_name_of_a_check_is_read_back() {
        let names = [
            CheckName::Compile,
            CheckName::Lint,
            CheckName::Test,
            CheckName::Build,
            CheckName::Criterion(3),
            CheckName::Task(12),
        ];
        for name in names {
            assert_eq!(name.to_string().parse(), Ok(name));
        }
        assert!("criterion x".parse::<CheckName>().is_err());
    }
}
