//! The texts of what differs between two commits, before and after: for those who look whether a change is honest. Read from the
//! objects alone, in a few processes however many files there are.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use autopilot_core::limits;

use super::blobs::is_plain;
use super::{Checkout, GitError, ObjectId};

/// One changed file. Files whose text cannot be read whole, on either side, are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedText {
    pub path: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// A file and the blobs it was and is.
type Sides = (String, Option<ObjectId>, Option<ObjectId>);

impl Checkout {
    /// Plain text files that differ, at most so many. Three processes.
    pub fn change_texts(
        &self,
        base: &ObjectId,
        head: &ObjectId,
    ) -> Result<Vec<ChangedText>, GitError> {
        let sides = self.sides(base, head)?;
        let wanted = sides.iter().flat_map(|(_, before, after)| [before, after]);
        let texts = self.texts(wanted.flatten())?;
        let side = |id: &Option<ObjectId>| match id {
            None => Some(None),
            Some(id) => texts.get(id.as_str()).cloned().map(Some),
        };
        let whole = sides.iter().filter_map(|(path, before, after)| {
            Some(ChangedText { path: path.clone(), before: side(before)?, after: side(after)? })
        });
        Ok(whole.collect())
    }

    fn sides(&self, base: &ObjectId, head: &ObjectId) -> Result<Vec<Sides>, GitError> {
        let words = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"];
        let more = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
        let arguments: Vec<&str> =
            words.into_iter().chain(more).chain([base.as_str(), head.as_str()]).collect();
        let finished = self.git.must_at(&self.place, &arguments)?;
        let bytes = finished.stdout.bytes();
        let mut fields = bytes.split(|byte| *byte == 0).filter(|field| !field.is_empty());
        let mut sides = Vec::new();
        while let (Some(raw), Some(path)) = (fields.next(), fields.next()) {
            if let Some((before, after)) = ids(&String::from_utf8_lossy(raw))
                && let Ok(path) = std::str::from_utf8(OsStr::from_bytes(path).as_bytes())
                && sides.len() < limits::HONESTY_FILES_MAX
            {
                sides.push((path.to_string(), before, after));
            }
        }
        Ok(sides)
    }

    /// What blobs say, by their ids: those that are text and not too large.
    fn texts<'a>(
        &self,
        ids: impl Iterator<Item = &'a ObjectId>,
    ) -> Result<BTreeMap<String, String>, GitError> {
        let asked: String = ids.map(|id| format!("{id}\n")).collect();
        let sizes = self.git.tell_at(&self.place, &["cat-file", "--batch-check"], asked)?;
        let mut left = self.place.output_bytes_max() as u64 / 2;
        let mut small = String::new();
        for line in sizes.stdout.text().lines() {
            let mut words = line.split(' ');
            let (Some(id), Some("blob"), Some(Ok(size))) =
                (words.next(), words.next(), words.next().map(str::parse::<u64>))
            else {
                continue;
            };
            if size <= limits::PLACE_FILE_BYTES_MAX && size < left {
                left -= size;
                small += &format!("{id}\n");
            }
        }
        let read = self.git.tell_at(&self.place, &["cat-file", "--batch"], small)?;
        let bytes = if read.stdout.dropped_bytes() == 0 { read.stdout.bytes() } else { Vec::new() };
        Ok(batch(&bytes))
    }
}

/// `:mode mode id id letter`; None where it is no plain file on either side.
fn ids(raw: &str) -> Option<(Option<ObjectId>, Option<ObjectId>)> {
    let mut parts = raw.strip_prefix(':')?.split(' ');
    let (before, after) = (parts.next()?, parts.next()?);
    let (old, new) = (parts.next()?, parts.next()?);
    let plain = |mode: &str, id: &str| is_plain(mode).then(|| ObjectId::parse(id)).flatten();
    let sides = (plain(before, old), plain(after, new));
    (sides != (None, None)).then_some(sides)
}

/// `id blob size`, the bytes, an end of line; one after the other.
fn batch(mut bytes: &[u8]) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut words = head.split(' ');
        let (id, size) = (words.next(), words.nth(1).and_then(|size| size.parse::<usize>().ok()));
        let (Some(id), Some(size)) = (id, size) else { break };
        let Some(text) = bytes.get(end + 1..end + 1 + size) else { break };
        if let Ok(text) = std::str::from_utf8(text) {
            texts.insert(id.to_string(), text.to_string());
        }
        bytes = bytes.get(end + 2 + size..).unwrap_or_default();
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::fixture::{Fixture, write};

    #[test]
    fn both_sides_of_every_text_that_changed_are_read() {
        let fixture = Fixture::new();
        let base = fixture.head();
        write(&fixture.root(), "src/main.rs", "fn main() { run() }\n");
        write(&fixture.root(), "empty", "");
        write(&fixture.root(), "bytes", [0xff, 0xfe, 0x00]);
        fixture.plain("rm README.md && ln -s x link && git add -A && git commit --quiet -m second");
        let texts = fixture.checkout().change_texts(&base, &fixture.head()).unwrap();
        let text = |path: &str, before: Option<&str>, after: Option<&str>| ChangedText {
            path: path.into(),
            before: before.map(str::to_string),
            after: after.map(str::to_string),
        };
        assert_eq!(
            texts,
            [
                text("README.md", Some("one\ntwo\nthree\n"), None),
                text("empty", None, Some("")),
                text("src/main.rs", Some("fn main() {}\n"), Some("fn main() { run() }\n")),
            ]
        );
        assert_eq!(fixture.checkout().change_texts(&base, &base).unwrap(), []);
    }
}
