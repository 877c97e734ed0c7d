//! What the tests of this crate stand on: a project with its folder, held by this process, and events of a small kind.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::folder::Folder;
use crate::lock::{Holder, Lock};
use crate::reader::Journal;
use crate::run_id::RunId;
use crate::writer::Writer;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    Started { selection: Vec<String> },
    Said { text: String },
}

pub(crate) struct Scratch {
    root: tempfile::TempDir,
    pub(crate) folder: Folder,
}

impl Scratch {
    /// On a disk in memory where there is one: no test here cuts the power, so syncing would only cost time. Other disks are
    /// tried in `tests/disk.rs`.
    pub(crate) fn new() -> Scratch {
        let memory = tempfile::tempdir_in("/dev/shm");
        let root = memory.or_else(|_| tempfile::tempdir()).unwrap();
        let folder = Folder::open(root.path()).unwrap();
        Scratch { root, folder }
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn lock(&self) -> Lock {
        self.folder.lock(&holder()).unwrap()
    }

    /// A journal of so many records, each written by its own append.
    pub(crate) fn with_journal(count: usize) -> Scratch {
        let scratch = Scratch::new();
        let mut writer = Writer::create(&scratch.folder, &scratch.lock(), &run()).unwrap();
        for event in events(count) {
            writer.append(1_763_251_234_567, &[event]).unwrap();
        }
        scratch
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.folder.journal(&run())).unwrap()
    }

    pub(crate) fn put_bytes(&self, bytes: &[u8]) {
        std::fs::write(self.folder.journal(&run()), bytes).unwrap();
    }

    pub(crate) fn read(&self, acknowledged: Option<u64>) -> Result<Journal<Event>, String> {
        crate::read(&self.folder, &run(), acknowledged).map_err(|error| self.shown(&error))
    }

    /// An error without the folder's own name.
    pub(crate) fn shown(&self, error: &impl ToString) -> String {
        error.to_string().replace(&self.folder.path().display().to_string(), "[]")
    }
}

pub(crate) fn run() -> RunId {
    RunId::new("run-1").unwrap()
}

pub(crate) fn holder() -> Holder {
    Holder {
        pid: std::process::id(),
        host: "here".into(),
        command: "autopilot run 3".into(),
        started_at: 1_763_251_234_567,
    }
}

pub(crate) fn events(count: usize) -> Vec<Event> {
    let event = |index: usize| match index % 3 {
        0 => Event::Started { selection: vec![index.to_string(), "2.1".into()] },
        _ => Event::Said { text: format!("line {index}\nwith \"quotes\", ü and \u{0}") },
    };
    (0..count).map(event).collect()
}
