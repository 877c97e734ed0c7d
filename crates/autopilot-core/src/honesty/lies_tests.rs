//! What is found where a test is gone, silenced or emptied: a lie a line, language by language.

use super::DoubtKind::*;
use super::FileChange;
use super::tests::{added, change, check, check_all, removed, seen};

pub(super) const RUST: &str =
    "fn adds() {\n    assert_eq!(add(1, 2), 3);\n    assert_eq!(add(0, 0), 0);\n}\n";

/// A file of tests in Rust with one test.
pub(super) fn rust(body: &str) -> String {
    format!("#[test]\n{body}")
}

#[test]
fn a_test_that_is_gone_was_deleted() {
    let gone = |path: &str, before: &str| check(path, before, "", &[TestDeleted]);
    gone("tests/a.rs", &rust(RUST));
    gone("src/a.rs", &format!("#[cfg(test)]\nmod tests {{\n{}}}\n", rust(RUST)));
    gone(
        "tests/a.rs",
        "#[tokio::test]\nasync fn adds() {\n    assert_eq!(add(1, 2).await, 3);\n}\n",
    );
    gone("test_a.py", "def test_adds():\n    assert add(1, 2) == 3\n");
    gone(
        "test_a.py",
        "class TestSum(TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
    );
    gone("a.test.ts", "it('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n");
    gone(
        "a.test.ts",
        "test.each([[1, 2], [2, 3]])('adds %d', (a, b) => { expect(add(a)).toBe(b) })\n",
    );
    gone(
        "a_test.go",
        "func TestAdds(t *testing.T) {\n\tif add(1, 2) != 3 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n",
    );
    gone(
        "ATest.java",
        "class ATest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n",
    );
    gone(
        "ATest.kt",
        "class ATest {\n  @Test\n  fun `it adds`() = runTest {\n    add(1, 2) shouldBe 3\n  }\n}\n",
    );
    gone(
        "a_spec.rb",
        "describe Sum do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
    );
    gone(
        "test_a.rb",
        "class TestA < Minitest::Test\n  def test_adds\n    assert_equal 3, add(1, 2)\n  end\nend\n",
    );
    gone(
        "ATest.php",
        "<?php class ATest extends TestCase {\n  public function testAdds(): void {\n    $this->assertSame(3, add(1, 2));\n  }\n}\n",
    );
    gone("ATest.php", "<?php\nit('adds', function () {\n  expect(add(1, 2))->toBe(3);\n});\n");
    gone(
        "ATests.cs",
        "class A {\n  [Fact]\n  public void Adds() {\n    Assert.Equal(3, Add(1, 2));\n  }\n}\n",
    );
    gone("a.bats", "@test \"adds\" {\n  run add 1 2\n  [ \"$output\" = 3 ]\n}\n");
    gone("test.sh", "out=$(add 1 2)\n[ \"$out\" = 3 ] || exit 1\n");
}

#[test]
fn a_test_that_became_a_comment_was_deleted() {
    let commented = RUST.lines().map(|line| format!("// {line}\n")).collect::<String>();
    let after = format!("// #[test]\n{commented}");
    assert_eq!(seen(&[change("tests/a.rs", &rust(RUST), &after)]), [(TestDeleted, Some(2))]);
    let before = "it('adds', () => {\n  expect(add(1)).toBe(3)\n})\n";
    check("a.test.js", before, &format!("/* {before} */"), &[TestDeleted]);
    check(
        "test_a.py",
        "def test_adds():\n    assert add(1) == 3\n",
        "# def test_adds():\n#    assert add(1) == 3\n",
        &[TestDeleted],
    );
    check(
        "test_a.py",
        "def test_adds():\n    assert add(1) == 3\n",
        "'''\ndef test_adds():\n    assert add(1) == 3\n'''\n",
        &[TestDeleted],
    );
}

#[test]
fn a_file_of_tests_that_is_renamed_out_of_sight_is_deleted() {
    let text = "def test_adds():\n    assert add(1) == 3\n";
    let hidden = |path| FileChange {
        path,
        before: Some(text),
        after: Some(text),
        renamed_from: Some("test_a.py"),
    };
    check_all(&[hidden("a.py.bak")], &[TestDeleted]);
    check_all(&[hidden("disabled.py")], &[TestDeleted]);
    check_all(&[removed("test_a.py", text)], &[TestDeleted]);
    // Below a folder of tests too, where the runner looks at names.
    check_all(&[removed("tests/test_a.py", text), added("tests/a_cases.py", text)], &[TestDeleted]);
    let ruby = "class TestA < Minitest::Test\n  def test_adds\n    assert_equal 3, add(1, 2)\n  end\nend\n";
    check_all(&[removed("test/test_a.rb", ruby), added("test/a_off.rb", ruby)], &[TestDeleted]);
}

#[test]
fn a_test_with_a_new_mark_is_skipped() {
    let skipped =
        |path: &str, before: &str, after: &str| check(path, before, after, &[TestSkipped]);
    for mark in [
        "#[ignore]",
        "#[ignore = \"later\"]",
        "#[cfg(any())]",
        "#[cfg_attr(all(), ignore)]",
        "#[cfg(not(test))]",
    ] {
        skipped("tests/a.rs", &rust(RUST), &format!("{mark}\n{}", rust(RUST)));
    }
    skipped("tests/a.rs", &rust(RUST), &format!("#![cfg(any())]\n{}", rust(RUST)));
    let module = |cfg: &str| format!("{cfg}\nmod tests {{\n{}}}\n", rust(RUST));
    skipped("src/a.rs", &module("#[cfg(test)]"), &module("#[cfg(any())]"));
    let python = "def test_adds():\n    assert add(1, 2) == 3\n";
    for mark in [
        "@pytest.mark.skip",
        "@pytest.mark.skipif(True, reason='x')",
        "@pytest.mark.xfail",
        "@unittest.skip('x')",
        "@skip('x')",
    ] {
        skipped("test_a.py", python, &format!("{mark}\n{python}"));
    }
    skipped(
        "test_a.py",
        python,
        "def test_adds():\n    pytest.skip('x')\n    assert add(1, 2) == 3\n",
    );
    skipped("test_a.py", python, &format!("pytestmark = pytest.mark.skip\n\n{python}"));
    let class = "class TestSum:\n    def test_adds(self):\n        assert add(1, 2) == 3\n";
    skipped("test_a.py", class, &format!("@unittest.skip('x')\n{class}"));
    let script =
        |word: &str| format!("{word}('adds', () => {{\n  expect(add(1, 2)).toBe(3)\n}})\n");
    for word in ["xit", "it.skip", "test.skip", "it.concurrent.skip", "xtest", "test.skipIf(true)"]
    {
        skipped("a.test.ts", &script("it"), &script(word));
    }
    skipped("a.test.ts", &script("test"), "test.todo('adds')\n");
    let group = |word: &str| format!("{word}('sum', () => {{\n{}}})\n", script("it"));
    for word in ["describe.skip", "xdescribe"] {
        skipped("a.test.ts", &group("describe"), &group(word));
    }
}

#[test]
fn marks_that_skip_are_known_in_the_other_languages() {
    let skipped =
        |path: &str, before: &str, after: &str| check(path, before, after, &[TestSkipped]);
    let go = |extra: &str| {
        format!(
            "func TestAdds(t *testing.T) {{\n{extra}\tif add(1, 2) != 3 {{\n\t\tt.Fatal(\"no\")\n\t}}\n}}\n"
        )
    };
    skipped("a_test.go", &go(""), &go("\tt.Skip(\"later\")\n"));
    skipped("a_test.go", &go(""), &format!("//go:build never\n\npackage a\n{}", go("")));
    let java = |mark: &str| {
        format!(
            "class ATest {{\n  @Test\n  {mark}\n  void adds() {{\n    assertEquals(3, add(1, 2));\n  }}\n}}\n"
        )
    };
    for mark in ["@Disabled", "@Ignore(\"x\")", "@DisabledOnOs(OS.LINUX)"] {
        skipped("ATest.java", &java(""), &java(mark));
        skipped("ATest.kt", &java("").replace("void", "fun"), &java(mark).replace("void", "fun"));
    }
    skipped("ATest.java", &java(""), &format!("@Disabled\n{}", java("")));
    let ruby = |word: &str| {
        format!("describe Sum do\n  {word} 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n")
    };
    for word in ["xit", "pending", "skip"] {
        skipped("a_spec.rb", &ruby("it"), &ruby(word));
    }
    skipped("a_spec.rb", &ruby("it"), &ruby("it").replace("describe", "xdescribe"));
    skipped("a_spec.rb", &ruby("it"), &ruby("it").replace("'adds' do", "'adds', skip: true do"));
    skipped(
        "a_spec.rb",
        &ruby("it"),
        &ruby("it").replace("    expect", "    skip 'later'\n    expect"),
    );
    let php = |extra: &str| {
        format!(
            "<?php class ATest {{\n  public function testAdds() {{\n    {extra}$this->assertSame(3, add(1, 2));\n  }}\n}}\n"
        )
    };
    skipped("ATest.php", &php(""), &php("$this->markTestSkipped('x');\n    "));
    let sharp = |mark: &str| {
        format!(
            "class A {{\n  {mark}\n  public void Adds() {{\n    Assert.Equal(3, Add(1, 2));\n  }}\n}}\n"
        )
    };
    skipped("ATests.cs", &sharp("[Fact]"), &sharp("[Fact(Skip = \"x\")]"));
    skipped("ATests.cs", &sharp("[Test]"), &sharp("[Test]\n  [Ignore(\"x\")]"));
    let bats = |extra: &str| {
        format!("@test \"adds\" {{\n{extra}  run add 1 2\n  [ \"$output\" = 3 ]\n}}\n")
    };
    skipped("a.bats", &bats(""), &bats("  skip\n"));
}

#[test]
fn a_mark_that_silences_the_others_is_found() {
    let script =
        |word: &str| format!("{word}('adds', () => {{\n  expect(add(1, 2)).toBe(3)\n}})\n");
    for word in ["it.only", "fit", "test.only"] {
        check("a.test.ts", &script("it"), &script(word), &[TestFocused]);
        check_all(&[added("a.test.ts", &script(word))], &[TestFocused]);
    }
    check("a.test.ts", &script("describe"), &script("describe.only"), &[TestFocused]);
    let ruby = "describe Sum do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n";
    check("a_spec.rb", ruby, &ruby.replace("it 'adds'", "fit 'adds'"), &[TestFocused]);
    check("a_spec.rb", ruby, &ruby.replace("'adds' do", "'adds', focus: true do"), &[TestFocused]);
}

#[test]
fn a_test_without_its_assertions_is_emptied() {
    let emptied =
        |path: &str, before: &str, after: &str| check(path, before, after, &[TestEmptied]);
    emptied("tests/a.rs", &rust(RUST), &rust("fn adds() {\n    add(1, 2);\n}\n"));
    emptied("tests/a.rs", &rust(RUST), &rust("fn adds() {}\n"));
    emptied(
        "tests/a.rs",
        &rust(RUST),
        &rust(
            "fn adds() {\n    return;\n    assert_eq!(add(1, 2), 3);\n    assert_eq!(add(0, 0), 0);\n}\n",
        ),
    );
    emptied(
        "tests/a.rs",
        &rust(RUST),
        &rust(
            "fn adds() {\n    if false {\n    assert_eq!(add(1, 2), 3);\n    assert_eq!(add(0, 0), 0);\n}\n}\n",
        ),
    );
    emptied(
        "tests/a.rs",
        &rust(RUST),
        &rust(
            "fn adds() {\n    // assert_eq!(add(1, 2), 3);\n    // assert_eq!(add(0, 0), 0);\n}\n",
        ),
    );
    let python = "def test_adds():\n    assert add(1, 2) == 3\n";
    emptied("test_a.py", python, "def test_adds():\n    add(1, 2)\n");
    emptied("test_a.py", python, "def test_adds():\n    pass\n");
    emptied("test_a.py", python, "def test_adds():\n    return\n    assert add(1, 2) == 3\n");
    emptied(
        "test_a.py",
        python,
        "def test_adds():\n    if False:\n        assert add(1, 2) == 3\n",
    );
    let script = |body: &str| format!("it('adds', () => {{\n  {body}\n}})\n");
    emptied("a.test.ts", &script("expect(add(1, 2)).toBe(3)"), &script("add(1, 2)"));
    emptied(
        "a.test.ts",
        &script("expect(add(1, 2)).toBe(3)"),
        &script("return\n  expect(add(1, 2)).toBe(3)"),
    );
}

#[test]
fn a_test_without_its_assertions_is_emptied_in_any_language() {
    let emptied =
        |path: &str, before: &str, after: &str| check(path, before, after, &[TestEmptied]);
    let go = |body: &str| format!("func TestAdds(t *testing.T) {{\n\t{body}\n}}\n");
    emptied(
        "a_test.go",
        &go("if add(1, 2) != 3 {\n\t\tt.Fatal(\"no\")\n\t}"),
        &go("_ = add(1, 2)"),
    );
    let java =
        |body: &str| format!("class ATest {{\n  @Test\n  void adds() {{\n    {body}\n  }}\n}}\n");
    emptied("ATest.java", &java("assertEquals(3, add(1, 2));"), &java("add(1, 2);"));
    let ruby = |body: &str| format!("describe Sum do\n  it 'adds' do\n    {body}\n  end\nend\n");
    let never = go("if got := add(1, 2); got != got {\n\t\tt.Fatal(\"no\")\n\t}");
    emptied("a_test.go", &go("if got := add(1, 2); got != 3 {\n\t\tt.Fatal(\"no\")\n\t}"), &never);
    emptied("test.sh", "run\n[ \"$a\" = 3 ]\n", "exit 0\nrun\n[ \"$a\" = 3 ]\n");
    emptied("a_spec.rb", &ruby("expect(add(1, 2)).to eq(3)"), &ruby("add(1, 2)"));
    let php = |body: &str| {
        format!("<?php class ATest {{\n  public function testAdds() {{\n    {body}\n  }}\n}}\n")
    };
    emptied("ATest.php", &php("$this->assertSame(3, add(1, 2));"), &php("add(1, 2);"));
    let sharp = |body: &str| {
        format!("class A {{\n  [Fact]\n  public void Adds() {{\n    {body}\n  }}\n}}\n")
    };
    emptied("ATests.cs", &sharp("Assert.Equal(3, Add(1, 2));"), &sharp("Add(1, 2);"));
    emptied(
        "a.bats",
        "@test \"adds\" {\n  run add 1 2\n  [ \"$output\" = 3 ]\n}\n",
        "@test \"adds\" {\n  run add 1 2\n}\n",
    );
}

#[test]
fn what_only_looks_like_a_table_or_a_copy_excuses_nothing() {
    let pieces = |first: &str| {
        format!(
            "proptest! {{\n    #[test]\n{first}    fn wide(graph in graphs(9)) {{\n        check_all(&graph, 3);\n    }}\n}}\n"
        )
    };
    let narrow =
        "    fn narrow(graph in graphs(1)) {\n        check_all(&graph, 3);\n    }\n    #[test]\n";
    check("tests/a.rs", &pieces(narrow), &pieces(""), &[TestDeleted]);
    let one = "#[test]\nfn one() {\n    let first = list().map(id);\n    assert_eq!((first.a, first.b), (1, 2));\n    assert_eq!(first.c, 3);\n}\n";
    let two =
        "#[test]\nfn two() {\n    for first in list() {\n        assert!(ok(first.a));\n    }\n}\n";
    check("tests/a.rs", &format!("{two}{one}"), two, &[TestDeleted]);
    let less = one.replace("    assert_eq!((first.a, first.b), (1, 2));\n", "");
    check("tests/a.rs", &format!("{two}{one}"), &format!("{two}{less}"), &[AssertionsRemoved]);
    let looped = |body: &str| {
        format!("#[test]\nfn all() {{\n    for x in list() {{\n        {body}\n    }}\n}}\n")
    };
    let pair = "assert_eq!((x.a, x.b), (1, 2));";
    check(
        "tests/a.rs",
        &looped("assert!(a(x));\n        assert!(b(x));"),
        &looped(pair),
        &[AssertionsRemoved],
    );
}
