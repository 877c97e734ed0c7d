//! Whatever is printed, in whatever pieces: no panic, bounded, and the same each time.

use proptest::prelude::*;

use super::captured_tests::{CAPTURED, output};
use super::*;

/// Pieces of all formats, so that random text gets past the first word.
const PIECES: &str = "(running |test |test result: | \\.\\.\\. |ok|FAILED|\\. |passed; |failed; |Starting |Summary \\[1s\\] | tests run: |=== | passed|, | failed| in 0\\.1s|\\.\\.F|\\[100%\\]|PASS |Test Suites: |Tests: | total|Test Files  |Tests  |  ✓ |  1\\) | passing \\(|  2 failing|TAP version 13|1\\.\\.|ok |not ok |# tests |# pass |ℹ |=== RUN   |--- PASS: |T |FAIL\t|ok  \t|\\{\"Action\":\"|pass\",\"Package\":\"p\",\"Test\":\"|\"\\}|<testsuite |<testcase name=\"|\">|/>|</testsuite>|<!\\[CDATA\\[|\\]\\]>|\u{1b}\\[31m|\u{1b}|\r|\n|\n|4294967295|3|1|0| |:|é){0,60}";

fn is_bounded(counts: Option<&TestCounts>) -> bool {
    counts.is_none_or(|counts| {
        let names = &counts.failed_names;
        names.len() <= limits::TEST_NAMES_MAX
            && names.iter().map(String::len).sum::<usize>() <= limits::TEST_NAMES_BYTES_MAX
            && names.iter().all(|name| name.chars().count() <= limits::TEST_NAME_CHARS_MAX)
    })
}

proptest! {
    #[test]
    fn any_output_is_read_and_what_is_kept_is_bounded(text in PIECES) {
        let counts = TestCounter::read(text.as_bytes());
        prop_assert!(is_bounded(counts.as_ref()));
        prop_assert_eq!(TestCounter::read(text.as_bytes()), counts);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        prop_assert!(is_bounded(TestCounter::read(&bytes).as_ref()));
    }

    #[test]
    fn a_captured_output_may_be_cut_and_put_together_anywhere(
        which in 0..CAPTURED.len(), cut in 0_usize..9_000, other in 0..CAPTURED.len()
    ) {
        let (first, second) = (output(CAPTURED[which].text), output(CAPTURED[other].text));
        let cut = cut.min(first.len());
        let mixed = [&first.as_bytes()[..cut], b"\n", second.as_bytes()].concat();
        prop_assert!(is_bounded(TestCounter::read(&mixed).as_ref()));
    }

    #[test]
    fn lines_of_others_between_two_runs_change_nothing(which in 0..CAPTURED.len(), words in "[a-z ]{0,40}") {
        let text = output(CAPTURED[which].text);
        let framed = format!("{words}\n{text}\n{words}\n");
        prop_assert_eq!(TestCounter::read(framed.as_bytes()), TestCounter::read(text.as_bytes()));
    }
}

#[test]
fn endless_output_takes_no_more_memory_and_ends() {
    let mut counter = TestCounter::default();
    counter.line(b"  1) a suite");
    for number in 0..20_000 {
        counter.line(format!("=== RUN   Test{number}").as_bytes());
        counter.line(b"running 1 test");
        counter.line(b"test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
        counter.line(b"ok 1 - a");
        counter.line(b"<testsuite/>");
        counter.line(b"        goes on and on and never ends");
    }
    counter.line(&vec![b'.'; 5_000_000]);
    counter.line(&[b"<testsuite ".as_slice(), &vec![b'x'; 5_000_000]].concat());
    let counts = counter.end().unwrap();
    assert_eq!(counts.passed, 20_000);
    assert_eq!(counts.failed, u32::try_from(limits::TESTS_OPEN_MAX).unwrap());
}
