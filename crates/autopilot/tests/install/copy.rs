//! A copy of the repository, so that what is built, packed and installed there is no contributor's. It stays for the next time the test is
//! run: a file that did not change keeps its time, and cargo builds only what did.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Below the target folder, where cargo lets tests keep what they like.
const AROUND: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/installing");
const TARGET: &str = "target";

/// Settings as anybody can have them above a repository. What takes users minutes is the optimiser, and it is turned down.
const SETTINGS: &str = "\
[net]
offline = true

[profile.dev]
debug = false

[profile.dev.package.autopilot-core]
opt-level = 0

[profile.release]
opt-level = 0
lto = \"off\"
codegen-units = 16
";

/// Makes the copy as the repository is now, with these of its files, and says where it is.
pub(crate) fn made(root: &Path, listed: &[String]) -> PathBuf {
    let copy = Path::new(AROUND).join("autopilot");
    let there = listed.iter().filter(|path| root.join(path).is_file());
    let there: BTreeSet<PathBuf> = there.map(|path| copy.join(path)).collect();
    fs::create_dir_all(&copy).unwrap();
    for entry in fs::read_dir(&copy).unwrap() {
        let path = entry.unwrap().path();
        if path != copy.join(TARGET) {
            remove_others(&path, &there);
        }
    }
    for path in there {
        let from = root.join(path.strip_prefix(&copy).unwrap());
        write(&path, &fs::read(from).unwrap());
    }
    write(&Path::new(AROUND).join(".cargo/config.toml"), SETTINGS.as_bytes());
    copy
}

fn remove_others(path: &Path, kept: &BTreeSet<PathBuf>) {
    if !path.is_dir() {
        if !kept.contains(path) {
            fs::remove_file(path).unwrap();
        }
        return;
    }
    for entry in fs::read_dir(path).unwrap() {
        remove_others(&entry.unwrap().path(), kept);
    }
    // An empty folder of the crates would be taken for a crate.
    if fs::read_dir(path).unwrap().next().is_none() {
        fs::remove_dir(path).unwrap();
    }
}

fn write(path: &Path, bytes: &[u8]) {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
