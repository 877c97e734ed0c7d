//! What differs in a working tree, in one git process: where HEAD stands, and every changed or new file.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::{Git, GitError, ObjectId, Place};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Status {
    /// `None` where HEAD is on a branch without a commit.
    pub(crate) head: Option<ObjectId>,
    /// `None` when HEAD is detached.
    pub(crate) branch: Option<String>,
    pub(crate) entries: Vec<Entry>,
    /// Ignored files, or the folders around them; only where they were asked for.
    pub(crate) ignored: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    /// The index has something else than HEAD.
    pub(crate) is_staged: bool,
    pub(crate) on_disk: OnDisk,
}

/// The file compared with the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnDisk {
    Same,
    Changed,
    Deleted,
    New,
    /// A folder that git does not look into because it is a repository of its own.
    NewRepository,
}

/// Inside a submodule git starts anew without our settings, so submodules stay out.
const ARGUMENTS: [&str; 8] = [
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",
    "--no-renames",
    "--untracked-files=all",
    "--ignore-submodules=all",
];

impl Git {
    pub(crate) fn status(&self, place: &Place) -> Result<Status, GitError> {
        self.status_by(place, &ARGUMENTS)
    }

    /// The same with what is ignored.
    pub(crate) fn status_and_ignored(&self, place: &Place) -> Result<Status, GitError> {
        let arguments: Vec<&str> = ARGUMENTS.into_iter().chain(["--ignored=matching"]).collect();
        self.status_by(place, &arguments)
    }

    fn status_by(&self, place: &Place, arguments: &[&str]) -> Result<Status, GitError> {
        let finished = self.must_at(place, arguments)?;
        if finished.stdout.dropped_bytes() > 0 {
            return Err(GitError::TooManyChanges { root: place.folder().to_path_buf() });
        }
        let bytes = finished.stdout.bytes();
        read(&bytes).ok_or_else(|| {
            let said = String::from_utf8_lossy(&bytes).into_owned();
            GitError::NotUnderstood { asked: "status".into(), said }
        })
    }
}

fn read(bytes: &[u8]) -> Option<Status> {
    let mut status = Status { head: None, branch: None, entries: Vec::new(), ignored: Vec::new() };
    for record in bytes.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        if let Some(header) = record.strip_prefix(b"# ") {
            let header = String::from_utf8_lossy(header);
            match header.split_once(' ')? {
                ("branch.oid", "(initial)") => {}
                ("branch.oid", id) => status.head = Some(ObjectId::parse(id)?),
                ("branch.head", "(detached)") => {}
                ("branch.head", name) => status.branch = Some(name.to_owned()),
                _ => {}
            }
        } else if let Some(path) = record.strip_prefix(b"! ") {
            status.ignored.push(PathBuf::from(OsStr::from_bytes(path)));
        } else {
            status.entries.push(entry(record)?);
        }
    }
    Some(status)
}

/// `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path` or `? path`.
fn entry(record: &[u8]) -> Option<Entry> {
    let fields = match record.first()? {
        b'?' => 2,
        b'1' => 9,
        b'u' => 11,
        _ => return None,
    };
    let mut parts = record.splitn(fields, |byte| *byte == b' ');
    let code = parts.nth(1)?;
    let is_new = fields == 2;
    let name = if is_new { code } else { parts.nth(fields - 3)? };
    let (is_staged, on_disk) = match code {
        _ if is_new && name.ends_with(b"/") => (false, OnDisk::NewRepository),
        _ if is_new => (false, OnDisk::New),
        [staged, b'.'] => (*staged != b'.', OnDisk::Same),
        [staged, b'D'] => (*staged != b'.', OnDisk::Deleted),
        [staged, _] => (*staged != b'.', OnDisk::Changed),
        _ => return None,
    };
    Some(Entry { path: PathBuf::from(OsStr::from_bytes(name)), is_staged, on_disk })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_entry_is_read_whatever_its_name() {
        let id = "a1".repeat(20);
        let text = format!(
            "# branch.oid {id}\0# branch.head autopilot/r\0# branch.upstream x\0\
             1 .M N... 100644 100644 100644 {id} {id} a b\nc\0\
             1 MD N... 100644 100644 000000 {id} {id} -gone\0\
             1 A. N... 000000 100644 100644 {id} {id} new in index\0\
             u UU N... 100644 100644 100644 100644 {id} {id} {id} both\0\
             ? \"quoted\" name\0? inner/\0! build/\0"
        );
        let entry =
            |path: &str, is_staged, on_disk| Entry { path: path.into(), is_staged, on_disk };
        let expected = Status {
            head: ObjectId::parse(&id),
            branch: Some("autopilot/r".into()),
            entries: vec![
                entry("a b\nc", false, OnDisk::Changed),
                entry("-gone", true, OnDisk::Deleted),
                entry("new in index", true, OnDisk::Same),
                entry("both", true, OnDisk::Changed),
                entry("\"quoted\" name", false, OnDisk::New),
                entry("inner/", false, OnDisk::NewRepository),
            ],
            ignored: vec!["build/".into()],
        };
        assert_eq!(read(text.as_bytes()), Some(expected));
        let nowhere = read(b"# branch.oid (initial)\0# branch.head (detached)\0");
        let (entries, ignored) = (Vec::new(), Vec::new());
        assert_eq!(nowhere, Some(Status { head: None, branch: None, entries, ignored }));
        assert_eq!(read(b"2 R. what\0"), None);
        assert_eq!(read(b"1 .M short\0"), None);
    }
}
