//! The readers on what the real runners printed, as `cargo xtask capture-runners` has kept it in `captured/`. How many tests each
//! project has is known from how it was made, and its first line says it.

use super::Runner::{
    CargoTest, GoPackages, GoTest, Jest, Junit, Mocha, Nextest, NodeTest, Pytest, Several, Tap,
    Unittest, Vitest,
};
use super::*;

pub(super) struct Captured {
    name: &'static str,
    /// The first line says where the rest comes from.
    pub(super) text: &'static str,
    expected: Option<(Runner, [u32; 3], &'static [&'static str])>,
}

macro_rules! captured {
    ($name:literal, None) => {
        Captured {
            name: $name,
            text: include_str!(concat!("captured/", $name, ".txt")),
            expected: None,
        }
    };
    ($name:literal, $runner:ident, $passed:literal, $failed:literal, $skipped:literal, $names:expr) => {
        Captured {
            name: $name,
            text: include_str!(concat!("captured/", $name, ".txt")),
            expected: Some(($runner, [$passed, $failed, $skipped], &$names)),
        }
    };
}

const UNITTEST_FAILED: [&str; 2] = [
    "test_fails_1 (test_small.SmallTest.test_fails_1)",
    "test_fails_2 (test_small.SmallTest.test_fails_2)",
];

/// Runner, passed, failed, skipped, and the names of the failed.
pub(super) const CAPTURED: &[Captured] = &[
    captured!("cargo-passing", CargoTest, 3, 0, 0, []),
    captured!("cargo-mixed", CargoTest, 4, 2, 1, ["tests::fails_1", "tests::fails_2"]),
    captured!("cargo-several", CargoTest, 5, 2, 1, ["tests::fails_1", "tests::fails_2"]),
    captured!("cargo-quiet", CargoTest, 5, 2, 1, ["tests::fails_1", "tests::fails_2"]),
    captured!("cargo-colour", CargoTest, 4, 2, 1, ["tests::fails_1", "tests::fails_2"]),
    captured!("cargo-none", CargoTest, 0, 0, 0, []),
    captured!("cargo-broken", None),
    captured!("cargo-aborting", CargoTest, 2, 1, 0, ["tests::z_takes_all_down"]),
    captured!("cargo-boasting", CargoTest, 2, 1, 0, ["tests::boasts"]),
    captured!("cargo-boasting-aloud", CargoTest, 2, 1, 0, ["tests::boasts"]),
    captured!("nextest-passing", Nextest, 3, 0, 0, []),
    captured!("nextest-mixed", Nextest, 4, 2, 1, ["small tests::fails_1", "small tests::fails_2"]),
    captured!("nextest-colour", Nextest, 4, 2, 1, ["small tests::fails_1", "small tests::fails_2"]),
    captured!("nextest-none", Nextest, 0, 0, 0, []),
    captured!("nextest-broken", None),
    captured!("nextest-boasting", Nextest, 2, 1, 0, ["small tests::boasts"]),
    captured!("nextest-junit", Junit, 2, 1, 0, ["tests::boasts"]),
    captured!("pytest-passing", Pytest, 3, 0, 0, []),
    captured!(
        "pytest-mixed",
        Pytest,
        4,
        2,
        1,
        ["test_small.py::test_fails_1", "test_small.py::test_fails_2"]
    ),
    captured!(
        "pytest-all-kinds",
        Pytest,
        4,
        2,
        1,
        ["test_small.py::test_fails_1", "test_other.py::test_cannot_begin"]
    ),
    captured!(
        "pytest-verbose",
        Pytest,
        4,
        2,
        1,
        ["test_small.py::test_fails_1", "test_other.py::test_cannot_begin"]
    ),
    captured!(
        "pytest-quiet",
        Pytest,
        4,
        2,
        1,
        ["test_small.py::test_fails_1", "test_other.py::test_cannot_begin"]
    ),
    captured!(
        "pytest-quieter",
        Pytest,
        4,
        2,
        1,
        ["test_small.py::test_fails_1", "test_other.py::test_cannot_begin"]
    ),
    captured!(
        "pytest-colour",
        Pytest,
        4,
        2,
        1,
        ["test_small.py::test_fails_1", "test_small.py::test_fails_2"]
    ),
    captured!("pytest-none", Pytest, 0, 0, 0, []),
    captured!("pytest-none-quiet", Pytest, 0, 0, 0, []),
    captured!("pytest-broken", Pytest, 0, 1, 0, ["test_small.py"]),
    captured!("pytest-boasting", Pytest, 2, 1, 0, ["test_boast.py::test_boasts"]),
    captured!("pytest-boasting-aloud", Pytest, 2, 1, 0, ["test_boast.py::test_boasts"]),
    captured!("pytest-twice", Pytest, 4, 0, 1, []),
    captured!("pytest-junit", Junit, 4, 2, 1, ["test_cannot_begin", "test_fails_1"]),
    captured!(
        "pytest-and-junit",
        Pytest,
        4,
        2,
        1,
        ["test_small.py::test_fails_1", "test_other.py::test_cannot_begin"]
    ),
    captured!("pytest-and-cargo", Several, 5, 1, 1, ["tests::fails_1"]),
    captured!("unittest-passing", Unittest, 3, 0, 0, []),
    captured!("unittest-mixed", Unittest, 4, 2, 1, UNITTEST_FAILED),
    captured!("unittest-verbose", Unittest, 4, 2, 1, UNITTEST_FAILED),
    captured!("unittest-quiet", Unittest, 4, 2, 1, UNITTEST_FAILED),
    captured!("unittest-none", Unittest, 0, 0, 0, []),
    captured!(
        "unittest-broken",
        Unittest,
        0,
        1,
        0,
        ["test_small (unittest.loader._FailedTest.test_small)"]
    ),
    captured!(
        "unittest-boasting",
        Unittest,
        2,
        1,
        0,
        ["test_boasts (test_boast.BoastTest.test_boasts)"]
    ),
    captured!("jest-passing", Jest, 3, 0, 0, []),
    captured!("jest-mixed", Jest, 4, 2, 1, ["fails 1", "fails 2"]),
    captured!("jest-colour", Jest, 4, 2, 1, ["fails 1", "fails 2"]),
    captured!("jest-none", Jest, 0, 0, 0, []),
    captured!("jest-broken", Jest, 0, 1, 0, ["Test suite failed to run"]),
    captured!("jest-boasting", Jest, 2, 1, 0, ["boasts"]),
    captured!("vitest-passing", Vitest, 3, 0, 0, []),
    captured!(
        "vitest-mixed",
        Vitest,
        4,
        2,
        1,
        ["other.test.js > fails 1", "other.test.js > fails 2"]
    ),
    captured!(
        "vitest-colour",
        Vitest,
        4,
        2,
        1,
        ["other.test.js > fails 1", "other.test.js > fails 2"]
    ),
    captured!("vitest-none", Vitest, 0, 0, 0, []),
    captured!("vitest-broken", Vitest, 0, 1, 0, ["bad.test.js [ bad.test.js ]"]),
    captured!("vitest-boasting", Vitest, 2, 1, 0, ["boast.test.js > boasts"]),
    captured!("vitest-junit", Junit, 4, 2, 1, ["fails 1", "fails 2"]),
    captured!("mocha-passing", Mocha, 3, 0, 0, []),
    captured!("mocha-mixed", Mocha, 4, 2, 1, ["small fails 1", "small fails 2"]),
    captured!("mocha-colour", Mocha, 4, 2, 1, ["small fails 1", "small fails 2"]),
    captured!("mocha-none", Mocha, 0, 0, 0, []),
    captured!("mocha-broken", None),
    captured!("mocha-boasting", Mocha, 2, 1, 0, ["boasts"]),
    captured!("mocha-tap", Tap, 4, 2, 1, ["small fails 1", "small fails 2"]),
    captured!("node-tap-passing", NodeTest, 3, 0, 0, []),
    captured!("node-tap-mixed", NodeTest, 4, 2, 1, ["fails 1", "fails 2"]),
    captured!("node-tap-broken", NodeTest, 0, 1, 0, ["/project/small.test.js"]),
    captured!("node-tap-boasting", NodeTest, 2, 1, 0, ["boasts"]),
    captured!("node-spec-passing", NodeTest, 3, 0, 0, []),
    captured!("node-spec-mixed", NodeTest, 4, 2, 1, ["fails 1", "fails 2"]),
    captured!("node-spec-colour", NodeTest, 4, 2, 1, ["fails 1", "fails 2"]),
    captured!("node-spec-broken", NodeTest, 0, 1, 0, ["/project/small.test.js"]),
    captured!("node-spec-boasting", NodeTest, 2, 1, 0, ["boasts"]),
    captured!("node-tap-none", NodeTest, 0, 0, 0, []),
    captured!("node-spec-none", NodeTest, 0, 0, 0, []),
    captured!("go-passing", GoPackages, 2, 0, 0, []),
    captured!("go-mixed", GoPackages, 1, 1, 0, ["TestFails1", "TestFails2"]),
    captured!("go-verbose-passing", GoTest, 3, 0, 0, []),
    captured!("go-verbose-mixed", GoTest, 4, 2, 1, ["TestFails1", "TestFails2"]),
    captured!(
        "go-json-mixed",
        GoTest,
        4,
        2,
        1,
        ["example.org/small TestFails1", "example.org/small TestFails2"]
    ),
    captured!("go-none", GoPackages, 0, 0, 0, []),
    captured!("go-broken", GoPackages, 0, 1, 0, ["example.org/small [build failed]"]),
    captured!("go-json-broken", GoPackages, 0, 1, 0, ["example.org/small"]),
    captured!("go-verbose-boasting", GoTest, 2, 1, 0, ["TestBoasts"]),
    captured!("go-json-boasting", GoTest, 2, 1, 0, ["example.org/small TestBoasts"]),
];

/// What the runner printed.
pub(super) fn output(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, output)| output)
}

#[test]
fn every_captured_output_is_counted_as_its_project_was_made() {
    for one in CAPTURED {
        let expected = one.expected.map(|(runner, [passed, failed, skipped], names)| TestCounts {
            runner,
            passed,
            failed,
            skipped,
            failed_names: names.iter().map(|name| (*name).to_string()).collect(),
        });
        assert_eq!(TestCounter::read(output(one.text).as_bytes()), expected, "{}", one.name);
    }
}

#[test]
fn the_first_line_of_a_captured_file_names_runner_version_command_and_what_it_was_made_of() {
    for one in CAPTURED {
        let first = one.text.lines().next().unwrap();
        let parts: Vec<&str> = first.strip_prefix("# ").unwrap().split(" | ").collect();
        let [runner, _command, made] = parts[..] else { panic!("{first}") };
        let (_, version) = runner.rsplit_once(' ').unwrap();
        let is_number = version.split('.').all(|part| part.parse::<u32>().is_ok());
        assert!(is_number && version.contains('.'), "{first}");
        let Some((runner, [passed, failed, skipped], _)) = one.expected else { continue };
        // Packages are no tests.
        if runner != GoPackages || failed == 0 && passed == 0 {
            let said = format!("made of {passed} passing, {failed} failing, {skipped} skipped");
            assert_eq!(made, said, "{}", one.name);
        }
    }
}

#[test]
fn two_runs_after_each_other_are_added_up() {
    for one in CAPTURED {
        let Some((runner, [passed, failed, skipped], _)) = one.expected else { continue };
        let twice = [output(one.text), output(one.text)].join("\n");
        let counts = TestCounter::read(twice.as_bytes()).unwrap();
        let sums = [counts.passed, counts.failed, counts.skipped];
        assert_eq!(
            (counts.runner, sums),
            (runner, [2 * passed, 2 * failed, 2 * skipped]),
            "{}",
            one.name
        );
    }
}

/// The lines up to the first with these words.
fn up_to(name: &str, words: &str) -> String {
    let one = CAPTURED.iter().find(|one| one.name == name).unwrap();
    let lines: Vec<&str> = output(one.text).lines().collect();
    let last = lines.iter().position(|line| line.contains(words)).unwrap();
    lines[..=last].join("\n")
}

#[test]
fn of_a_run_that_was_cut_off_the_tests_that_did_not_end_have_failed() {
    let check = |name: &str, words: &str, expected: [u32; 3]| {
        let counts = TestCounter::read(up_to(name, words).as_bytes()).unwrap();
        assert_eq!([counts.passed, counts.failed, counts.skipped], expected, "{name}");
    };
    check("cargo-passing", "tests::passes_1 ... ok", [1, 2, 0]);
    check("cargo-several", "tests::passes_1 ... ok", [1, 3, 1]);
    check("nextest-passing", "tests::passes_1", [1, 2, 0]);
    check("go-verbose-passing", "=== RUN   TestOuter/inner", [1, 2, 0]);
    check(
        "go-json-mixed",
        "\"run\",\"Package\":\"example.org/small\",\"Test\":\"TestFails1\"",
        [2, 1, 0],
    );
}

#[test]
fn an_honest_output_that_was_cut_off_never_tells_of_more_passed_tests() {
    for one in CAPTURED.iter().filter(|one| !one.name.contains("boasting")) {
        let Some((_, [passed, ..], _)) = one.expected else { continue };
        let lines: Vec<&str> = output(one.text).lines().collect();
        for end in 0..lines.len() {
            let counts = TestCounter::read(lines[..end].join("\n").as_bytes());
            assert!(counts.is_none_or(|counts| counts.passed <= passed), "{} to {end}", one.name);
        }
    }
}

#[test]
fn counts_are_stored_under_these_names() {
    let (runner, failed_names) = (Runner::GoPackages, vec!["a".to_string()]);
    let counts = TestCounts { runner, passed: 1, failed: 2, skipped: 3, failed_names };
    let json = r#"{"runner":"go_packages","passed":1,"failed":2,"skipped":3,"failed_names":["a"]}"#;
    assert_eq!(serde_json::to_string(&counts).unwrap(), json);
    assert_eq!(serde_json::from_str::<TestCounts>(json).unwrap(), counts);
}
