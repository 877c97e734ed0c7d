//! What became of each test: deleted, skipped, emptied, weakened, or honestly moved, merged, or gone with the code it tested.

use std::collections::BTreeMap;

use super::language::{Language, is_found_by_runners};
use super::pairing::{self, Pairing};
use super::removed_code::Removed;
use super::side::{Side, Test};
use super::{Doubt, DoubtKind, doubt};
use crate::finding::quote;

/// The two commits, and which file of the one became which of the other.
pub(super) struct Compared<'s, 'a> {
    pub(super) before: &'s Side<'a>,
    pub(super) after: &'s Side<'a>,
    /// For each file of the base its place in the candidate.
    pub(super) homes: &'s [Option<usize>],
    pub(super) pairing: &'s Pairing,
}

pub(super) fn look(compared: &Compared<'_, '_>) -> Vec<Doubt> {
    let Compared { before, after, pairing, .. } = compared;
    let mut pool = Pool::of(pairing, before, after);
    let mut doubts = Vec::new();
    // First the gone ones: what they need of the pool is a whole test, and of the others only what they lost.
    let removed = Removed::between(before, after);
    let prints = pairing::prints(after);
    let mut merged: BTreeMap<usize, u32> = BTreeMap::new();
    for old in &pairing.gone {
        let test = &before.tests[*old];
        if test.case.skip.is_some() {
            continue;
        }
        let is_copy = test.parameters == 1 && prints.contains(&test.whole);
        let doubt = if is_copy { None } else { gone(compared, test, &mut pool, &removed) };
        if doubt.is_none() {
            *merged.entry(test.file).or_default() += test.parameters;
        }
        doubts.extend(doubt);
    }
    doubts.extend(merged.into_iter().map(|(file, count)| told_as_merged(before, file, count)));
    for (old, new) in &pairing.pairs {
        let (old, new) = (&before.tests[*old], &after.tests[*new]);
        doubts.extend(changed(compared, old, new, &mut pool, &removed));
    }
    for new in &pairing.new {
        doubts.extend(born(after, &after.tests[*new]));
    }
    doubts.extend(helpers(compared));
    doubts.extend(focused(compared));
    doubts
}

/// What tests of the candidate have more than they had: a vanished test may live on there.
struct Pool {
    gains: Vec<Gain>,
}

struct Gain {
    test: usize,
    left: u32,
    is_table: bool,
}

impl Pool {
    fn of(pairing: &Pairing, before: &Side<'_>, after: &Side<'_>) -> Self {
        let had = pairing.pairs.iter().map(|(old, new)| (*new, before.tests[*old].weight()));
        let new = pairing.new.iter().map(|new| (*new, 0));
        let gains = had.chain(new).filter_map(|(at, had)| {
            let test = &after.tests[at];
            let left = test.weight().saturating_sub(had);
            let is_table = test.parameters.max(test.rows) > 1;
            (left > 0 && test.case.skip.is_none()).then_some(Gain { test: at, left, is_table })
        });
        Pool { gains: gains.collect() }
    }

    /// Takes as much of `need` as tests about the same calls have gained. A row of a table stands for a whole test.
    fn take(&mut self, after: &Side<'_>, test: &Test, need: u32) -> u32 {
        let mut open = need;
        for gain in self.gains.iter_mut().filter(|gain| gain.left > 0) {
            if !test.is_about_the_same(&after.tests[gain.test]) {
                continue;
            }
            if gain.is_table {
                gain.left -= 1;
                return need;
            }
            let taken = open.min(gain.left);
            gain.left -= taken;
            open -= taken;
            if open == 0 {
                break;
            }
        }
        need - open
    }
}

/// Told once a file: a table has many rows.
fn told_as_merged(before: &Side<'_>, file: usize, count: u32) -> Doubt {
    let fact = match count {
        1 => "1 test of this file is none of its own any more, and others have its checks"
            .to_string(),
        _ => format!(
            "{count} tests of this file are none of their own any more, and others have their checks"
        ),
    };
    let path = before.files[file].source.path;
    Doubt { more: count.saturating_sub(1), ..doubt(DoubtKind::TestMerged, path, None, fact) }
}

fn gone(
    compared: &Compared<'_, '_>,
    test: &Test,
    pool: &mut Pool,
    removed: &Removed<'_>,
) -> Option<Doubt> {
    let file = &compared.before.files[test.file];
    let path = file.source.path;
    let name = quote(&test.case.name);
    let need = test.weight().max(1);
    let found = pool.take(compared.after, test, need);
    if found == need {
        return None;
    }
    if let Some(symbol) = removed.tested_by(&file.source, test) {
        let fact =
            format!("the test {name} was deleted together with {}, which it tested", quote(symbol));
        return Some(doubt(DoubtKind::TestOfRemovedCode, path, None, fact));
    }
    let home = compared.homes.get(test.file).copied().flatten();
    let commented = home.and_then(|home| {
        let comments = compared.after.files[home].source.comments.iter();
        comments
            .clone()
            .find(|comment| test.case.name.len() > 3 && comment.text.contains(&test.case.name))
    });
    if found > 0 {
        let fact = format!(
            "of the {need} checks of the test {name}, which was deleted, {found} are left elsewhere"
        );
        return Some(doubt(DoubtKind::AssertionsRemoved, path, None, fact));
    }
    let (line, fact) = match (commented, home) {
        (Some(comment), _) => {
            (Some(comment.line), format!("the test {name} is only a comment now"))
        }
        (None, Some(_)) => (None, format!("the test {name} was deleted")),
        (None, None) => {
            (None, format!("the test {name} was deleted with its file, or is in none that is run"))
        }
    };
    Some(doubt(DoubtKind::TestDeleted, path, line, fact))
}

fn changed(
    compared: &Compared<'_, '_>,
    old: &Test,
    new: &Test,
    pool: &mut Pool,
    removed: &Removed<'_>,
) -> Option<Doubt> {
    let after = compared.after;
    let source = &after.files[new.file].source;
    let name = quote(&new.case.name);
    let told = |kind, line, fact| Some(doubt(kind, source.path, Some(line), fact));
    // One that asserts nothing of its own any more may honestly expect a failure.
    if let (None, Some(mark)) = (old.case.inversion, new.case.inversion)
        && new.expected.has_any()
    {
        let word = source.token(mark.at).map_or("", |token| token.text);
        let fact =
            format!("the test {name} is inverted by {}: it passes because it fails", quote(word));
        return told(DoubtKind::TestInverted, source.line(mark.at), fact);
    }
    if let (None, Some(mark)) = (old.case.skip, new.case.skip) {
        let word = source.token(mark.at).map_or("", |token| token.text);
        let fact = format!("the test {name} is skipped now, by {}", quote(word));
        return told(DoubtKind::TestSkipped, source.line(mark.at), fact);
    }
    if old.case.skip.is_some() {
        return None;
    }
    let was = compared.before.files[old.file].source.path;
    if is_found_by_runners(was) && !is_found_by_runners(source.path) {
        let fact = format!(
            "the file of the test {name} was renamed to {}, which no runner takes for tests",
            quote(source.path)
        );
        return Some(doubt(DoubtKind::TestDeleted, was, None, fact));
    }
    let line = new.case.line;
    if let (None, Some(subject)) = (&old.mocked, &new.mocked) {
        let fact = format!(
            "the test {name} cannot fail any more: it checks only the mock it puts in the place of {}",
            quote(subject)
        );
        return told(DoubtKind::TestCannotFail, line, fact);
    }
    let more_trivial = new.trivial > old.trivial;
    if new.real < old.real && more_trivial {
        let fact = format!(
            "the test {name} has {} of {} assertions left that can fail; others hold whatever the program does",
            new.real, old.real
        );
        return told(DoubtKind::AssertionTrivial, line, fact);
    }
    if new.trivial_own > old.trivial_own && new.real <= old.real {
        let fact =
            format!("the test {name} has a new assertion that holds whatever the program does");
        return told(DoubtKind::AssertionTrivial, line, fact);
    }
    fewer(compared, old, new, pool, removed)
}

/// Assertions or rows that are in no other test either.
fn fewer(
    compared: &Compared<'_, '_>,
    old: &Test,
    new: &Test,
    pool: &mut Pool,
    removed: &Removed<'_>,
) -> Option<Doubt> {
    let after = compared.after;
    let source = &after.files[new.file].source;
    let (name, line) = (quote(&new.case.name), new.case.line);
    let told = |kind, fact| Some(doubt(kind, source.path, Some(line), fact));
    let lost = old.weight().saturating_sub(new.weight());
    let is_fewer = new.real < old.real || new.parameters < old.parameters;
    if !is_fewer || lost == 0 || pool.take(after, old, lost) == lost {
        return None;
    }
    // Assertions about a function that is gone went with it; as many as named it are excused.
    let source_before = &compared.before.files[old.file].source;
    if let Some((symbol, times)) = removed.named_in(source_before, old)
        && times >= lost
    {
        let fact = format!(
            "the test {name} lost its assertions about {}, which was removed",
            quote(symbol)
        );
        return told(DoubtKind::TestOfRemovedCode, fact);
    }
    if new.real == 0 {
        let fact = format!(
            "the test {name} had {} assertions and has none left that is reached",
            old.real
        );
        return told(DoubtKind::TestEmptied, fact);
    }
    let fact = if new.real < old.real {
        format!("the test {name} has {} assertions where it had {}", new.real, old.real)
    } else {
        format!(
            "the test {name} is run for {} cases where it was for {}",
            new.parameters, old.parameters
        )
    };
    told(DoubtKind::AssertionsRemoved, fact)
}

/// A test that was not there before.
fn born(after: &Side<'_>, test: &Test) -> Option<Doubt> {
    let source = &after.files[test.file].source;
    let name = quote(&test.case.name);
    if let Some(mark) = test.case.skip {
        let word = source.token(mark.at).map_or("", |token| token.text);
        let fact = format!("the new test {name} is skipped from the start, by {}", quote(word));
        return Some(doubt(
            DoubtKind::NewTestSkipped,
            source.path,
            Some(source.line(mark.at)),
            fact,
        ));
    }
    let fact = if let Some(subject) = &test.mocked {
        format!(
            "the new test {name} cannot fail: it checks only the mock it puts in the place of {}",
            quote(subject)
        )
    } else if test.real == 0 && test.trivial > 0 {
        format!("the new test {name} has no assertion that could fail")
    } else if test.is_blank && source.language == Language::Shell {
        format!("the new test {name} cannot fail: it ends well whatever happens before")
    } else if test.is_blank {
        format!("the new test {name} has nothing in it")
    } else {
        return None;
    };
    Some(doubt(DoubtKind::TestCannotFail, source.path, Some(test.case.line), fact))
}

/// Functions of test code that tests lean on: emptied, they empty every test that calls them.
fn helpers(compared: &Compared<'_, '_>) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for old in compared.before.helpers.iter().filter(|helper| helper.real > 0) {
        let home = compared.homes.get(old.file).copied().flatten();
        let now = compared
            .after
            .helpers
            .iter()
            .find(|new| Some(new.file) == home && new.name == old.name);
        // One that is gone is no longer called, or nothing compiles; its callers are counted without it.
        let Some(new) = now.filter(|new| new.real < old.real) else { continue };
        // What it lost may be in another function that it calls now.
        if new.calls.difference(&old.calls).any(|name| compared.after.asserting.contains(name)) {
            continue;
        }
        let path = compared.after.files[new.file].source.path;
        let name = quote(&old.name);
        let (kind, fact) = if new.real == 0 {
            (DoubtKind::TestEmptied, format!("{name}, which tests call, asserts nothing any more"))
        } else {
            let fact = format!(
                "{name}, which tests call, has {} assertions where it had {}",
                new.real, old.real
            );
            (DoubtKind::AssertionsRemoved, fact)
        };
        doubts.push(doubt(kind, path, Some(new.line), fact));
    }
    doubts
}

/// Marks by which the runner leaves out every test that has none.
fn focused(compared: &Compared<'_, '_>) -> Vec<Doubt> {
    let mut had = vec![0_usize; compared.after.files.len()];
    for (file, home) in compared.before.files.iter().zip(compared.homes) {
        if let Some(home) = home {
            had[*home] += file.focuses.len();
        }
    }
    let mut doubts = Vec::new();
    for (file, had) in compared.after.files.iter().zip(had) {
        let new = file.focuses.iter().skip(had);
        doubts.extend(new.map(|mark| {
            let word = file.source.token(mark.at).map_or("", |token| token.text);
            let fact = format!("{} leaves out every test that is not marked with it", quote(word));
            doubt(DoubtKind::TestFocused, file.source.path, Some(file.source.line(mark.at)), fact)
        }));
    }
    doubts
}
