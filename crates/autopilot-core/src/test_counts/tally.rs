//! Adds up the summaries of one runner, and finds out which of them the runner printed itself: a summary must be borne out by what
//! was announced before it, and what one has used up is not there for another.

use std::collections::VecDeque;

use super::{Runner, TestCounts};
use crate::finding::is_invisible;
use crate::limits;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: u32,
    pub(super) failed: u32,
    pub(super) skipped: u32,
}

impl Counts {
    pub(super) fn plus(self, other: Counts) -> Counts {
        Counts {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            skipped: self.skipped.saturating_add(other.skipped),
        }
    }

    pub(super) fn all(self) -> u32 {
        self.passed.saturating_add(self.failed).saturating_add(self.skipped)
    }

    /// What becomes of so many announced tests when these were seen and nothing more: the rest have failed.
    pub(super) fn cut_off(self, announced: u32) -> Counts {
        let passed = self.passed.min(announced);
        let skipped = self.skipped.min(announced - passed);
        Counts { passed, skipped, failed: announced - passed - skipped }
    }

    /// The more careful of two readings.
    fn worse(self, other: Counts) -> Counts {
        let key = |counts: Counts| (counts.passed, u32::MAX - counts.failed);
        if key(other) < key(self) { other } else { self }
    }
}

/// What one runner told in the whole output.
pub(super) struct Found {
    pub(super) counts: Counts,
    pub(super) names: Names,
}

impl Found {
    pub(super) fn counts(self, runner: Runner) -> TestCounts {
        let Counts { passed, failed, skipped } = self.counts;
        // A name without a failure was printed by a test.
        let failed_names = if failed == 0 { Vec::new() } else { self.names.list };
        TestCounts { runner, passed, failed, skipped, failed_names }
    }
}

/// The names of failed tests, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    list: Vec<String>,
}

impl Names {
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a String>) -> Names {
        let mut all = Names::default();
        names.for_each(|name| all.add(name));
        all
    }

    pub(super) fn into_list(self) -> Vec<String> {
        self.list
    }

    pub(super) fn add(&mut self, name: &str) {
        let visible = name.trim().chars().filter(|c| !c.is_control() && !is_invisible(*c));
        let name: String = visible.take(limits::TEST_NAME_CHARS_MAX).collect();
        let bytes: usize = self.list.iter().map(String::len).sum();
        let has_room = self.list.len() < limits::TEST_NAMES_MAX
            && bytes + name.len() <= limits::TEST_NAMES_BYTES_MAX;
        if has_room && !name.is_empty() && !self.list.contains(&name) {
            self.list.push(name);
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// Announced since the last summary.
    announced: u32,
    was_announced: bool,
    summaries: VecDeque<Summary>,
    /// What all of these have used up together, so that a claim beyond it is seen without a look at each.
    used: u64,
    /// Of summaries so long ago that nothing takes their place any more.
    settled: Option<Counts>,
    unbacked: Option<Unbacked>,
}

#[derive(Debug, Clone, Copy)]
struct Summary {
    /// What it has used up.
    announced: u32,
    counts: Counts,
}

#[derive(Debug, Clone, Copy)]
struct Unbacked {
    worst: Counts,
    sum: Counts,
}

impl Tally {
    /// The runner says that it has run, or is about to run, so many more.
    pub(super) fn announce(&mut self, count: u32) {
        self.announced = self.announced.saturating_add(count);
        self.was_announced |= count > 0;
    }

    /// A summary of so many of what was announced.
    pub(super) fn summary(&mut self, claimed: u32, counts: Counts) {
        if u64::from(self.announced) + self.used < u64::from(claimed) {
            let first = Unbacked { worst: counts, sum: Counts::default() };
            let so_far = self.unbacked.unwrap_or(first);
            let (worst, sum) = (so_far.worst.worse(counts), so_far.sum.plus(counts));
            self.unbacked = Some(Unbacked { worst, sum });
            return;
        }
        let mut available = self.announced;
        let mut replaced: Option<Counts> = None;
        while available < claimed
            && let Some(earlier) = self.summaries.pop_back()
        {
            available = available.saturating_add(earlier.announced);
            self.used -= u64::from(earlier.announced);
            replaced = Some(replaced.unwrap_or_default().plus(earlier.counts));
        }
        // Nobody knows which of them the runner printed.
        let counts = replaced.map_or(counts, |other| counts.worse(other));
        self.summaries.push_back(Summary { announced: available, counts });
        self.used += u64::from(available);
        self.announced = 0;
        if self.summaries.len() > limits::TEST_SUMMARIES_MAX
            && let Some(oldest) = self.summaries.pop_front()
        {
            self.used -= u64::from(oldest.announced);
            self.settled = Some(self.settled.unwrap_or_default().plus(oldest.counts));
        }
    }

    pub(super) fn found(&self, names: Names) -> Option<Found> {
        let backed = self.summaries.iter().map(|summary| summary.counts);
        let sum = backed.chain(self.settled).reduce(Counts::plus);
        let unbacked =
            self.unbacked.map(|all| if self.was_announced { all.worst } else { all.sum });
        let counts = sum.or(unbacked)?;
        Some(Found { counts, names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Announced before a summary; passed and failed in it.
    type Printed = (u32, u32, u32);

    fn total(printed: &[Printed]) -> Option<(u32, u32)> {
        let mut tally = Tally::default();
        for (announced, passed, failed) in printed {
            tally.announce(*announced);
            let counts = Counts { passed: *passed, failed: *failed, skipped: 0 };
            tally.summary(counts.all(), counts);
        }
        tally.found(Names::default()).map(|found| (found.counts.passed, found.counts.failed))
    }

    #[test]
    fn summaries_count_as_far_as_they_are_borne_out() {
        let check = |printed: &[Printed], expected| assert_eq!(total(printed), expected);
        check(&[], None);
        check(&[(0, 0, 0)], Some((0, 0)));
        // One run after another.
        check(&[(3, 2, 1), (4, 4, 0)], Some((6, 1)));
        // A boast of more than was announced, before or after.
        check(&[(3, 900, 0), (0, 2, 1)], Some((2, 1)));
        check(&[(3, 2, 1), (0, 900, 0)], Some((2, 1)));
        // A boast of as many as were announced, before or after.
        check(&[(3, 3, 0), (0, 2, 1)], Some((2, 1)));
        check(&[(3, 2, 1), (0, 3, 0)], Some((2, 1)));
        // A boast with an announcement of its own inside a run.
        check(&[(903, 900, 0), (0, 2, 1)], Some((2, 1)));
        // Two runs, and a boast that takes the place of both.
        check(&[(3, 2, 1), (4, 4, 0), (0, 7, 0)], Some((6, 1)));
        // Nothing borne out: the worst. Nothing ever announced: all of them.
        check(&[(1, 5, 0), (0, 4, 1)], Some((4, 1)));
        check(&[(0, 5, 0), (0, 4, 1)], Some((9, 1)));
    }

    #[test]
    fn tests_that_began_and_never_ended_have_failed() {
        let seen = Counts { passed: 2, failed: 0, skipped: 1 };
        assert_eq!(seen.cut_off(5), Counts { passed: 2, failed: 2, skipped: 1 });
        assert_eq!(seen.cut_off(1), Counts { passed: 1, failed: 0, skipped: 0 });
    }
}
