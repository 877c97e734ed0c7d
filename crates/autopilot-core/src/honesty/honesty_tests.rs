//! The fixture of the tables of lies and of their honest twins, and what holds for any text.

use proptest::prelude::*;

use super::{Doubt, DoubtKind, FileChange, limits};

/// Every new file is mentioned somewhere, which is not what these tests are about.
pub(super) fn look(changes: &[FileChange<'_>]) -> Vec<Doubt> {
    super::look(changes, &|_| true).doubts
}

/// A change of one file.
pub(super) fn change<'a>(path: &'a str, before: &'a str, after: &'a str) -> FileChange<'a> {
    FileChange { path, before: Some(before), after: Some(after), renamed_from: None }
}

pub(super) fn added<'a>(path: &'a str, after: &'a str) -> FileChange<'a> {
    FileChange { path, before: None, after: Some(after), renamed_from: None }
}

pub(super) fn removed<'a>(path: &'a str, before: &'a str) -> FileChange<'a> {
    FileChange { path, before: Some(before), after: None, renamed_from: None }
}

/// The kinds found, with their lines.
pub(super) fn seen(changes: &[FileChange<'_>]) -> Vec<(DoubtKind, Option<u32>)> {
    let doubts = look(changes);
    doubts.iter().map(|doubt| (doubt.kind, doubt.line)).collect()
}

pub(super) fn check(path: &str, before: &str, after: &str, expected: &[DoubtKind]) {
    check_all(&[change(path, before, after)], expected);
}

pub(super) fn check_all(changes: &[FileChange<'_>], expected: &[DoubtKind]) {
    let doubts = look(changes);
    let kinds: Vec<DoubtKind> = doubts.iter().map(|doubt| doubt.kind).collect();
    assert_eq!(kinds, expected, "{doubts:#?}\n{changes:#?}");
}

#[test]
fn a_doubt_names_the_test_and_what_happened_to_it() {
    let before = "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n";
    let after = "#[test]\n#[ignore]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n";
    let expected = Doubt {
        kind: DoubtKind::TestSkipped,
        file: "tests/sum.rs".to_string(),
        line: Some(2),
        fact: "the test \"adds\" is skipped now, by \"ignore\"".to_string(),
        more: 0,
    };
    assert_eq!(look(&[change("tests/sum.rs", before, after)]), std::slice::from_ref(&expected));
    let stored = serde_json::to_string(&expected).unwrap();
    assert!(stored.starts_with("{\"kind\":\"test_skipped\",\"file\":\"tests/sum.rs\",\"line\":2"));
    assert_eq!(serde_json::from_str::<Doubt>(&stored).unwrap(), expected);
}

#[test]
fn many_doubts_of_one_file_are_counted_and_not_listed() {
    let tests: Vec<String> =
        (0..300).map(|n| format!("def test_number_{n}():\n    assert f({n}) == {n}\n\n")).collect();
    let doubts = look(&[removed("test_a.py", &tests.concat())]);
    assert_eq!(doubts.len(), limits::HONESTY_DOUBTS_PER_FILE_MAX);
    assert!(doubts.last().unwrap().fact.ends_with("(and 292 more of this kind in the file)"));
    assert_eq!(doubts.last().unwrap().more, 292);
}

#[test]
fn a_name_cannot_break_out_of_its_quotes() {
    let before = "test('a\u{202E}b\u{7}', () => { expect(f()).toBe(1) })";
    let doubts = look(&[removed("a.test.js", before)]);
    assert!(
        doubts[0].fact.contains("\\u{202e}") && doubts[0].fact.contains("\\u{7}"),
        "{doubts:?}"
    );
}

/// Long and deep texts end in time and on the stack there is. Lists and limits keep every step in proportion to the text.
#[test]
fn long_lines_and_deep_nesting_are_read_in_one_go() {
    let pieces = [
        "(",
        "{",
        "[",
        "'",
        "\"",
        "`${",
        "/[",
        "/*",
        "<<A ",
        "it('a', () => {",
        "#[test] fn a() {",
        "assert(",
        "def a(): ",
        "const a = b => ",
        "try { ",
        "if false {",
        "return ",
        "@a(",
        "expect(a).",
        "assert a == ",
        "class A { void a() { ",
        "describe.skip('a', () => { ",
        "a.b.",
        "x, ",
        "if (false) { ",
        "func TestA(",
    ];
    let paths = [
        "tests/a.rs",
        "test_a.py",
        "a.test.ts",
        "a_test.go",
        "ATest.java",
        "a_spec.rb",
        "ATest.php",
        "ATests.cs",
        "test.sh",
        "ATest.kt",
    ];
    for path in paths {
        for piece in pieces {
            let text = piece.repeat(60_000 / piece.len());
            let lines = format!("{piece}\n").repeat(4_000);
            look(&[change(path, &text, &lines)]);
        }
        let line = format!("let x = \"{}\";", "a".repeat(1024 * 1024));
        look(&[change(path, &line, "")]);
    }
}

/// Text that looks like tests more often than chance would make it.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("#[test]\nfn a() {\n"),
        Just("#[ignore]\n"),
        Just("assert_eq!(a(1), 2);\n"),
        Just("assert!(true);\n"),
        Just("def test_a():\n"),
        Just("    assert f(1) == 2\n"),
        Just("@pytest.mark.skip\n"),
        Just("it('a', () => {\n"),
        Just("expect(a(1)).toBe(2)\n"),
        Just("describe.only('b', () => {"),
        Just("})\n"),
        Just("}\n"),
        Just("\"\"\""),
        Just("/*"),
        Just("*/"),
        Just("'"),
        Just("<<EOF\n"),
        Just("return;\n"),
        Just("try { "),
        Just("} catch (e) {}\n"),
        Just("ä😀\u{202E}"),
        Just("    "),
        Just("\n"),
        Just("\\"),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn path() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("tests/a.rs"),
        Just("src/a.rs"),
        Just("test_a.py"),
        Just("a.test.ts"),
        Just("a_test.go"),
        Just("ATest.java"),
        Just("ATest.kt"),
        Just("a_spec.rb"),
        Just("ATest.php"),
        Just("ATests.cs"),
        Just("a.bats"),
        Just("test.sh"),
        Just("package.json"),
        Just(".github/workflows/ci.yml"),
        Just("pyproject.toml"),
        Just("Makefile"),
        Just("README.md"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_two_texts_give_bounded_printable_doubts(path in path(), before in text(), after in text(), any in ".{0,60}") {
        for (before, after) in [(&before, &after), (&before, &any), (&any, &after)] {
            let doubts = look(&[change(path, before, after), added("b.test.js", before)]);
            prop_assert!(doubts.len() <= limits::HONESTY_DOUBTS_MAX);
            for doubt in doubts {
                prop_assert!(doubt.fact.chars().count() <= limits::HONESTY_FACT_CHARS_MAX + 60);
                prop_assert!(!doubt.fact.chars().any(char::is_control));
            }
        }
    }

    #[test]
    fn a_file_that_did_not_change_gives_no_doubt(path in path(), text in text()) {
        prop_assert_eq!(look(&[change(path, &text, &text)]), []);
    }

    #[test]
    fn a_file_that_moved_as_it_was_gives_no_doubt(text in text()) {
        let moved = FileChange { path: "tests/b.rs", before: Some(&text), after: Some(&text), renamed_from: Some("tests/a.rs") };
        let doubts = look(&[moved]);
        prop_assert_eq!(doubts, []);
    }
}
