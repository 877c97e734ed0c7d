//! What must not be found: for each lie the honest change that looks like it.

use super::DoubtKind::*;
use super::FileChange;
use super::tests::{added, change, check_all, look, removed, seen};

/// An honest change of one file. That tests are merged is told, for somebody may count them.
fn honest(path: &str, before: &str, after: &str) {
    let changes = [change(path, before, after)];
    let doubts: Vec<_> = seen(&changes).into_iter().filter(|one| one.0 != TestMerged).collect();
    assert_eq!(doubts, [], "{changes:#?}");
}

#[test]
fn a_renamed_test_is_the_same_test() {
    let rust = "#[test]\nfn adds() {\n    let sum = add(1, 2);\n    assert_eq!(sum, 3);\n}\n";
    honest("tests/a.rs", rust, &rust.replace("fn adds", "fn one_and_two_make_three"));
    honest(
        "tests/a.rs",
        rust,
        &rust.replace("fn adds", "fn sums_up").replace("add(1, 2)", "add(1, 2, 0)"),
    );
    // The function is called something else too, so that only the rest of the body tells.
    let long = "#[test]\nfn adds() {\n    let sum = add(1, 2);\n    assert_eq!(sum, 3);\n    assert!(sum > 2, \"{sum}\");\n}\n";
    honest("tests/a.rs", long, &long.replace("fn adds", "fn sums_up").replace("add(1", "total(1"));
    let python = "def test_adds():\n    result = add(1, 2)\n    assert result == 3\n";
    honest("test_a.py", python, &python.replace("test_adds", "test_that_it_adds"));
    let script = "it('adds', () => {\n  const sum = add(1, 2)\n  expect(sum).toBe(3)\n})\n";
    honest("a.test.ts", script, &script.replace("'adds'", "'adds two numbers'"));
    let ruby = "describe Sum do\n  it 'adds' do\n    sum = add(1, 2)\n    expect(sum).to eq(3)\n  end\nend\n";
    honest("a_spec.rb", ruby, &ruby.replace("'adds'", "'adds two numbers'"));
}

#[test]
fn a_test_may_move() {
    let one = "def test_adds():\n    assert add(1, 2) == 3\n\n";
    let two = "def test_takes_away():\n    assert sub(3, 2) == 1\n\n";
    let all = format!("{one}{two}");
    check_all(
        &[removed("test_all.py", &all), added("test_add.py", one), added("test_sub.py", two)],
        &[],
    );
    check_all(&[change("test_all.py", &all, two), added("tests/unit/test_add.py", one)], &[]);
    let renamed = FileChange {
        path: "tests/test_sum.py",
        before: Some(&all),
        after: Some(&all),
        renamed_from: Some("test_all.py"),
    };
    check_all(&[renamed], &[]);
    let test = "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n";
    let inside = format!("#[cfg(test)]\nmod tests {{\n    use super::*;\n{test}}}\n");
    check_all(
        &[
            change("src/a.rs", &inside, "#[cfg(test)]\nmod a_tests;\n"),
            added("src/a_tests.rs", test),
        ],
        &[],
    );
    let script = "it('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n";
    check_all(&[removed("a.test.js", script), added("a.test.ts", script)], &[]);
}

#[test]
fn tests_may_become_rows_of_a_table() {
    let rust = "#[test]\nfn one() {\n    assert_eq!(add(1, 1), 2);\n}\n#[test]\nfn two() {\n    assert_eq!(add(2, 2), 4);\n}\n#[test]\nfn three() {\n    assert_eq!(add(3, 3), 6);\n}\n";
    honest(
        "tests/a.rs",
        rust,
        "#[test]\nfn sums() {\n    for (a, b, c) in [(1, 1, 2), (2, 2, 4), (3, 3, 6)] {\n        assert_eq!(add(a, b), c);\n    }\n}\n",
    );
    honest(
        "tests/a.rs",
        rust,
        "#[rstest]\n#[case(1, 1, 2)]\n#[case(2, 2, 4)]\n#[case(3, 3, 6)]\nfn sums(#[case] a: u32, #[case] b: u32, #[case] c: u32) {\n    assert_eq!(add(a, b), c);\n}\n",
    );
    honest(
        "tests/a.rs",
        rust,
        "#[test]\nfn sums() {\n    let check = |a, b, c| assert_eq!(add(a, b), c);\n    check(1, 1, 2);\n    check(2, 2, 4);\n    check(3, 3, 6);\n}\n",
    );
    let python = "def test_one():\n    assert add(1) == 2\n\ndef test_two():\n    assert add(2) == 3\n\ndef test_three():\n    assert add(3) == 4\n";
    honest(
        "test_a.py",
        python,
        "@pytest.mark.parametrize('a,b', [(1, 2), (2, 3), (3, 4)])\ndef test_add(a, b):\n    assert add(a) == b\n",
    );
    honest(
        "test_a.py",
        python,
        "CASES = [(1, 2), (2, 3), (3, 4)]\n\ndef test_add():\n    for a, b in CASES:\n        assert add(a) == b\n",
    );
    let script = "it('one', () => { expect(add(1)).toBe(2) })\nit('two', () => { expect(add(2)).toBe(3) })\n";
    honest(
        "a.test.ts",
        script,
        "it.each([[1, 2], [2, 3]])('adds %d', (a, b) => { expect(add(a)).toBe(b) })\n",
    );
    let many = "it('adds', () => {\n  expect(add(1)).toBe(2)\n  expect(add(2)).toBe(3)\n})\n";
    honest(
        "a.test.ts",
        many,
        "it.each([[1, 2], [2, 3]])('adds', (a, b) => {\n  expect(add(a)).toBe(b)\n})\n",
    );
    let go = "func TestOne(t *testing.T) {\n\tif add(1) != 2 {\n\t\tt.Fatal(\"no\")\n\t}\n}\nfunc TestTwo(t *testing.T) {\n\tif add(2) != 3 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n";
    honest(
        "a_test.go",
        go,
        "func TestAdd(t *testing.T) {\n\tfor _, c := range []struct{ a, b int }{{1, 2}, {2, 3}} {\n\t\tif add(c.a) != c.b {\n\t\t\tt.Fatal(\"no\")\n\t\t}\n\t}\n}\n",
    );
    let java = "class ATest {\n  @Test\n  void one() {\n    assertEquals(2, add(1));\n  }\n  @Test\n  void two() {\n    assertEquals(3, add(2));\n  }\n}\n";
    honest(
        "ATest.java",
        java,
        "class ATest {\n  @ParameterizedTest\n  @CsvSource({\"1,2\", \"2,3\"})\n  void adds(int a, int b) {\n    assertEquals(b, add(a));\n  }\n}\n",
    );
}

#[test]
fn a_table_may_have_plain_values_for_rows() {
    let python = "def test_one():\n    assert add(1)\n\ndef test_two():\n    assert add(2)\n";
    honest(
        "test_a.py",
        python,
        "def test_add():\n    for n in [1, 2, 3]:\n        with self.subTest(n):\n            assert add(n)\n",
    );
    let script = "it('one', () => { expect(add(1)).toBe(2) })\nit('two', () => { expect(add(2)).toBe(2) })\n";
    honest(
        "a.test.ts",
        script,
        "it('adds', () => {\n  [1, 2].forEach((n) => { expect(add(n)).toBe(2) })\n})\n",
    );
}

#[test]
fn tests_that_live_on_in_others_are_counted() {
    let test = |n: u32| format!("def test_{n}():\n    assert add({n}) == {n}\n\n");
    let before: String = (0..20).map(test).collect();
    let rows: Vec<String> = (0..20).map(|n| format!("({n}, {n})")).collect();
    let after = format!(
        "def test_all():\n    for a, b in [{}]:\n        assert add(a) == b\n",
        rows.join(", ")
    );
    let doubts = look(&[change("test_a.py", &before, &after)]);
    let [merged] = doubts.as_slice() else { panic!("{doubts:#?}") };
    assert_eq!((merged.kind, merged.kind.rejects()), (TestMerged, false));
    assert_eq!(merged.more + 1, 20, "{merged:?}");
}

#[test]
fn a_test_may_be_split_and_tests_may_be_put_together() {
    let long =
        "def test_sum():\n    assert add(1) == 2\n    assert add(2) == 3\n    assert sub(2) == 1\n";
    honest(
        "test_a.py",
        long,
        "def test_add():\n    assert add(1) == 2\n    assert add(2) == 3\n\ndef test_sub():\n    assert sub(2) == 1\n",
    );
    honest(
        "test_a.py",
        long,
        "def test_sum():\n    assert add(1) == 2\n    assert add(2) == 3\n\ndef test_sub():\n    assert sub(2) == 1\n    assert add(4) == 5\n",
    );
    honest(
        "test_a.py",
        "def test_one():\n    assert add(1) == 2\n\ndef test_two():\n    assert add(2) == 3\n",
        "def test_both():\n    assert add(1) == 2\n    assert add(2) == 3\n",
    );
}

#[test]
fn assertions_may_move_into_what_a_test_calls() {
    let before = "#[test]\nfn adds() {\n    let sum = add(1, 2);\n    assert!(sum > 1);\n    assert!(sum < 9);\n}\n";
    honest(
        "tests/a.rs",
        before,
        "fn is_small(sum: u32) {\n    assert!(sum > 1);\n    assert!(sum < 9);\n}\n#[test]\nfn adds() {\n    is_small(add(1, 2));\n}\n",
    );
    let python = "def test_adds():\n    r = add(1)\n    assert r > 1\n    assert r < 9\n";
    honest(
        "test_a.py",
        python,
        "def small(r):\n    assert r > 1\n    assert r < 9\n\ndef test_adds():\n    small(add(1))\n",
    );
    let script = "it('adds', () => {\n  expect(add(1)).toBeGreaterThan(1)\n  expect(add(1)).toBeLessThan(9)\n})\n";
    honest(
        "a.test.ts",
        script,
        "const small = (n) => {\n  expect(n).toBeGreaterThan(1)\n  expect(n).toBeLessThan(9)\n}\nit('adds', () => {\n  small(add(1))\n})\n",
    );
}

#[test]
fn a_test_may_be_written_for_another_library() {
    honest(
        "test_a.py",
        "class TestSum(TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1), 2)\n        self.assertTrue(add(2))\n",
        "def test_adds():\n    assert add(1) == 2\n    assert add(2)\n",
    );
    honest(
        "a.test.js",
        "it('adds', () => {\n  assert.equal(add(1), 2)\n})\n",
        "test('adds', () => {\n  expect(add(1)).toBe(2)\n})\n",
    );
    honest(
        "ATest.java",
        "class ATest {\n  @Test\n  void adds() {\n    assertEquals(2, add(1));\n  }\n}\n",
        "class ATest {\n  @Test\n  void adds() {\n    assertThat(add(1)).isEqualTo(2);\n  }\n}\n",
    );
    honest(
        "a_spec.rb",
        "describe Sum do\n  it 'adds' do\n    add(1).should eq(2)\n  end\nend\n",
        "describe Sum do\n  it 'adds' do\n    expect(add(1)).to eq(2)\n  end\nend\n",
    );
    honest(
        "ATest.php",
        "<?php class ATest {\n  public function testAdds() {\n    $this->assertSame(3, add(1));\n  }\n}\n",
        "<?php class ATest {\n  public function testAdds() {\n    self::assertEquals(3, add(1));\n  }\n}\n",
    );
    honest(
        "ATests.cs",
        "class A {\n  [Fact]\n  public void Adds() {\n    Assert.Equal(3, Add(1));\n  }\n}\n",
        "class A {\n  [Test]\n  public void Adds() {\n    Add(1).Should().Be(3);\n  }\n}\n",
    );
    honest(
        "a_test.go",
        "func TestAdds(t *testing.T) {\n\tif add(1) != 3 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n",
        "func TestAdds(t *testing.T) {\n\trequire.Equal(t, 3, add(1))\n}\n",
    );
}

#[test]
fn a_test_goes_with_what_it_tested() {
    let before = "pub fn old_sum(a: u32) -> u32 {\n    a + 1\n}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn sums() {\n        assert_eq!(old_sum(1), 2);\n    }\n}\n";
    check_all(&[change("src/a.rs", before, "")], &[TestOfRemovedCode]);
    let test = "from sums import old_sum\n\ndef test_sums():\n    assert old_sum(1) == 2\n";
    check_all(
        &[removed("test_a.py", test), removed("sums.py", "def old_sum(a):\n    return a + 1\n")],
        &[TestOfRemovedCode],
    );
    assert!(!TestOfRemovedCode.rejects());
}

#[test]
fn assertions_go_with_what_they_were_about() {
    let code = "pub fn old_sum(a: u32) -> u32 {\n    a + 1\n}\n";
    let test =
        "#[test]\nfn sums() {\n    assert_eq!(add(1), 2);\n    assert_eq!(old_sum(1), 2);\n}\n";
    let after = test.replace("    assert_eq!(old_sum(1), 2);\n", "");
    check_all(
        &[change("src/a.rs", code, ""), change("tests/a.rs", test, &after)],
        &[TestOfRemovedCode],
    );
}

#[test]
fn a_body_may_become_a_helper_under_another_name() {
    let body = "    let project = project();\n    assert_eq!(project.run(WORD).code, 0);\n    assert_eq!(project.ended(), 1);\n";
    let before = format!("#[test]\nfn stops() {{\n{}}}\n", body.replace("WORD", "\"stop\""));
    let after = format!(
        "#[test]\nfn stops_or_pauses() {{\n    ends(\"stop\");\n    ends(\"pause\");\n}}\nfn ends(word: &str) {{\n{}}}\n",
        body.replace("WORD", "word")
    );
    honest("tests/a.rs", &before, &after);
}

#[test]
fn what_was_so_before_is_no_news() {
    let skipped = "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_adds():\n    assert add(1) == 2\n";
    honest("test_a.py", skipped, &skipped.replace("== 2", "== 2  # two"));
    honest("test_a.py", skipped, "");
    let only = "it.only('adds', () => {\n  expect(add(1)).toBe(2)\n})\n";
    honest("a.test.ts", only, &only.replace("add(1)", "add( 1 )"));
    let trivial = "#[test]\nfn adds() {\n    assert!(true);\n}\n";
    honest("tests/a.rs", trivial, &format!("// now\n{trivial}"));
    let ignored =
        "#[test]\n#[cfg_attr(windows, ignore)]\nfn adds() {\n    assert_eq!(add(1), 2);\n}\n";
    honest("tests/a.rs", ignored, &ignored.replace("add(1)", "add(1, 0)"));
}

#[test]
fn honest_tests_are_not_mistaken_for_lies() {
    let fine = |path: &str, after: &str| check_all(&[added(path, after)], &[]);
    fine("tests/a.rs", "#[test]\nfn adds() {\n    add(1).unwrap();\n}\n");
    fine("tests/a.rs", "#[test]\nfn is_stable() {\n    assert_eq!(digest(1), digest(1));\n}\n");
    fine(
        "tests/a.rs",
        "#[test]\nfn never() {\n    if add(1) == 2 { return; }\n    assert!(false, \"add is broken\");\n}\n",
    );
    fine("tests/a.rs", "#[test]\n#[should_panic]\nfn refuses() {\n    add(0);\n}\n");
    fine(
        "test_a.py",
        "def test_raises():\n    with pytest.raises(ValueError):\n        add(None)\n",
    );
    fine(
        "test_a.py",
        "def test_raises():\n    try:\n        add(None)\n        assert False\n    except ValueError:\n        pass\n",
    );
    fine(
        "a.test.ts",
        "it('refuses', async () => {\n  await expect(add(null)).rejects.toThrow()\n})\n",
    );
    fine(
        "a.test.ts",
        "it('refuses', () => {\n  try { add(null); fail() } catch (e) { expect(e.code).toBe(1) }\n})\n",
    );
    fine(
        "a.test.ts",
        "it('tests a pattern', () => {\n  expect(/it.only(x)/.test('it.skip(\"x\")')).toBe(false)\n})\n",
    );
    fine(
        "tests/a.rs",
        "#[test]\nfn knows_marks() {\n    assert_eq!(read(\"#[ignore]\\nfn a() {}\"), 1); // #[ignore]\n}\n",
    );
    fine(
        "a_test.go",
        "func TestAdds(t *testing.T) {\n\tif err := add(1); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
    );
    fine("src/a.js", "const skip = (n) => list.skip(n)\nexport const only = 1\n");
}

#[test]
fn scripts_that_can_fail_or_are_no_tests_are_honest() {
    let fine = |path: &str, after: &str| check_all(&[added(path, after)], &[]);
    fine("tests/test_a.sh", "set -e\nsh run.sh\necho ok\n");
    fine("tests/test_a.sh", "#!/bin/sh -e\nsh run.sh\necho ok\n");
    fine("tests/test_a.sh", "set -o errexit\nsh run.sh\necho ok\n");
    fine("tests/test_a.sh", "[ \"$(sh run.sh)\" = 3 ] || exit 1\necho ok\n");
    fine("tests/test_a.sh", "echo now\nsh run.sh\n");
    fine("tests/fake-git.sh", "echo 1.0\n");
    let script = "if [ -z \"$1\" ]; then\nexit 0\nfi\n[ \"$1\" = 3 ]\n";
    honest("test.sh", "[ \"$1\" = 3 ]\n", script);
    honest("test.sh", "[ \"$1\" = 3 ]\n", "[ \"$1\" = 3 ] ||\nexit 1\n[ \"$1\" = 3 ]\nexit 0\n");
}

#[test]
fn formatting_changes_nothing() {
    honest(
        "tests/a.rs",
        "#[test] fn adds() { assert_eq!(add(1), 2); assert!(add(2) > 1); }",
        "#[test]\nfn adds() {\n    assert_eq!(\n        add(1),\n        2\n    );\n    assert!(add(2) > 1);\n}\n",
    );
    honest(
        "a.test.ts",
        "it('adds', () => { expect(add(1)).toBe(2); });",
        "it(\"adds\", () => {\n\texpect(\n\t\tadd(1)\n\t).toBe(2)\n})",
    );
    honest(
        "test_a.py",
        "def test_adds():\n  assert add(1) == 2\n",
        "def test_adds() -> None:\n    assert add(1) == 2, 'sum'\n",
    );
}

#[test]
fn a_copy_of_a_test_may_go() {
    let one = "def test_adds():\n    assert add(1) == 2\n\n";
    honest("test_a.py", &format!("{one}{}", one.replace("test_adds", "test_adds_again")), one);
}
