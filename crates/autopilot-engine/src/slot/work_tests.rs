//! What counts as work an attempt left.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::fixture::{Fixture, write};

fn second() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn next_second() -> u64 {
    let begun = second();
    loop {
        let now = second();
        if now > begun {
            return now;
        }
        std::thread::yield_now();
    }
}

/// Git compares times in whole seconds. For a file that was changed in the second it was checked out in, and is as long as
/// before, all it has to go by is that its index is as old; so a copy of the index must be as old too.
#[test]
fn an_edit_of_the_same_length_in_the_same_second_is_work() {
    const TRIES: usize = 20;
    for _ in 0..TRIES {
        let fixture = Fixture::new();
        let slot = fixture.slot();
        let begun = next_second();
        slot.begin(&fixture.branch(), &fixture.head(), "begin").unwrap();
        write(slot.folder(), "README.md", "one\ntwo\nTHREE\n");
        if second() != begun {
            // Too slow to be in the same second; that shows nothing.
            continue;
        }
        next_second();
        let kept = slot.keep_work(&fixture.branch(), &fixture.head(), &|_| false).unwrap();
        let kept = kept.work.map(|kept| (kept.files, kept.lines));
        assert_eq!(kept, Some((1, 2)));
        return;
    }
    panic!("no checkout within a second in {TRIES} tries");
}

#[test]
fn what_is_passed_over_is_named_and_not_kept_also_when_the_agent_committed_it() {
    let fixture = Fixture::new();
    let (slot, head) = (fixture.begun(), fixture.head());
    write(slot.folder(), "README.md", "another\n");
    fixture.plain_in(slot.folder(), "git add -A && git commit --quiet -m own");
    write(slot.folder(), "src/main.rs", "fn main() { work() }\n");
    let is_passed_over = |path: &Path| path.ends_with("README.md");
    let kept = slot.keep_work(&fixture.branch(), &head, &is_passed_over).unwrap();
    assert_eq!(kept.passed_over, [PathBuf::from("README.md")]);
    let work = kept.work.unwrap();
    assert_eq!((work.files, work.own_commits), (1, 1));
    let readme = fixture.plain(&format!("git show {}:README.md", work.commit));
    assert_eq!(readme, "one\ntwo\nthree\n");
}
