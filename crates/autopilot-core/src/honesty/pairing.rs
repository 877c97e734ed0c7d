//! Which test of the candidate is which test of the base: by file and name, by name elsewhere, and by likeness where it was
//! renamed. What is left on the left side is gone, what is left on the right side is new.

use std::collections::{BTreeMap, BTreeSet};

use super::likeness::Print;
use super::side::{Side, Test};
use crate::limits;

/// Bodies that share this much are one test under two names.
const RENAMED_PERCENT: u32 = 55;
/// In another file the same name is the same test when at least so much of it came along. Names like `works` are common.
const MOVED_PERCENT: u32 = 20;

/// Places in the two lists of tests.
pub(super) struct Pairing {
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) gone: Vec<usize>,
    pub(super) new: Vec<usize>,
}

/// `homes` tells for a file of the base side which file of the candidate it became.
pub(super) fn pair(before: &Side<'_>, after: &Side<'_>, homes: &[Option<usize>]) -> Pairing {
    let mut state = State {
        before: &before.tests,
        after: &after.tests,
        taken_before: vec![false; before.tests.len()],
        taken_after: vec![false; after.tests.len()],
        pairs: Vec::new(),
    };
    state.at_home(homes);
    state.moved();
    state.renamed();
    let left = |taken: &[bool]| (0..taken.len()).filter(|at| !taken[*at]).collect::<Vec<usize>>();
    let (gone, new) = (left(&state.taken_before), left(&state.taken_after));
    let mut pairs = state.pairs;
    pairs.sort_unstable();
    Pairing { pairs, gone, new }
}

struct State<'t> {
    before: &'t [Test],
    after: &'t [Test],
    taken_before: Vec<bool>,
    taken_after: Vec<bool>,
    pairs: Vec<(usize, usize)>,
}

impl State<'_> {
    fn take(&mut self, old: usize, new: usize) {
        self.taken_before[old] = true;
        self.taken_after[new] = true;
        self.pairs.push((old, new));
    }

    /// Tests of the candidate that are still free, by a key.
    fn free_by<K: Ord>(&self, key: impl Fn(&Test) -> K) -> BTreeMap<K, Vec<usize>> {
        let mut free: BTreeMap<K, Vec<usize>> = BTreeMap::new();
        for (at, test) in self.after.iter().enumerate().filter(|(at, _)| !self.taken_after[*at]) {
            free.entry(key(test)).or_default().push(at);
        }
        free
    }

    fn at_home(&mut self, homes: &[Option<usize>]) {
        // Of several tests with one name those that did not change find each other first.
        for must_be_same in [true, false] {
            let free = self.free_by(|test| (test.file, test.case.name.clone()));
            for old in 0..self.before.len() {
                let test = &self.before[old];
                let Some(home) = homes.get(test.file).copied().flatten() else { continue };
                if self.taken_before[old] {
                    continue;
                }
                let places = free.get(&(home, test.case.name.clone()));
                let fits = |at: &&usize| {
                    !self.taken_after[**at]
                        && (!must_be_same || self.after[**at].print == test.print)
                };
                // A name that thousands share is looked for among the first of them.
                let found = places.and_then(|places| places.iter().take(64).find(fits).copied());
                if let Some(new) = found {
                    self.take(old, new);
                }
            }
        }
    }

    fn moved(&mut self) {
        let free = self.free_by(|test| test.case.name.clone());
        for old in 0..self.before.len() {
            if self.taken_before[old] {
                continue;
            }
            let test = &self.before[old];
            let fits = |at: &&usize| {
                let other = &self.after[**at];
                let shares = test.calls.intersection(&other.calls).next().is_some();
                !self.taken_after[**at]
                    && (shares || test.print.percent_alike(&other.print) >= MOVED_PERCENT)
            };
            let places = free.get(&test.case.name);
            let found = places.and_then(|places| places.iter().take(64).find(fits).copied());
            if let Some(new) = found {
                self.take(old, new);
            }
        }
    }

    fn renamed(&mut self) {
        let free = self.free_by(|test| test.print.clone());
        for old in 0..self.before.len() {
            let print = &self.before[old].print;
            if self.taken_before[old] || print.is_empty() {
                continue;
            }
            let places = free.get(print);
            let found =
                places.and_then(|places| places.iter().find(|at| !self.taken_after[**at]).copied());
            if let Some(new) = found {
                self.take(old, new);
            }
        }
        let mut alike = Vec::new();
        let free =
            |taken: &[bool]| (0..taken.len()).filter(|at| !taken[*at]).collect::<Vec<usize>>();
        let (gone, new) = (free(&self.taken_before), free(&self.taken_after));
        let all = gone.iter().flat_map(|old| new.iter().map(move |new| (*old, *new)));
        for (old, new) in all.take(limits::HONESTY_PAIRS_MAX) {
            let percent = self.before[old].print.percent_alike(&self.after[new].print);
            if percent >= RENAMED_PERCENT {
                alike.push((percent, old, new));
            }
        }
        // The most alike first; among equals in the order of the text.
        alike.sort_by_key(|(percent, old, new)| (100 - percent, *old, *new));
        for (_, old, new) in alike {
            if !self.taken_before[old] && !self.taken_after[new] {
                self.take(old, new);
            }
        }
    }
}

/// Prints of the candidate, to know a deleted copy of a test that is still there.
pub(super) fn prints<'s>(after: &'s Side<'_>) -> BTreeSet<&'s Print> {
    after.tests.iter().filter(|test| test.real > 0).map(|test| &test.whole).collect()
}
