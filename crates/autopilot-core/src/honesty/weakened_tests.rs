//! What is found where a test is still there: fewer assertions, assertions that cannot fail, new tests that cannot fail.

use super::DoubtKind::*;
use super::lies_tests::{RUST, rust};
use super::tests::{added, check, check_all};

#[test]
fn what_tests_lean_on_is_looked_at_as_they_are() {
    let before = "fn both(a: u32) {\n    assert!(a > 1);\n    assert!(a < 9);\n}\n#[test]\nfn adds() {\n    both(add(1, 2));\n}\n";
    let emptied = before.replace("    assert!(a > 1);\n    assert!(a < 9);\n", "    drop(a);\n");
    check("tests/a.rs", before, &emptied, &[TestEmptied]);
    let fewer = before.replace("    assert!(a > 1);\n", "");
    check("tests/a.rs", before, &fewer, &[AssertionsRemoved]);
}

#[test]
fn fewer_assertions_in_a_test_that_stays_are_found() {
    let fewer =
        |path: &str, before: &str, after: &str| check(path, before, after, &[AssertionsRemoved]);
    fewer("tests/a.rs", &rust(RUST), &rust("fn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n"));
    fewer(
        "test_a.py",
        "def test_adds():\n    assert add(1) == 3\n    assert add(2) == 4\n",
        "def test_adds():\n    assert add(1) == 3\n",
    );
    let rows = |rows: &str| {
        format!(
            "@pytest.mark.parametrize('a,b', [{rows}])\ndef test_adds(a, b):\n    assert add(a) == b\n"
        )
    };
    fewer("test_a.py", &rows("(1, 2), (2, 3), (3, 4)"), &rows("(1, 2)"));
    fewer(
        "a.test.ts",
        "it('adds', () => {\n  expect(add(1)).toBe(3)\n  expect(add(2)).toBe(4)\n})\n",
        "it('adds', () => {\n  expect(add(1)).toBe(3)\n})\n",
    );
    let sharp = |rows: &str| {
        format!(
            "class A {{\n  [Theory]\n{rows}  public void Adds(int a) {{\n    Assert.Equal(3, Add(a));\n  }}\n}}\n"
        )
    };
    fewer(
        "ATests.cs",
        &sharp("  [InlineData(1)]\n  [InlineData(2)]\n"),
        &sharp("  [InlineData(1)]\n"),
    );
    fewer("test.sh", "[ \"$a\" = 3 ]\n[ \"$b\" = 4 ]\n", "[ \"$a\" = 3 ]\n");
}

#[test]
fn assertions_that_cannot_fail_are_told_from_those_that_can() {
    let trivial =
        |path: &str, before: &str, after: &str| check(path, before, after, &[AssertionTrivial]);
    for body in [
        "assert!(true);",
        "assert_eq!(1, 1);",
        "let x = add(1, 2); assert_eq!(x, x);",
        "assert!(add(1, 2) == 3 || true);",
        "assert_eq!(1 + 1, 2);",
        "assert!(list().len() >= 0);",
        "let _ = std::panic::catch_unwind(|| assert_eq!(add(1, 2), 3));",
    ] {
        trivial("tests/a.rs", &rust(RUST), &rust(&format!("fn adds() {{\n    {body}\n}}\n")));
    }
    let python = |body: &str| format!("def test_adds():\n    {body}\n");
    let real = "assert add(1, 2) == 3";
    for body in [
        "assert True",
        "assert 1",
        "x = add(1, 2)\n    assert x == x",
        "assert (add(1, 2) == 3, 'sum')",
        "assert add(1, 2) == 3 or True",
        "try:\n        assert add(1, 2) == 3\n    except Exception:\n        pass",
        "with suppress(AssertionError):\n        assert add(1, 2) == 3",
        "assert not False",
    ] {
        trivial("test_a.py", &python(real), &python(body));
    }
    let script = |body: &str| format!("it('adds', () => {{\n  {body}\n}})\n");
    for body in [
        "expect(true).toBe(true)",
        "expect(add(1, 2))",
        "const x = add(1, 2); expect(x).toBe(x)",
        "expect(1).toEqual(1)",
        "assert(true)",
        "assert.equal(1, 1)",
        "try { expect(add(1, 2)).toBe(3) } catch (e) {}",
        "expect(true).to.be.true",
        "expect(true).toBeTruthy()",
    ] {
        trivial("a.test.ts", &script("expect(add(1, 2)).toBe(3)"), &script(body));
    }
}

#[test]
fn assertions_that_cannot_fail_are_known_in_any_language() {
    let trivial =
        |path: &str, before: &str, after: &str| check(path, before, after, &[AssertionTrivial]);
    let go = |body: &str| format!("func TestAdds(t *testing.T) {{\n\t{body}\n}}\n");
    trivial("a_test.go", &go("assert.Equal(t, 3, add(1, 2))"), &go("assert.True(t, true)"));
    trivial("a_test.go", &go("assert.Equal(t, 3, add(1, 2))"), &go("assert.Equal(t, 3, 3)"));
    let java =
        |body: &str| format!("class ATest {{\n  @Test\n  void adds() {{\n    {body}\n  }}\n}}\n");
    for body in [
        "assertTrue(true);",
        "assertEquals(3, 3);",
        "try { assertEquals(3, add(1, 2)); } catch (Throwable t) { }",
    ] {
        trivial("ATest.java", &java("assertEquals(3, add(1, 2));"), &java(body));
    }
    let ruby = |body: &str| format!("describe Sum do\n  it 'adds' do\n    {body}\n  end\nend\n");
    for body in ["expect(true).to be true", "expect(true).to eq(true)", "assert true"] {
        trivial("a_spec.rb", &ruby("expect(add(1, 2)).to eq(3)"), &ruby(body));
    }
    let php = |body: &str| {
        format!("<?php class ATest {{\n  public function testAdds() {{\n    {body}\n  }}\n}}\n")
    };
    trivial(
        "ATest.php",
        &php("$this->assertSame(3, add(1, 2));"),
        &php("$this->assertTrue(true);"),
    );
    let sharp = |body: &str| {
        format!("class A {{\n  [Fact]\n  public void Adds() {{\n    {body}\n  }}\n}}\n")
    };
    trivial("ATests.cs", &sharp("Assert.Equal(3, Add(1, 2));"), &sharp("Assert.True(true);"));
    trivial("test.sh", "run\n[ \"$a\" = 3 ]\n", "run\n[ \"$a\" = 3 ] || true\n");
    trivial("test.sh", "run\n[ \"$a\" = 3 ]\n", "run\n[ 1 -eq 1 ]\n");
}

#[test]
fn a_new_test_that_cannot_fail_is_found() {
    let found = |path: &str, after: &str| check_all(&[added(path, after)], &[TestCannotFail]);
    found("tests/a.rs", "#[test]\nfn adds() {\n    assert!(true);\n}\n");
    found("tests/a.rs", "#[test]\nfn adds() {}\n");
    found("test_a.py", "def test_adds():\n    \"\"\"Adds.\"\"\"\n    pass\n");
    found(
        "test_a.py",
        "def test_adds():\n    try:\n        assert add(1) == 3\n    except:\n        pass\n",
    );
    found("a.test.ts", "it('adds', () => {})\n");
    found("a.test.ts", "it('adds', async () => { expect(true).toBe(true) })\n");
    found("a_test.go", "func TestAdds(t *testing.T) {\n}\n");
    found("tests/test_a.sh", "echo \"adding\"\necho ok\n");
    found("tests/test_a.sh", "sh run.sh\nexit 0\n");
    found("ATest.java", "class ATest {\n  @Test\n  void adds() {\n    assertTrue(true);\n  }\n}\n");
    found(
        "a_spec.rb",
        "describe Sum do\n  it 'adds' do\n    expect(true).to be(true)\n  end\nend\n",
    );
    check_all(&[added("tests/a.rs", &format!("#[ignore]\n{}", rust(RUST)))], &[NewTestSkipped]);
    check_all(&[added("a.test.ts", "test.todo('adds')\n")], &[NewTestSkipped]);
}

#[test]
fn a_function_that_is_only_renamed_does_not_excuse_its_tests() {
    let code = |name: &str| {
        format!(
            "pub fn {name}(a: u32, b: u32) -> u32 {{\n    let sum = a.wrapping_add(b);\n    sum.min(9)\n}}\n"
        )
    };
    let before = format!(
        "{}#[cfg(test)]\nmod tests {{\n    #[test]\n    fn adds() {{\n        assert_eq!(add_up(1, 2), 3);\n    }}\n}}\n",
        code("add_up")
    );
    check("src/a.rs", &before, &code("sum_up"), &[TestDeleted]);
}

#[test]
fn a_test_that_is_turned_around_is_told_from_one_that_expects_something_else_now() {
    let rust = |mark: &str, body: &str| format!("#[test]\n{mark}fn refuses() {{\n    {body}\n}}\n");
    let before = rust("", "assert!(parse(\"h\").is_err());");
    let after = rust("#[should_panic]\n", "assert!(parse(\"h\").is_err());");
    check("src/lib.rs", &before, &after, &[TestInverted]);
    let honest = rust("#[should_panic]\n", "parse(\"h\");");
    check("src/lib.rs", &before, &honest, &[]);
    let python = "class T(TestCase):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n";
    let turned = python.replace("    def", "    @unittest.expectedFailure\n    def");
    check("tests/test_a.py", python, &turned, &[TestInverted]);
    let script = "test('a', () => { expect(f()).toBe(1); });\n";
    let turned = script.replace("test(", "test.fails(");
    check("a.test.ts", script, &turned, &[TestInverted]);
}

#[test]
fn a_new_test_that_looks_only_at_its_own_mock_cannot_fail() {
    let python = |lines: &str| {
        format!(
            "def test_gross():\n    with mock.patch(\"vat.gross\", return_value=107):\n        {lines}\n"
        )
    };
    let mocked = &[TestCannotFail];
    check_all(&[added("tests/test_vat.py", &python("assert vat.gross(100) == 107"))], mocked);
    check_all(&[added("tests/test_vat.py", &python("assert bill(100) == 107"))], &[]);
    let both = "assert vat.gross(1) == 107\n        assert bill(100) == 107";
    check_all(&[added("tests/test_vat.py", &python(both))], &[]);
    let object = "@mock.patch.object(vat, 'gross')\ndef test_gross(gross):\n    vat.gross(1)\n    gross.assert_called_once_with(1)\n";
    check_all(&[added("tests/test_vat.py", object)], mocked);
    let script =
        |spy: &str| format!("test('a', () => {{ {spy}; expect(vat.gross(1)).toBe(2); }});\n");
    check_all(&[added("a.test.ts", &script("vi.spyOn(vat, 'gross').mockReturnValue(2)"))], mocked);
    check_all(&[added("a.test.ts", &script("vi.spyOn(vat, 'gross')"))], &[]);
}
