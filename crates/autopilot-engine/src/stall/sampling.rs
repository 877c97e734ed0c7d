//! Takes the signs of life that an agent does not tell: CPU time of its processes and changes in its workspace. Looks at times only,
//! never into a file.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use autopilot_core::limits;
use rustix::process::Pid;

use super::Sample;
use crate::process::tree;

pub(super) fn take(leader: Pid, workspace: &Path) -> Sample {
    Sample { cpu: tree::cpu_time(leader), files: change_number(workspace) }
}

/// Another number when a file was made, written, renamed or taken away: the sum of when each was changed, so that a clock that was set
/// back hides nothing. Folders near the top come first, so that a workspace that is too large is seen where people work. Git's own
/// folder is left out: a look at the state of the tree writes there.
fn change_number(workspace: &Path) -> u64 {
    let mut sum = 0_u64;
    let mut seen = 0;
    let mut folders = VecDeque::from([workspace.to_path_buf()]);
    while let Some(folder) = folders.pop_front() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name() != ".git") {
            seen += 1;
            if seen > limits::WATCHED_FILES_MAX {
                return sum;
            }
            // Of links themselves: what they lead to is not the workspace's.
            let Ok(about) = entry.metadata() else { continue };
            sum = sum.wrapping_add(number_of(&about));
            if about.is_dir() {
                folders.push_back(PathBuf::from(&folder).join(entry.file_name()));
            }
        }
    }
    sum
}

fn number_of(about: &fs::Metadata) -> u64 {
    let changed = about.ctime().wrapping_mul(1_000_000_000).wrapping_add(about.ctime_nsec());
    // The odd number keeps two changes from making up for each other.
    (changed as u64 ^ about.ino()).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_change_is_noticed_and_reading_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(root.join("a/b/one"), "1").unwrap();
        let mut before = change_number(root);
        let mut is_another = |what: &str| {
            let now = change_number(root);
            let is_another = std::mem::replace(&mut before, now) != now;
            (what.to_string(), is_another)
        };
        let mut seen = vec![is_another("nothing")];
        fs::read(root.join("a/b/one")).unwrap();
        seen.push(is_another("read"));
        fs::write(root.join(".git/index"), "1").unwrap();
        seen.push(is_another("git's own"));
        fs::write(root.join("a/b/two"), "2").unwrap();
        seen.push(is_another("made"));
        fs::write(root.join("a/b/one"), "3").unwrap();
        seen.push(is_another("written"));
        fs::rename(root.join("a/b/two"), root.join("a/two")).unwrap();
        seen.push(is_another("renamed"));
        fs::remove_file(root.join("a/two")).unwrap();
        seen.push(is_another("taken away"));
        let expected = [
            ("nothing", false),
            ("read", false),
            ("git's own", false),
            ("made", true),
            ("written", true),
            ("renamed", true),
            ("taken away", true),
        ];
        assert_eq!(seen, expected.map(|(what, is)| (what.to_string(), is)));
        assert_eq!(change_number(&root.join("nowhere")), 0);
    }
}
