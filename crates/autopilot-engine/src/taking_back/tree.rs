//! The files of a commit without what a phase changed. Each file is merged by itself, with the phase's own end as the common
//! ancestor: no rename is guessed, and no program that the repository names has a say.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use autopilot_core::roadmap::tick::untick;

use super::TakenPhase;
use crate::git::{Checkout, GitError, ObjectId, line_of};
use crate::process::Ending;

/// A file in a commit; None where there is none.
type Entry = Option<File>;

#[derive(Debug, Clone, PartialEq, Eq)]
struct File {
    mode: String,
    id: ObjectId,
}

/// The tree, or the files that cannot be put together. Four processes and a few a file that later work changed too.
pub(super) fn without(
    checkout: &Checkout,
    taken: &TakenPhase,
    head: &ObjectId,
    roadmap: &str,
) -> Result<Result<ObjectId, Vec<PathBuf>>, GitError> {
    let of_phase = changes(checkout, &taken.from, &taken.to)?;
    let since = changes(checkout, &taken.to, head)?;
    let (mut conflicts, mut wanted) = (Vec::new(), Vec::new());
    for (path, (before, after)) in of_phase {
        let now = since.get(&path).map_or(after.clone(), |(_, now)| now.clone());
        let sides = Sides { ours: now.clone(), base: after, theirs: before };
        let sides =
            if path == Path::new(roadmap) { sides.unticked(checkout, taken)? } else { sides };
        match sides.merged(checkout)? {
            Some(entry) if entry == now => {}
            Some(entry) => wanted.push((path, entry)),
            None => conflicts.push(path),
        }
    }
    if !conflicts.is_empty() {
        return Ok(Err(conflicts));
    }
    put_together(checkout, head, &wanted).map(Ok)
}

struct Sides {
    ours: Entry,
    base: Entry,
    theirs: Entry,
}

impl Sides {
    /// Every phase ticks a box of the same file, next to each other: the box is opened in all three before they are compared.
    fn unticked(self, checkout: &Checkout, taken: &TakenPhase) -> Result<Sides, GitError> {
        let open = |entry: Entry| -> Result<Entry, GitError> {
            let Some(file) = entry else { return Ok(None) };
            let bytes = text_of(checkout, &file)?;
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            match text.and_then(|text| untick(&text, &taken.phase)) {
                Some(text) => Ok(Some(File { id: write(checkout, text.as_bytes())?, ..file })),
                None => Ok(Some(file)),
            }
        };
        Ok(Sides { ours: open(self.ours)?, base: open(self.base)?, theirs: open(self.theirs)? })
    }

    /// None for a conflict.
    fn merged(self, checkout: &Checkout) -> Result<Option<Entry>, GitError> {
        let Sides { ours, base, theirs } = self;
        if ours == base {
            return Ok(Some(theirs));
        }
        if theirs == base || ours == theirs {
            return Ok(Some(ours));
        }
        let (Some(ours), Some(base), Some(theirs)) = (ours, base, theirs) else { return Ok(None) };
        let is_plain = |file: &File| file.mode.starts_with("100");
        if ![&ours, &base, &theirs].into_iter().all(is_plain) {
            return Ok(None);
        }
        let mode = match (ours.mode == base.mode, theirs.mode == base.mode) {
            (true, _) => theirs.mode.clone(),
            (false, true) => ours.mode.clone(),
            (false, false) => return Ok(None),
        };
        let id = lines_merged(checkout, [&ours, &base, &theirs])?;
        Ok(id.map(|id| Some(File { mode, id })))
    }
}

/// Git's own merge of three texts, in a folder of its own. None where it does not come out even, or is no text.
fn lines_merged(checkout: &Checkout, files: [&File; 3]) -> Result<Option<ObjectId>, GitError> {
    let failed = |source| GitError::Io { path: std::env::temp_dir(), source };
    let folder = tempfile::Builder::new().prefix("autopilot-git-").tempdir().map_err(failed)?;
    let mut paths = Vec::new();
    for (name, file) in ["ours", "base", "theirs"].into_iter().zip(files) {
        let Some(bytes) = text_of(checkout, file)? else { return Ok(None) };
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).map_err(failed)?;
        paths.push(path);
    }
    let words = ["merge-file", "-p", "-q"].map(OsStr::new);
    let arguments: Vec<&OsStr> =
        words.into_iter().chain(paths.iter().map(|path| path.as_os_str())).collect();
    let finished = checkout.git.ask_at(&checkout.place, &arguments)?;
    match finished.ending {
        Ending::Exited(0) if finished.stdout.dropped_bytes() == 0 => {
            write(checkout, &finished.stdout.bytes()).map(Some)
        }
        Ending::TimedOut => Err(GitError::TimedOut { asked: "merge-file".into() }),
        Ending::Exited(_) | Ending::Signalled(_) => Ok(None),
    }
}

fn text_of(checkout: &Checkout, file: &File) -> Result<Option<Vec<u8>>, GitError> {
    let blob = checkout.blob_of(&file.id)?;
    checkout.blob_text(&blob)
}

fn write(checkout: &Checkout, bytes: &[u8]) -> Result<ObjectId, GitError> {
    let arguments = ["hash-object", "-w", "--no-filters", "--stdin"];
    let finished = checkout.git.tell_at(&checkout.place, &arguments, bytes)?;
    let said = line_of(&finished);
    ObjectId::parse(&said)
        .ok_or_else(|| GitError::NotUnderstood { asked: "hash-object".into(), said })
}

/// The tree of a commit with some files another or gone, in an index of its own.
fn put_together(
    checkout: &Checkout,
    head: &ObjectId,
    wanted: &[(PathBuf, Entry)],
) -> Result<ObjectId, GitError> {
    let failed = |source| GitError::Io { path: std::env::temp_dir(), source };
    let folder = tempfile::Builder::new().prefix("autopilot-git-").tempdir().map_err(failed)?;
    let place = checkout.place.with_index(&folder.path().join("index"));
    checkout.git.must_at(&place, &["read-tree", head.as_str()])?;
    let mut input = Vec::new();
    // What goes stands first: a file may take the place of a folder.
    let (gone, there): (Vec<_>, Vec<_>) = wanted.iter().partition(|(_, entry)| entry.is_none());
    for (path, entry) in gone.into_iter().chain(there) {
        let line = match entry {
            Some(File { mode, id }) => format!("{mode} {id}\t"),
            None => format!("0 {}\t", head.none_yet()),
        };
        input.extend_from_slice(line.as_bytes());
        input.extend_from_slice(path.as_os_str().as_bytes());
        input.push(0);
    }
    checkout.git.tell_at(&place, &["update-index", "-z", "--index-info"], input)?;
    checkout.git.id_from(&place, &["write-tree"])
}

/// The files that differ, on both sides.
fn changes(
    checkout: &Checkout,
    from: &ObjectId,
    to: &ObjectId,
) -> Result<BTreeMap<PathBuf, (Entry, Entry)>, GitError> {
    let words = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"];
    let arguments = [&words[..], &[from.as_str(), to.as_str()]].concat();
    let finished = checkout.git.must_at(&checkout.place, &arguments)?;
    if finished.stdout.dropped_bytes() > 0 {
        return Err(GitError::TooManyChanges { root: checkout.root().to_path_buf() });
    }
    let bytes = finished.stdout.bytes();
    read(&bytes).ok_or_else(|| {
        let said = String::from_utf8_lossy(&bytes).into_owned();
        GitError::NotUnderstood { asked: "diff-tree".into(), said }
    })
}

/// `:mode mode id id letter` and the path, one after the other.
fn read(bytes: &[u8]) -> Option<BTreeMap<PathBuf, (Entry, Entry)>> {
    let mut fields = bytes.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut found = BTreeMap::new();
    while let Some(raw) = fields.next() {
        let raw = String::from_utf8_lossy(raw).into_owned();
        let parts: Vec<&str> = raw.strip_prefix(':')?.split(' ').collect();
        let [old_mode, new_mode, old, new, _letter] = parts.as_slice() else { return None };
        let entry = |mode: &str, id: &str| -> Option<Entry> {
            if mode == "000000" {
                return Some(None);
            }
            Some(Some(File { mode: mode.to_string(), id: ObjectId::parse(id)? }))
        };
        let path = PathBuf::from(OsStr::from_bytes(fields.next()?));
        found.insert(path, (entry(old_mode, old)?, entry(new_mode, new)?));
    }
    Some(found)
}
