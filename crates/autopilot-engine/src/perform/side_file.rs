//! Follows the files in which an agent tells more than its stream does, line by line as they grow. What cannot be read tells nothing: the
//! agent works on, and its end tells the rest.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use autopilot_agents::activity::Activity;
use autopilot_agents::agent::{SideFile, StreamReader};
use autopilot_core::limits;

#[derive(Default)]
pub(super) struct Aside {
    /// How far each was read, to the end of a whole line. A file is known by its number: some agents move one aside by another name
    /// when they begin the next.
    read: BTreeMap<u64, u64>,
}

impl Aside {
    /// What the lines since the last time mean.
    pub(super) fn read(&mut self, reader: &mut dyn StreamReader) -> Vec<Activity> {
        let Some(wanted) = reader.side_file() else { return Vec::new() };
        let mut activities = Vec::new();
        // More than one piece comes at once only at the end; whoever writes more a second than this is not followed that closely.
        let mut pieces_left = limits::SIDE_PIECES_MAX;
        for (number, mut file) in open_all(&wanted) {
            let at = self.read.entry(number).or_default();
            while pieces_left > 0 {
                let Some(piece) = piece(&mut file, at) else { break };
                pieces_left -= 1;
                for line in piece.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                    activities.extend(reader.read_side_line(line));
                }
            }
        }
        activities
    }
}

/// Whole lines, at most so many bytes of them. A line that is longer is passed over.
fn piece(file: &mut File, at: &mut u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(*at)).ok()?;
    let mut piece = Vec::new();
    file.take(limits::SIDE_PIECE_BYTES).read_to_end(&mut piece).ok()?;
    let whole = piece.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
    let is_full = piece.len() as u64 == limits::SIDE_PIECE_BYTES;
    let used = whole.or(is_full.then_some(piece.len()))?;
    *at += used as u64;
    piece.truncate(whole.unwrap_or(0));
    Some(piece)
}

/// Every file below the folder whose name ends so. Links are not followed: the folder is the agent's to fill.
fn open_all(wanted: &SideFile) -> Vec<(u64, File)> {
    let mut found = Vec::new();
    let mut folders = vec![(wanted.folder.clone(), 0)];
    let mut looked_at = 0;
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > limits::SIDE_ENTRIES_MAX {
                return found;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_file() && has_end(&path, &wanted.name_ends) {
                found.extend(opened(&path).filter(|_| found.len() < limits::SIDE_FILES_MAX));
            }
            if kind.is_dir() && depth < limits::SIDE_DEPTH_MAX {
                folders.push((path, depth + 1));
            }
        }
    }
    found
}

/// With the number of what was opened: by then another may lie there.
fn opened(path: &Path) -> Option<(u64, File)> {
    let file = File::open(path).ok()?;
    Some((file.metadata().ok()?.ino(), file))
}

fn has_end(path: &Path, ends: &[String]) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    ends.iter().any(|end| name.ends_with(end.as_str()))
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
        let wanted = SideFile { folder: folder.clone(), name_ends: vec!["-7.jsonl".into()] };
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

    #[test]
    fn a_file_that_is_moved_aside_is_read_on_and_the_one_in_its_place_from_its_start() {
        let around = tempfile::tempdir().unwrap();
        let path = |name: &str| around.path().join(name);
        let wanted =
            SideFile { folder: around.path().to_path_buf(), name_ends: vec![".jsonl".into()] };
        let (mut reader, mut aside) = (Echo(wanted), Aside::default());
        let mut said = || {
            let seen = aside.read(&mut reader).into_iter();
            let mut seen: Vec<String> = seen.map(|one| format!("{one:?}")).collect();
            seen.sort();
            seen
        };
        let mut first = File::create(path("request.0.jsonl")).unwrap();
        first.write_all(b"one\n").unwrap();
        assert_eq!(said(), [r#"Said("one")"#]);
        fs::rename(path("request.0.jsonl"), path("request.1.jsonl")).unwrap();
        fs::write(path("request.0.jsonl"), "two\n").unwrap();
        first.write_all(b"three\n").unwrap();
        assert_eq!(said(), [r#"Said("three")"#, r#"Said("two")"#]);
        assert!(said().is_empty());
    }
}
