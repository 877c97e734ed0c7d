//! Tests of `expectations`.

use super::super::tests::{added, change, removed};
use super::super::{FileChange, look};

/// The files whose expectations are others, those whose tests ask for less with a star.
fn found(changes: &[FileChange<'_>]) -> String {
    let looked = look(changes, &|_| true);
    let names = looked.expectations.into_iter().map(|one| {
        let star = if one.weaker.is_some() { "*" } else { "" };
        format!("{}{star}", one.file)
    });
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn data_and_helpers_of_tests_are_rested_on() {
    let check = |path: &str, expected: &str| {
        assert_eq!(found(&[change(path, "one = 1\n", "one = 2\n")]), expected, "{path}");
    };
    for path in
        ["tests/golden/invoice.txt", "test/cases.json", "pkg/testdata/in.csv", "tests/__init__.py"]
    {
        check(path, path);
    }
    check("test/setup.js", "test/setup.js");
    check("src/table.json", "");
    check("src/lib.rs", "");
    check("tests/README.md", "");
    check("tests/__snapshots__/a.snap", "");
    check("tests/snapshots/a.snap", "");
    assert_eq!(found(&[added("tests/golden/new.txt", "new")]), "", "nothing rested on it");
    assert_eq!(found(&[removed("tests/golden/old.txt", "old")]), "tests/golden/old.txt");
}

#[test]
fn a_test_that_compares_with_another_value_is_measured_as_it_was() {
    let python = |body: &str| format!("def test_sum():\n    {body}\n");
    let check = |before: &str, after: &str, expected: &str| {
        let changed = [python(before), python(after)];
        assert_eq!(
            found(&[change("tests/test_sum.py", &changed[0], &changed[1])]),
            expected,
            "{after}"
        );
    };
    check("assert add(1, 2) == 3", "assert add(1, 2) == 4", "tests/test_sum.py");
    check("assert add(1, 2) == 3", "assert total(1, 2) == 3", "");
    check("assert add(1, 2) == 3", "assert add(1, 2, None) == 3", "");
    check("assert add(1, 2) == 3", "assert add(1, 2) is not None", "tests/test_sum.py*");
    check("self.assertEqual(add(1), 2)", "self.assertTrue(add(1))", "tests/test_sum.py*");
    check("self.assertEqual(ok(), True)", "self.assertTrue(ok())", "");
    check("assert add(1, 2) == 3", "assert add(1, 2) == 3\n    assert add(2, 2) == 4", "");
}

#[test]
fn matchers_of_other_languages_are_compared_too() {
    let script = |body: &str| format!("test('sum', () => {{ {body} }});\n");
    let check = |before: &str, after: &str, expected: &str| {
        let changed = [script(before), script(after)];
        assert_eq!(found(&[change("sum.test.ts", &changed[0], &changed[1])]), expected, "{after}");
    };
    check("expect(add(1)).toBe(2);", "expect(add(1)).toBeDefined();", "sum.test.ts*");
    check("expect(add(1)).toBe(2);", "expect(add(1)).toBe(3);", "sum.test.ts");
    check("expect(add(1)).toBe(2);", "expect(add(1)).toEqual(2);", "");
    check("assert.strictEqual(add(1), 2);", "assert.ok(add(1));", "sum.test.ts*");
    let rust = |body: &str| format!("#[test]\nfn sum() {{\n    {body}\n}}\n");
    let changed = [rust("assert_eq!(add(1), 2);"), rust("assert!(add(1) > 0);")];
    assert_eq!(found(&[change("tests/sum.rs", &changed[0], &changed[1])]), "tests/sum.rs*");
    assert_eq!(
        found(&[change("src/sum.rs", &changed[0], &changed[1])]),
        "",
        "it stands in the code"
    );
}
