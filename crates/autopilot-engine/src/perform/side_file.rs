//! Follows the file in which an agent tells more than its stream does, line by line as it grows. What cannot be read tells nothing: the
//! agent works on, and its end tells the rest.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use autopilot_agents::activity::Activity;
use autopilot_agents::agent::{SideFile, StreamReader};
use autopilot_core::limits;

#[derive(Default)]
pub(super) struct Aside {
    path: Option<PathBuf>,
    /// How far it was read, to the end of a whole line.
    at: u64,
}

impl Aside {
    /// What the lines since the last time mean.
    pub(super) fn read(&mut self, reader: &mut dyn StreamReader) -> Vec<Activity> {
        if self.path.is_none() {
            self.path = reader.side_file().and_then(|wanted| find(&wanted));
        }
        let mut activities = Vec::new();
        // More than one piece comes at once only at the end; whoever writes more a second than this is not followed that closely.
        for _ in 0..limits::SIDE_PIECES_MAX {
            let Some(piece) = self.piece() else { break };
            for line in piece.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                activities.extend(reader.read_side_line(line));
            }
        }
        activities
    }

    /// Whole lines, at most so many bytes of them. A line that is longer is passed over.
    fn piece(&mut self) -> Option<Vec<u8>> {
        let mut file = File::open(self.path.as_ref()?).ok()?;
        file.seek(SeekFrom::Start(self.at)).ok()?;
        let mut piece = Vec::new();
        file.take(limits::SIDE_PIECE_BYTES).read_to_end(&mut piece).ok()?;
        let whole = piece.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        let is_full = piece.len() as u64 == limits::SIDE_PIECE_BYTES;
        let used = whole.or(is_full.then_some(piece.len()))?;
        self.at += used as u64;
        piece.truncate(whole.unwrap_or(0));
        Some(piece)
    }
}

/// The first file below the folder whose name ends so. Links are not followed: the folder is the agent's to fill.
fn find(wanted: &SideFile) -> Option<PathBuf> {
    let mut folders = vec![(wanted.folder.clone(), 0)];
    let mut looked_at = 0;
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).ok()?.flatten() {
            looked_at += 1;
            if looked_at > limits::SIDE_ENTRIES_MAX {
                return None;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_file() && has_end(&path, &wanted.name_end) {
                return Some(path);
            }
            if kind.is_dir() && depth < limits::SIDE_DEPTH_MAX {
                folders.push((path, depth + 1));
            }
        }
    }
    None
}

fn has_end(path: &Path, end: &str) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use autopilot_agents::ending::{Ending, Stopped};

    use super::*;

    /// Says every line it reads.
    struct Echo(SideFile);

    impl StreamReader for Echo {
        fn read_line(&mut self, _: &[u8]) -> Vec<Activity> {
            Vec::new()
        }

        fn side_file(&self) -> Option<SideFile> {
            Some(self.0.clone())
        }

        fn read_side_line(&mut self, line: &[u8]) -> Vec<Activity> {
            vec![Activity::Said(String::from_utf8_lossy(line).into_owned())]
        }

        fn conclude(self: Box<Self>, stopped: &Stopped) -> Ending {
            Ending::of_stop(stopped)
        }
    }

    #[test]
    fn whole_lines_are_read_once_as_the_file_grows() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("sessions");
        let wanted = SideFile { folder: folder.clone(), name_end: "-7.jsonl".into() };
        let mut reader = Echo(wanted);
        let mut aside = Aside::default();
        let mut said = |aside: &mut Aside| -> Vec<String> {
            let seen = aside.read(&mut reader).into_iter();
            seen.map(|one| format!("{one:?}")).collect()
        };
        assert!(said(&mut aside).is_empty(), "before there is a folder");
        let day = folder.join("2026/11/16");
        fs::create_dir_all(&day).unwrap();
        fs::write(day.join("rollout-6.jsonl"), "other\n").unwrap();
        let mut file = File::create(day.join("rollout-7.jsonl")).unwrap();
        file.write_all(b"one\ntwo\nhal").unwrap();
        assert_eq!(said(&mut aside), [r#"Said("one")"#, r#"Said("two")"#]);
        assert!(said(&mut aside).is_empty());
        file.write_all(b"f\n").unwrap();
        assert_eq!(said(&mut aside), [r#"Said("half")"#]);
        let long = vec![b'x'; usize::try_from(limits::SIDE_PIECE_BYTES).unwrap() * 2];
        file.write_all(&long).unwrap();
        file.write_all(b"\nlast\n").unwrap();
        let rest = said(&mut aside);
        assert_eq!(rest.last().map(String::as_str), Some(r#"Said("last")"#));
    }
}
