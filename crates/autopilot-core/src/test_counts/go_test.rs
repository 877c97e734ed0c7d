//! `go test`: with `-v` and `-json` every test tells its beginning and its end, else only packages and failed tests are named.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use super::tally::{Counts, Found, Names};
use crate::limits;

#[derive(Debug, Clone, Default)]
pub(super) struct GoTest {
    /// Tests that began and did not end yet, by name; packages may use the same ones.
    open: BTreeMap<String, u32>,
    open_count: usize,
    ended: Counts,
    /// A test told its beginning, so tests are counted and not packages.
    is_verbose: bool,
    packages: Option<Counts>,
    /// Failed tests since the last package, and packages that failed without one.
    failed_in_package: u32,
    failed_alone: u32,
    names: Names,
}

/// The fields of a line of `-json` that matter here.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Told<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
    #[serde(borrow)]
    package: Option<Cow<'a, str>>,
    #[serde(borrow)]
    test: Option<Cow<'a, str>>,
}

#[derive(Clone, Copy)]
enum End {
    Passed,
    Failed,
    Skipped,
}

impl GoTest {
    pub(super) fn json(&mut self, line: &[u8]) {
        let Ok(told) = serde_json::from_slice::<Told<'_>>(line) else { return };
        let Some(package) = told.package else { return };
        let Some(test) = told.test else {
            match &*told.action {
                "pass" => self.package(End::Passed, &package),
                "fail" => self.package(End::Failed, &package),
                "skip" => self.package(End::Skipped, &package),
                _ => {}
            }
            return;
        };
        let name = format!("{package} {test}");
        match &*told.action {
            "run" => self.began(&name),
            "pass" => self.ended(End::Passed, &name),
            "fail" => self.ended(End::Failed, &name),
            "skip" => self.ended(End::Skipped, &name),
            _ => {}
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        if let Some(name) = text.strip_prefix("=== RUN   ") {
            self.began(name.trim());
        } else if let Some(rest) = text.trim_start().strip_prefix("--- ") {
            let Some((end, rest)) = rest.split_once(": ") else { return };
            let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
            match end {
                "PASS" => self.ended(End::Passed, name),
                "FAIL" => self.ended(End::Failed, name),
                "SKIP" => self.ended(End::Skipped, name),
                _ => {}
            }
        } else if let Some(package) = text.strip_prefix("ok  \t") {
            // `[no tests to run]` is a package without tests, although it is called ok.
            let is_empty = text.ends_with("[no tests to run]");
            self.package(if is_empty { End::Skipped } else { End::Passed }, package);
        } else if let Some(package) = text.strip_prefix("FAIL\t") {
            self.package(End::Failed, package);
        } else if text.starts_with("?   \t") && text.ends_with("[no test files]") {
            self.package(End::Skipped, text);
        }
    }

    fn began(&mut self, name: &str) {
        self.is_verbose = true;
        if self.open_count < limits::TESTS_OPEN_MAX {
            *self.open.entry(cut(name)).or_default() += 1;
            self.open_count += 1;
        }
    }

    /// Of tests that never began only the failed ones are believed, and only while nothing tells beginnings.
    fn ended(&mut self, end: End, name: &str) {
        let name = cut(name);
        let began = self.open.get_mut(&name).filter(|count| **count > 0);
        match (began, end) {
            (Some(count), _) => {
                *count -= 1;
                if *count == 0 {
                    self.open.remove(&name);
                }
                self.open_count -= 1;
            }
            (None, End::Failed) if !self.is_verbose => {}
            (None, End::Passed | End::Failed | End::Skipped) => return,
        }
        let place = match end {
            End::Passed => &mut self.ended.passed,
            End::Failed => &mut self.ended.failed,
            End::Skipped => &mut self.ended.skipped,
        };
        *place = place.saturating_add(1);
        if matches!(end, End::Failed) {
            self.failed_in_package = self.failed_in_package.saturating_add(1);
            self.names.add(&name);
        }
    }

    fn package(&mut self, end: End, name: &str) {
        let packages = self.packages.get_or_insert_default();
        match end {
            End::Passed => packages.passed = packages.passed.saturating_add(1),
            End::Failed => {
                packages.failed = packages.failed.saturating_add(1);
                if self.failed_in_package == 0 {
                    self.failed_alone = self.failed_alone.saturating_add(1);
                    self.names.add(name);
                }
            }
            // Without tests it counts neither way.
            End::Skipped => {}
        }
        self.failed_in_package = 0;
    }

    /// Tests, or packages where no test told its beginning.
    pub(super) fn end(self) -> (Option<Found>, Option<Found>) {
        if !self.is_verbose {
            let names = self.names;
            return (None, self.packages.map(|counts| Found { counts, names }));
        }
        let never_ended = u32::try_from(self.open_count).unwrap_or(u32::MAX);
        let mut counts = self.ended;
        counts.failed = counts.failed.saturating_add(never_ended).saturating_add(self.failed_alone);
        let mut names = self.names;
        self.open.keys().for_each(|name| names.add(name));
        (Some(Found { counts, names }), None)
    }
}

fn cut(name: &str) -> String {
    name.chars().take(limits::TEST_NAME_CHARS_MAX).collect()
}
