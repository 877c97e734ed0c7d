//! Whether a change is honest (CHECK-18): tests that were deleted, skipped, emptied or weakened, settings that were loosened,
//! code that only pretends to be there. Found from the text of files at the base commit and in the candidate alone, by words
//! and brackets, so that it costs nothing and nobody can talk it out of what it saw. Which doubts the plan excuses, and what
//! is done about the rest, is decided by whoever asked.

mod assertions;
mod cases;
mod compare;
mod expectations;
mod forgiving;
mod items;
mod language;
mod likeness;
mod literals;
mod marks;
mod mocked;
mod pairing;
mod parked;
mod removed_code;
mod rows;
mod settings;
mod side;
mod source;
mod stubs;
mod tokens;
mod trivial;
mod unreachable;
mod unreferenced;

use serde::{Deserialize, Serialize};

use crate::finding::printable;
use crate::limits;
use compare::Compared;
pub use expectations::{Expectation, ExpectationKind, belongs_to_tests};
use side::File;

/// One file of a change: its text at the phase's base commit and in the candidate. None where it does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileChange<'a> {
    pub path: &'a str,
    pub before: Option<&'a str>,
    pub after: Option<&'a str>,
    /// The path that `before` had, where git takes the file for a renamed one.
    pub renamed_from: Option<&'a str>,
}

/// What makes a change doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubtKind {
    TestDeleted,
    TestSkipped,
    TestFocused,
    TestEmptied,
    TestInverted,
    AssertionsRemoved,
    AssertionTrivial,
    TestCannotFail,
    SettingLoosened,
    NewTestSkipped,
    TestOfRemovedCode,
    TestMerged,
    Stub,
    Unreferenced,
}

impl DoubtKind {
    /// Whether a phase is turned back for it, where no task of its plan names the file.
    pub fn rejects(self) -> bool {
        match self {
            // What proved something before proves less now, and the change could be green because of it.
            DoubtKind::TestDeleted
            | DoubtKind::TestSkipped
            | DoubtKind::TestFocused
            | DoubtKind::TestEmptied
            | DoubtKind::TestInverted
            | DoubtKind::AssertionsRemoved
            | DoubtKind::AssertionTrivial
            | DoubtKind::SettingLoosened => true,
            // It is counted as proof and is none; written right it costs the worker a minute.
            DoubtKind::TestCannotFail => true,
            // Nothing was lost: tests that need a device or a service are often born this way.
            DoubtKind::NewTestSkipped => false,
            // There is nothing left to test; people still want to read what went.
            DoubtKind::TestOfRemovedCode => false,
            // What it proved is proven elsewhere; whoever counts tests finds fewer of them.
            DoubtKind::TestMerged => false,
            // A stub may be what the phase is to leave; whether a criterion needs more, its proof shows.
            DoubtKind::Stub => false,
            // A file may be found by a convention that is not known here.
            DoubtKind::Unreferenced => false,
        }
    }

    /// Whether a plan that names the file excuses it. A plan may well ask for other tests; none asks for tests that prove nothing.
    pub fn is_excusable(self) -> bool {
        match self {
            DoubtKind::TestInverted | DoubtKind::TestCannotFail => false,
            DoubtKind::TestDeleted
            | DoubtKind::TestSkipped
            | DoubtKind::TestFocused
            | DoubtKind::TestEmptied
            | DoubtKind::AssertionsRemoved
            | DoubtKind::AssertionTrivial
            | DoubtKind::SettingLoosened
            | DoubtKind::NewTestSkipped
            | DoubtKind::TestOfRemovedCode
            | DoubtKind::TestMerged
            | DoubtKind::Stub
            | DoubtKind::Unreferenced => true,
        }
    }
}

/// One thing that was seen, at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    pub kind: DoubtKind,
    pub file: String,
    /// In the candidate; none where the thing is gone.
    pub line: Option<u32>,
    /// A sentence in our words. What it quotes of the files is bounded and printable.
    pub fact: String,
    /// So many more of the kind are in the file and not listed.
    #[serde(default, skip_serializing_if = "is_none")]
    pub more: u32,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

/// What was seen of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looked {
    pub doubts: Vec<Doubt>,
    /// What its tests rest on and did not rest on before. No doubt by itself: whether it hides something is for a measurement to say.
    pub expectations: Vec<Expectation>,
}

/// Looks at all changed files of a candidate together: a test may have moved from one to another. `others` says whether a word
/// stands anywhere in the project outside the new file that has it for a name.
pub fn look(changes: &[FileChange<'_>], others: &dyn Fn(&str) -> bool) -> Looked {
    let Looked { mut doubts, expectations } = of_code(changes);
    // What was seen test by test is not told a second time of the whole file.
    let is_known = |doubts: &[Doubt], new: &Doubt| {
        doubts.iter().any(|old| old.file == new.file && old.kind.rejects())
    };
    let whole = parked::look(changes).into_iter().chain(forgiving::look(changes));
    let whole: Vec<Doubt> = whole.filter(|new| !is_known(&doubts, new)).collect();
    doubts.extend(whole);
    doubts.extend(settings::look(changes));
    doubts.extend(unreferenced::look(changes, others));
    Looked { doubts: bounded(doubts), expectations }
}

fn of_code(changes: &[FileChange<'_>]) -> Looked {
    let mut before = Vec::new();
    let mut after = Vec::new();
    let mut homes = Vec::new();
    for change in changes.iter().filter(|change| is_changed(change)) {
        let new = change.after.and_then(|text| File::read(change.path, text));
        let old_path = change.renamed_from.unwrap_or(change.path);
        let old = change.before.and_then(|text| File::read(old_path, text));
        if let Some(old) = old {
            homes.push(new.is_some().then_some(after.len()));
            before.push(old);
        }
        after.extend(new);
    }
    let (before, after) = side::both(before, after);
    let pairing = pairing::pair(&before, &after, &homes);
    let compared = Compared { before: &before, after: &after, homes: &homes, pairing: &pairing };
    let mut doubts = compare::look(&compared);
    doubts.extend(stubs::look(&before, &after, &homes));
    Looked { doubts, expectations: expectations::look(changes, &compared) }
}

fn is_changed(change: &FileChange<'_>) -> bool {
    let is_same = change.before == change.after && change.renamed_from.is_none();
    !is_same && !language::is_foreign(change.path)
}

fn doubt(kind: DoubtKind, file: &str, line: Option<u32>, fact: String) -> Doubt {
    let cut = |text: &str, max: usize| text.chars().take(max).collect::<String>();
    let fact = cut(&printable(&fact), limits::HONESTY_FACT_CHARS_MAX);
    Doubt { kind, file: cut(file, limits::HONESTY_PATH_CHARS_MAX), line, fact, more: 0 }
}

/// In the order of files and lines, and no more than somebody reads; where some must go, those that reject stay.
fn bounded(mut doubts: Vec<Doubt>) -> Vec<Doubt> {
    let place = |doubt: &Doubt| (doubt.file.clone(), doubt.kind, doubt.line);
    doubts.sort_by_key(place);
    doubts.dedup();
    let mut kept: Vec<Doubt> = Vec::new();
    for group in doubts.chunk_by(|a, b| a.file == b.file && a.kind == b.kind) {
        let max = limits::HONESTY_DOUBTS_PER_FILE_MAX;
        kept.extend(group.iter().take(max).cloned());
        if let (Some(last), true) = (kept.last_mut(), group.len() > max) {
            let more = group.len() - max;
            last.fact.push_str(&format!(" (and {more} more of this kind in the file)"));
            last.more = u32::try_from(more).unwrap_or(u32::MAX);
        }
    }
    kept.sort_by_key(|doubt| !doubt.kind.rejects());
    kept.truncate(limits::HONESTY_DOUBTS_MAX);
    kept.sort_by_key(|doubt| (doubt.file.clone(), doubt.line, doubt.kind));
    kept
}

#[cfg(test)]
#[path = "honesty/honesty_tests.rs"]
mod tests;
#[cfg(test)]
#[path = "honesty/lies_tests.rs"]
mod lies_tests;
#[cfg(test)]
#[path = "honesty/unfinished_tests.rs"]
mod unfinished_tests;
#[cfg(test)]
#[path = "honesty/weakened_tests.rs"]
mod weakened_tests;
#[cfg(test)]
#[path = "honesty/twins_tests.rs"]
mod twins_tests;
