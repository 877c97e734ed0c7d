//! What counts as work an attempt left.

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
        let kept = slot.keep_work(&fixture.branch(), &fixture.head(), &[]).unwrap();
        let kept = kept.map(|kept| (kept.files, kept.lines));
        assert_eq!(kept, Some((1, 2)));
        return;
    }
    panic!("no checkout within a second in {TRIES} tries");
}
