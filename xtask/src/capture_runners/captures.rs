//! What is captured: the file, the project it is made of, and the command. A name begins with its runner.

use super::Made;
use super::projects::{self as p, Files};
use super::tools::Which;

pub(super) struct Capture {
    /// Without its ending.
    pub(super) file: &'static str,
    pub(super) tool: Which,
    pub(super) made: Made,
    pub(super) files: fn(Made) -> Files,
    pub(super) command: &'static str,
    /// Although no test fails: there is none, or nothing compiles.
    pub(super) ends_red: bool,
}

const NONE: (u32, u32, u32) = (0, 0, 0);
const GOOD: (u32, u32, u32) = (3, 0, 0);
const MIXED: (u32, u32, u32) = (4, 2, 1);
const BOAST: (u32, u32, u32) = (2, 1, 0);

/// The ordinary case: it ends red when a test fails.
const fn take(
    file: &'static str,
    tool: Which,
    made: (u32, u32, u32),
    files: fn(Made) -> Files,
    command: &'static str,
) -> Capture {
    let made = Made { passing: made.0, failing: made.1, skipped: made.2 };
    Capture { file, tool, made, files, command, ends_red: false }
}

const fn red(
    file: &'static str,
    tool: Which,
    files: fn(Made) -> Files,
    command: &'static str,
) -> Capture {
    let made = Made { passing: 0, failing: 0, skipped: 0 };
    Capture { file, tool, made, files, command, ends_red: true }
}

use Which::{CargoTest, Go, Jest, Mocha, Nextest, Node, Pytest, Python, Vitest};

pub(super) const CAPTURES: &[Capture] = &[
    take("cargo-passing", CargoTest, GOOD, p::rust, "cargo test"),
    take("cargo-mixed", CargoTest, MIXED, p::rust, "cargo test"),
    take("cargo-several", CargoTest, (5, 2, 1), p::rust_several, "cargo test --no-fail-fast"),
    take("cargo-quiet", CargoTest, (5, 2, 1), p::rust_several, "cargo test -q --no-fail-fast"),
    take(
        "cargo-colour",
        CargoTest,
        MIXED,
        p::rust,
        "CARGO_TERM_COLOR=always cargo test -- --color always",
    ),
    take("cargo-none", CargoTest, NONE, p::rust, "cargo test"),
    red("cargo-broken", CargoTest, p::rust_broken, "cargo test"),
    take("cargo-aborting", CargoTest, BOAST, p::rust_aborting, "cargo test"),
    take("cargo-boasting", CargoTest, BOAST, p::rust_boasting, "cargo test"),
    take("cargo-boasting-aloud", CargoTest, BOAST, p::rust_boasting, "cargo test -- --nocapture"),
    take("nextest-passing", Nextest, GOOD, p::rust, "cargo nextest run"),
    take("nextest-mixed", Nextest, MIXED, p::rust, "cargo nextest run --no-fail-fast"),
    take(
        "nextest-colour",
        Nextest,
        MIXED,
        p::rust,
        "cargo nextest run --no-fail-fast --color always",
    ),
    red("nextest-none", Nextest, p::rust, "cargo nextest run"),
    red("nextest-broken", Nextest, p::rust_broken, "cargo nextest run"),
    take("nextest-boasting", Nextest, BOAST, p::rust_boasting, "cargo nextest run --no-fail-fast"),
    take(
        "nextest-junit",
        Nextest,
        BOAST,
        p::rust_boasting_report,
        "cargo nextest run --no-fail-fast 2>log; code=$?; cat target/nextest/default/report.xml; exit $code",
    ),
    take("pytest-passing", Pytest, GOOD, p::python, "pytest"),
    take("pytest-mixed", Pytest, MIXED, p::python, "pytest"),
    take("pytest-all-kinds", Pytest, MIXED, p::python_all_kinds, "pytest"),
    take("pytest-verbose", Pytest, MIXED, p::python_all_kinds, "pytest -v"),
    take("pytest-quiet", Pytest, MIXED, p::python_all_kinds, "pytest -q"),
    take("pytest-quieter", Pytest, MIXED, p::python_all_kinds, "pytest -qq"),
    take("pytest-colour", Pytest, MIXED, p::python, "pytest --color=yes"),
    red("pytest-none", Pytest, p::nothing, "pytest"),
    red("pytest-none-quiet", Pytest, p::nothing, "pytest -q"),
    take("pytest-broken", Pytest, (0, 1, 0), p::python_broken, "pytest"),
    take("pytest-boasting", Pytest, BOAST, p::python_boasting, "pytest"),
    take("pytest-boasting-aloud", Pytest, BOAST, p::python_boasting, "pytest -q -s"),
    take(
        "pytest-twice",
        Pytest,
        (4, 0, 1),
        p::python_two_files,
        "pytest -q test_small.py && pytest -q test_more.py",
    ),
    take(
        "pytest-junit",
        Pytest,
        MIXED,
        p::python_all_kinds,
        "pytest -q --junitxml=report.xml >log; code=$?; cat report.xml; exit $code",
    ),
    take(
        "pytest-and-junit",
        Pytest,
        MIXED,
        p::python_all_kinds,
        "pytest -q --junitxml=report.xml; code=$?; cat report.xml; exit $code",
    ),
    take("pytest-and-cargo", Pytest, (5, 1, 1), p::rust_and_python, "pytest; cargo test"),
    take("unittest-passing", Python, GOOD, p::unittest, "python3 -m unittest"),
    take("unittest-mixed", Python, MIXED, p::unittest, "python3 -m unittest"),
    take("unittest-verbose", Python, MIXED, p::unittest, "python3 -m unittest -v"),
    take("unittest-quiet", Python, MIXED, p::unittest, "python3 -m unittest -q"),
    take("unittest-none", Python, NONE, p::nothing, "python3 -m unittest"),
    take("unittest-broken", Python, (0, 1, 0), p::python_broken, "python3 -m unittest"),
    take("unittest-boasting", Python, BOAST, p::unittest_boasting, "python3 -m unittest"),
    take("jest-passing", Jest, GOOD, p::jest, "jest"),
    take("jest-mixed", Jest, MIXED, p::jest, "jest"),
    take("jest-colour", Jest, MIXED, p::jest, "jest --colors"),
    red("jest-none", Jest, p::jest, "jest"),
    take("jest-broken", Jest, (0, 1, 0), p::jest_broken, "jest"),
    take("jest-boasting", Jest, BOAST, p::jest_boasting, "jest"),
    take("vitest-passing", Vitest, GOOD, p::vitest, "vitest run"),
    take("vitest-mixed", Vitest, MIXED, p::vitest, "vitest run"),
    take("vitest-colour", Vitest, MIXED, p::vitest, "FORCE_COLOR=1 vitest run"),
    red("vitest-none", Vitest, p::vitest, "vitest run"),
    take("vitest-broken", Vitest, (0, 1, 0), p::jest_broken, "vitest run"),
    take("vitest-boasting", Vitest, BOAST, p::vitest_boasting, "vitest run"),
    take("vitest-junit", Vitest, MIXED, p::vitest, "vitest run --reporter=junit"),
    take("mocha-passing", Mocha, GOOD, p::mocha, "mocha"),
    take("mocha-mixed", Mocha, MIXED, p::mocha, "mocha"),
    take("mocha-colour", Mocha, MIXED, p::mocha, "mocha --color"),
    take("mocha-none", Mocha, NONE, p::mocha_nothing, "mocha"),
    red("mocha-broken", Mocha, p::mocha_broken, "mocha"),
    take("mocha-boasting", Mocha, BOAST, p::mocha_boasting, "mocha"),
    take("mocha-tap", Mocha, MIXED, p::mocha, "mocha --reporter tap"),
    take("node-tap-passing", Node, GOOD, p::node, "node --test --test-reporter=tap"),
    take("node-tap-mixed", Node, MIXED, p::node, "node --test --test-reporter=tap"),
    take("node-tap-broken", Node, (0, 1, 0), p::node_broken, "node --test --test-reporter=tap"),
    take("node-tap-boasting", Node, BOAST, p::node_boasting, "node --test --test-reporter=tap"),
    take("node-spec-passing", Node, GOOD, p::node, "node --test --test-reporter=spec"),
    take("node-spec-mixed", Node, MIXED, p::node, "node --test --test-reporter=spec"),
    take(
        "node-spec-colour",
        Node,
        MIXED,
        p::node,
        "FORCE_COLOR=1 node --test --test-reporter=spec",
    ),
    take("node-spec-broken", Node, (0, 1, 0), p::node_broken, "node --test --test-reporter=spec"),
    take("node-spec-boasting", Node, BOAST, p::node_boasting, "node --test --test-reporter=spec"),
    take("node-tap-none", Node, NONE, p::nothing, "node --test --test-reporter=tap"),
    take("node-spec-none", Node, NONE, p::nothing, "node --test --test-reporter=spec"),
    take("go-passing", Go, GOOD, p::go, "go test ./..."),
    take("go-mixed", Go, MIXED, p::go, "go test ./..."),
    take("go-verbose-passing", Go, GOOD, p::go, "go test -v ./..."),
    take("go-verbose-mixed", Go, MIXED, p::go, "go test -v ./..."),
    take("go-json-mixed", Go, MIXED, p::go, "go test -json ./..."),
    take("go-none", Go, NONE, p::go_nothing, "go test ./..."),
    take("go-broken", Go, (0, 1, 0), p::go_broken, "go test ./..."),
    take("go-json-broken", Go, (0, 1, 0), p::go_broken, "go test -json ./..."),
    take("go-verbose-boasting", Go, BOAST, p::go_boasting, "go test -v ./..."),
    take("go-json-boasting", Go, BOAST, p::go_boasting, "go test -json ./..."),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::program::root;

    const TABLE: &str =
        include_str!("../../../crates/autopilot-core/src/test_counts/captured_tests.rs");
    /// A clone stays small, and a runner whose words nobody reads is left out.
    const ALL_BYTES_MAX: u64 = 100_000;

    #[test]
    fn every_capture_has_its_file_and_its_row_in_the_table_and_no_file_is_left_over() {
        let (mut files, mut bytes) = (BTreeSet::new(), 0);
        for entry in std::fs::read_dir(root().join(super::super::FOLDER)).unwrap() {
            let entry = entry.unwrap();
            bytes += entry.metadata().unwrap().len();
            files.insert(entry.file_name().into_string().unwrap());
        }
        let captured: BTreeSet<String> =
            CAPTURES.iter().map(|one| format!("{}.txt", one.file)).collect();
        assert_eq!(captured, files);
        assert!(bytes <= ALL_BYTES_MAX, "{bytes} bytes");
        for one in CAPTURES {
            assert!(TABLE.contains(&format!("\"{}\"", one.file)), "{}", one.file);
        }
    }
}
