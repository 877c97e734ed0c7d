//! How many tests ran, read from what a check printed. Whether the check passed is its exit code's to say and never decided here.
//!
//! # What may be concluded from it
//!
//! Everything a check prints can be printed by the code under test as well. So a count is evidence of *fewer*: fewer tests than
//! before, or failed ones where the exit code says that all is well. It is never a proof of more, and nothing printed turns a red
//! exit code green. Output that tells no counts (`None`) after output that did is fewer, too.
//!
//! Where two readings are possible, the one with fewer passed tests is taken:
//!
//! - A summary counts when the runner announced so many tests, or files of tests, before it (`running 3 tests`, `PASS a.test.js`).
//!   One that claims more is dropped as soon as another one is borne out.
//! - Where a summary needs what an earlier one has used up, a test printed one of them; the worse of the two stays.
//! - A test that began and never ended has failed, and so has one that a plan promises and nobody saw.
//! - In a file of tests that could not be read at all one test failed.
//! - A report as JUnit XML counts only where no runner told its figures itself; usually it repeats them.
//!
//! What cannot be told apart: a test, or a script in the place of the runner, that prints everything a run of the runner prints. Also, a
//! reporter that prints summaries alone (`cargo test | grep result`) announces nothing; all its summaries are added up.
//!
//! # What is counted
//!
//! Of several runs of one runner the sum; of several runners the sum, too, with [`Runner::Several`]. Tests that were filtered out do
//! not count. Ignored, pending and planned tests are skipped, and so are those that fail as expected; those that were expected to
//! fail and pass have passed. `go test` without `-v` names no passed test: there a package counts as one, and [`Runner::GoPackages`]
//! says so, for such figures compare only with their like. Under `-v` and `-json` subtests count beside the tests they are in.

use serde::{Deserialize, Serialize};

use crate::limits;
use cargo_test::CargoTest;
use go_test::GoTest;
use jest::Jest;
use junit::Junit;
use mocha::Mocha;
use nextest::Nextest;
use pytest::Pytest;
use tally::{Found, Names};
use tap::Tap;
use unittest::Unittest;
use vitest::Vitest;

mod cargo_test;
mod go_test;
mod jest;
mod junit;
mod mocha;
mod nextest;
mod node_summary;
mod pytest;
mod tally;
mod tap;
mod text;
mod unittest;
mod vitest;

#[cfg(test)]
mod captured_tests;
#[cfg(test)]
mod property_tests;

/// What a check's output tells about the tests it ran. All zeros means that there were none; that nobody knows is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCounts {
    pub runner: Runner,
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
    /// Some of them, in the order they were printed; bounded in number and length. With what stands around them, such as the suite.
    pub failed_names: Vec<String>,
}

impl TestCounts {
    /// A runner was there, and no test was run to its end.
    pub fn is_none_run(&self) -> bool {
        self.passed == 0 && self.failed == 0
    }
}

/// Who ran the tests, or in which format it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    CargoTest,
    Nextest,
    Pytest,
    Jest,
    Vitest,
    Mocha,
    NodeTest,
    GoTest,
    /// `go test` without `-v`: the figures are packages.
    GoPackages,
    Tap,
    Junit,
    Unittest,
    /// More than one of them in the same output.
    Several,
}

/// Reads along while a check prints.
#[derive(Debug, Clone, Default)]
pub struct TestCounter {
    readers: Readers,
    junit: Junit,
    /// The readers as they were before the XML document that is open: what stands in it are texts of tests.
    before_document: Option<Box<Readers>>,
}

#[derive(Debug, Clone, Default)]
struct Readers {
    cargo_test: CargoTest,
    nextest: Nextest,
    pytest: Pytest,
    jest: Jest,
    vitest: Vitest,
    mocha: Mocha,
    tap: Tap,
    go_test: GoTest,
    unittest: Unittest,
}

impl TestCounter {
    /// The next line, without its line feed. Of a long one the beginning counts.
    pub fn line(&mut self, line: &[u8]) {
        let was_open = self.junit.is_open();
        if !was_open && self.junit.begins_in(line) {
            self.before_document = Some(Box::new(self.readers.clone()));
        }
        self.junit.line(line);
        if self.before_document.is_some() && !self.junit.is_open() {
            // It ended, so it was one.
            if let Some(readers) = self.before_document.take() {
                self.readers = *readers;
            }
            return;
        }
        self.readers.line(line);
    }

    /// All of an output at once.
    pub fn read(output: &[u8]) -> Option<TestCounts> {
        let mut counter = TestCounter::default();
        for line in output.split(|byte| *byte == b'\n') {
            counter.line(line);
        }
        counter.end()
    }

    /// The output is over. None when no runner that is known here told how many tests ran.
    pub fn end(self) -> Option<TestCounts> {
        let told = self.readers.end();
        let found = if told.is_empty() { Vec::from_iter(self.junit.end()) } else { told };
        let mut found = found.into_iter();
        let first = found.next()?;
        Some(found.fold(first, together))
    }
}

impl Readers {
    fn line(&mut self, line: &[u8]) {
        if line.first() == Some(&b'{') {
            if line.len() <= limits::TEST_JSON_BYTES_MAX {
                self.go_test.json(line);
            }
            return;
        }
        let text = text::clean(line);
        self.nextest.line(&text);
        // It shows what the binaries print, and those are made by cargo.
        if !self.nextest.is_open() {
            self.cargo_test.line(&text);
        }
        self.pytest.line(&text);
        self.jest.line(&text);
        self.vitest.line(&text);
        self.mocha.line(&text);
        self.tap.line(&text);
        self.go_test.line(&text);
        self.unittest.line(&text);
    }

    fn end(self) -> Vec<TestCounts> {
        let one = |runner, found: Option<Found>| found.map(|found| found.counts(runner));
        let (tap, node) = self.tap.end();
        let (go, go_packages) = self.go_test.end();
        let all = [
            one(Runner::CargoTest, self.cargo_test.end()),
            one(Runner::Nextest, self.nextest.end()),
            one(Runner::Pytest, self.pytest.end()),
            one(Runner::Jest, self.jest.end()),
            one(Runner::Vitest, self.vitest.end()),
            one(Runner::Mocha, self.mocha.end()),
            one(Runner::Tap, tap),
            one(Runner::NodeTest, node),
            one(Runner::GoTest, go),
            one(Runner::GoPackages, go_packages),
            one(Runner::Unittest, self.unittest.end()),
        ];
        all.into_iter().flatten().collect()
    }
}

fn together(mut left: TestCounts, right: TestCounts) -> TestCounts {
    left.runner = Runner::Several;
    left.passed = left.passed.saturating_add(right.passed);
    left.failed = left.failed.saturating_add(right.failed);
    left.skipped = left.skipped.saturating_add(right.skipped);
    left.failed_names = Names::of(left.failed_names.iter().chain(&right.failed_names)).into_list();
    left
}
