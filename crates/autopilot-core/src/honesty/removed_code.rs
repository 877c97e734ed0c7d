//! Whether a deleted test went together with what it tested: a function or type of the program that it names, which was defined
//! before and is nowhere in the change any more, not even under another name.

use std::collections::{BTreeMap, BTreeSet};

use super::items::ItemKind;
use super::likeness::Print;
use super::side::{File, Side, Test};
use super::source::Source;
use crate::limits;

/// A body that is this much like the removed one is the same function renamed; its tests should have come along.
const RENAMED_PERCENT: u32 = 60;
/// `new`, `get` and the like are defined many times over, also in files that did not change.
const NAME_CHARS_MIN: usize = 4;

pub(super) struct Removed<'s> {
    names: BTreeSet<&'s str>,
}

impl<'s> Removed<'s> {
    pub(super) fn between(before: &'s Side<'_>, after: &'s Side<'_>) -> Self {
        let had = defined(before);
        let has = defined(after);
        let new = has.iter().filter(|(name, _)| !had.contains_key(*name));
        let new: Vec<&Print> =
            new.flat_map(|(_, prints)| prints).take(limits::HONESTY_CASES_MAX).collect();
        let gone = had.iter().filter(|(name, _)| !has.contains_key(*name));
        let mut pairs = 0;
        let names = gone.filter(|(name, prints)| {
            pairs += prints.len() * new.len();
            let is_known = pairs <= limits::HONESTY_PAIRS_MAX;
            let is_renamed = |print: &Print| {
                !print.is_empty()
                    && new.iter().any(|other| print.percent_alike(other) >= RENAMED_PERCENT)
            };
            name.len() >= NAME_CHARS_MIN && is_known && !prints.iter().any(is_renamed)
        });
        Removed { names: names.map(|(name, _)| *name).collect() }
    }

    /// The removed name that a test uses, if it uses one.
    pub(super) fn tested_by(&self, source: &Source<'_>, test: &Test) -> Option<&'s str> {
        self.named_in(source, test).map(|(name, _)| name)
    }

    /// The same with how often removed names stand in the test.
    pub(super) fn named_in(&self, source: &Source<'_>, test: &Test) -> Option<(&'s str, u32)> {
        let body =
            source.slice(test.case.body.clone()).iter().take(limits::HONESTY_BODY_TOKENS_MAX);
        let words = body.filter(|token| token.is_word());
        let mut named = words.filter_map(|token| self.names.get(token.text).copied());
        let first = named.next()?;
        Some((first, u32::try_from(named.count() + 1).unwrap_or(u32::MAX)))
    }
}

/// What the code of a program defines, tests apart.
fn defined<'s>(side: &'s Side<'_>) -> BTreeMap<&'s str, Vec<Print>> {
    let mut defined: BTreeMap<&str, Vec<Print>> = BTreeMap::new();
    for file in &side.files {
        for item in file.source.items.iter().filter(|item| !file.is_test_code(item.at)) {
            let prints = defined.entry(item.name).or_default();
            if item.kind == ItemKind::Function {
                prints.push(Print::of(&file.source, item.body.clone()));
            }
        }
        types(file, &mut defined);
    }
    defined
}

fn types<'s>(file: &'s File<'_>, defined: &mut BTreeMap<&'s str, Vec<Print>>) {
    let tokens = &file.source.tokens;
    for (at, pair) in tokens.windows(2).enumerate() {
        let words = ["struct", "enum", "trait", "interface", "class", "type", "record", "const"];
        let is_said = pair[0].is_word() && words.contains(&pair[0].text) && pair[1].is_word();
        if is_said && !file.is_test_code(at) {
            defined.entry(pair[1].text).or_default();
        }
    }
}
