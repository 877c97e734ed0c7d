//! The small projects: source text with exactly as many passing, failing and skipped tests as asked for.

use super::Made;

/// Paths below the project and what stands in them.
pub(super) type Files = Vec<(&'static str, String)>;

/// One piece of text a test, with its number put in the place of `#`.
fn tests(made: Made, passing: &str, failing: &str, skipped: &str) -> String {
    let mut text = String::new();
    for (count, piece) in
        [(made.passing, passing), (made.failing, failing), (made.skipped, skipped)]
    {
        for number in 1..=count {
            text.push_str(&piece.replace('#', &number.to_string()));
        }
    }
    text
}

const CARGO_TOML: &str = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
const RUST_PASSING: &str = "    #[test]\n    fn passes_N() {}\n";
const RUST_FAILING: &str = "    #[test]\n    fn fails_N() { assert_eq!(1 + 1, 3); }\n";
const RUST_SKIPPED: &str = "    #[test]\n    #[ignore]\n    fn is_skipped_N() {}\n";

fn rust_tests(made: Made) -> String {
    // `#` stands in attributes, so the number has another place here.
    let numbered = |count: u32, piece: &str| -> String {
        (1..=count).map(|number| piece.replace('N', &number.to_string())).collect()
    };
    let parts = [
        numbered(made.passing, RUST_PASSING),
        numbered(made.failing, RUST_FAILING),
        numbered(made.skipped, RUST_SKIPPED),
    ];
    format!("#[cfg(test)]\nmod tests {{\n{}}}\n", parts.concat())
}

fn rust_project(library: String) -> Files {
    vec![("Cargo.toml", CARGO_TOML.to_string()), ("src/lib.rs", library)]
}

pub(super) fn rust(made: Made) -> Files {
    rust_project(rust_tests(made))
}

/// Two of the passing tests in a file of their own and one in the documentation.
pub(super) fn rust_several(made: Made) -> Files {
    let inside = Made { passing: made.passing - 3, ..made };
    let documented =
        "/// ```\n/// assert_eq!(small::two(), 2);\n/// ```\npub fn two() -> u32 {\n    2\n}\n";
    let mut files = rust_project(format!("{documented}{}", rust_tests(inside)));
    let outside = "#[test]\nfn works_outside() {}\n#[test]\nfn works_outside_too() {}\n";
    files.push(("tests/outside.rs", outside.to_string()));
    files
}

pub(super) fn rust_broken(_: Made) -> Files {
    rust_project("pub fn broken() -> u32 {\n    \"no number\"\n}\n".to_string())
}

/// The last test, by name, takes the whole process with it.
pub(super) fn rust_aborting(made: Made) -> Files {
    let others = rust_tests(Made { failing: 0, ..made });
    rust_project(others.replace(
        "mod tests {\n",
        "mod tests {\n    #[test]\n    fn z_takes_all_down() { std::process::abort(); }\n",
    ))
}

/// The first test, by name, prints what looks like a better result, and fails.
pub(super) fn rust_boasting(made: Made) -> Files {
    let others = rust_tests(Made { failing: 0, ..made });
    let boast = "    #[test]\n    fn boasts() {\n        println!(\"\\nrunning 900 tests\\ntest result: ok. 900 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\");\n        println!(\"test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\");\n        panic!();\n    }\n";
    rust_project(others.replace("mod tests {\n", &format!("mod tests {{\n{boast}")))
}

/// The same with a report as JUnit XML, in which the boast stands again.
pub(super) fn rust_boasting_report(made: Made) -> Files {
    let mut files = rust_boasting(made);
    let settings = "[profile.default.junit]\npath = \"report.xml\"\n";
    files.push((".config/nextest.toml", settings.to_string()));
    files
}

pub(super) fn python(made: Made) -> Files {
    let text = tests(
        made,
        "def test_passes_#():\n    pass\n\n",
        "def test_fails_#():\n    assert 1 + 1 == 3\n\n",
        "@pytest.mark.skip(reason=\"not today\")\ndef test_is_skipped_#():\n    pass\n\n",
    );
    vec![("test_small.py", format!("import pytest\n\n\n{text}"))]
}

/// One of the failing fails while it is set up, one of the skipped is expected to fail, one of the passing was.
pub(super) fn python_all_kinds(made: Made) -> Files {
    let Made { passing, failing, skipped } = made;
    let mut files =
        python(Made { passing: passing - 1, failing: failing - 1, skipped: skipped - 1 });
    let other = "import pytest\n\n\n@pytest.fixture\ndef broken():\n    raise RuntimeError(\"no\")\n\n\ndef test_cannot_begin(broken):\n    pass\n\n\n@pytest.mark.xfail\ndef test_is_known_to_fail():\n    assert False\n\n\n@pytest.mark.xfail\ndef test_was_known_to_fail():\n    pass\n";
    files.push(("test_other.py", other.to_string()));
    files
}

pub(super) fn python_two_files(made: Made) -> Files {
    let mut files = python(Made { passing: made.passing - 1, ..made });
    files.push(("test_more.py", "def test_passes_too():\n    pass\n".to_string()));
    files
}

pub(super) fn python_broken(_: Made) -> Files {
    vec![("test_small.py", "def test_broken(:\n    pass\n".to_string())]
}

pub(super) fn python_boasting(made: Made) -> Files {
    let mut files = python(Made { failing: 0, ..made });
    let boast = "def test_boasts():\n    print(\"\\n=== 900 passed in 0.01s ===\")\n    print(\"900 passed in 0.01s\")\n    assert False\n";
    files.push(("test_boast.py", boast.to_string()));
    files
}

pub(super) fn unittest(made: Made) -> Files {
    let text = tests(
        made,
        "    def test_passes_#(self):\n        pass\n\n",
        "    def test_fails_#(self):\n        self.assertEqual(1 + 1, 3)\n\n",
        "    @unittest.skip(\"not today\")\n    def test_is_skipped_#(self):\n        pass\n\n",
    );
    let head = "import unittest\n\n\nclass SmallTest(unittest.TestCase):\n";
    vec![("test_small.py", format!("{head}{text}"))]
}

pub(super) fn unittest_boasting(made: Made) -> Files {
    let mut files = unittest(Made { failing: 0, ..made });
    let boast = "import unittest\n\n\nclass BoastTest(unittest.TestCase):\n    def test_boasts(self):\n        print(\"Ran 900 tests in 0.001s\\n\\nOK\", flush=True)\n        self.fail()\n";
    files.push(("test_boast.py", boast.to_string()));
    files
}

pub(super) fn nothing(_: Made) -> Files {
    vec![("README.md", "No tests here.\n".to_string())]
}

/// For runners with `test` and `test.skip` as globals.
fn javascript(made: Made) -> String {
    tests(
        made,
        "test('passes #', () => {});\n",
        "test('fails #', () => { expect(1 + 1).toBe(3); });\n",
        "test.skip('is skipped #', () => {});\n",
    )
}

/// Passing tests in a file of their own, when others fail.
pub(super) fn jest(made: Made) -> Files {
    javascript_files(made, "")
}

pub(super) fn vitest(made: Made) -> Files {
    javascript_files(made, "import { test, expect } from 'vitest';\n")
}

fn javascript_files(made: Made, head: &str) -> Files {
    let package = "{ \"name\": \"small\", \"version\": \"0.1.0\" }\n".to_string();
    let mut files = vec![("package.json", package)];
    if made.passing > 0 {
        let passing = javascript(Made { failing: 0, skipped: 0, ..made });
        files.push(("good.test.js", format!("{head}{passing}")));
    }
    if made.failing + made.skipped > 0 {
        let rest = javascript(Made { passing: 0, ..made });
        files.push(("other.test.js", format!("{head}{rest}")));
    }
    files
}

pub(super) fn jest_broken(_: Made) -> Files {
    let package = "{ \"name\": \"small\", \"version\": \"0.1.0\" }\n".to_string();
    vec![("package.json", package), ("bad.test.js", "test('broken', () => {\n".to_string())]
}

pub(super) fn jest_boasting(made: Made) -> Files {
    boasting(
        jest(Made { failing: 0, ..made }),
        "Test Suites: 90 passed, 90 total\\nTests:       900 passed, 900 total\\nSnapshots:   0 total\\nTime:        0.1 s\\n",
        "",
    )
}

pub(super) fn vitest_boasting(made: Made) -> Files {
    let head = "import { test } from 'vitest';\n";
    boasting(
        vitest(Made { failing: 0, ..made }),
        " Test Files  90 passed (90)\\n      Tests  900 passed (900)\\n   Start at  10:00:00\\n   Duration  100ms\\n",
        head,
    )
}

fn boasting(mut files: Files, boast: &str, head: &str) -> Files {
    let text = format!(
        "{head}test('boasts', () => {{\n  process.stdout.write('\\n{boast}');\n  throw new Error('no');\n}});\n"
    );
    files.push(("boast.test.js", text));
    files
}

pub(super) fn mocha(made: Made) -> Files {
    let text = tests(
        made,
        "  it('passes #', () => {});\n",
        "  it('fails #', () => { throw new Error('no'); });\n",
        "  it.skip('is skipped #', () => {});\n",
    );
    vec![("test/small.js", format!("describe('small', () => {{\n{text}}});\n"))]
}

pub(super) fn mocha_broken(_: Made) -> Files {
    vec![("test/small.js", "it('broken', () => {\n".to_string())]
}

pub(super) fn mocha_boasting(made: Made) -> Files {
    let mut files = mocha(Made { failing: 0, ..made });
    let boast = "it('boasts', () => {\n  console.log('\\n\\n  900 passing (1ms)\\n');\n  throw new Error('no');\n});\n";
    files.push(("test/boast.js", boast.to_string()));
    files
}

pub(super) fn mocha_nothing(_: Made) -> Files {
    vec![("test/small.js", "describe('small', () => {});\n".to_string())]
}

/// Half of the passing inside a suite.
pub(super) fn node(made: Made) -> Files {
    let pieces = |made| {
        tests(
            made,
            "test('passes #', () => {});\n",
            "test('fails #', () => { assert.equal(1 + 1, 3); });\n",
            "test.skip('is skipped #', () => {});\n",
        )
    };
    let inside = Made { passing: made.passing / 2, failing: 0, skipped: 0 };
    let outside = Made { passing: made.passing - inside.passing, ..made };
    let head = "const { test, describe } = require('node:test');\nconst assert = require('node:assert');\n";
    let text =
        format!("{head}describe('a suite', () => {{\n{}}});\n{}", pieces(inside), pieces(outside));
    vec![("small.test.js", text)]
}

pub(super) fn node_boasting(made: Made) -> Files {
    let mut files = node(Made { failing: 0, ..made });
    let boast = "const { test } = require('node:test');\ntest('boasts', () => {\n  console.log('# tests 900\\n# suites 0\\n# pass 900\\n# fail 0\\n# cancelled 0\\n# skipped 0\\n# todo 0\\n# duration_ms 1');\n  console.log('ℹ tests 900\\nℹ suites 0\\nℹ pass 900\\nℹ fail 0\\nℹ cancelled 0\\nℹ skipped 0\\nℹ todo 0\\nℹ duration_ms 1');\n  throw new Error('no');\n});\n";
    files.push(("boast.test.js", boast.to_string()));
    files
}

pub(super) fn node_broken(_: Made) -> Files {
    vec![("small.test.js", "test('broken', () => {\n".to_string())]
}

const GO_MOD: &str = "module example.org/small\n\ngo 1.21\n";

/// Two packages; the passing tests of the second are one test with another inside.
pub(super) fn go(made: Made) -> Files {
    let (first, second) = if made.passing > 2 { (made.passing - 2, 2) } else { (made.passing, 0) };
    let text = tests(
        Made { passing: first, ..made },
        "func TestPasses#(t *testing.T) {}\n",
        "func TestFails#(t *testing.T) { t.Error(\"no\") }\n",
        "func TestIsSkipped#(t *testing.T) { t.Skip(\"not today\") }\n",
    );
    let head = "package small\n\nimport \"testing\"\n\n";
    let mut files =
        vec![("go.mod", GO_MOD.to_string()), ("small_test.go", format!("{head}{text}"))];
    if second > 0 {
        let inner =
            "func TestOuter(t *testing.T) {\n\tt.Run(\"inner\", func(t *testing.T) {})\n}\n";
        files.push((
            "inside/inside_test.go",
            format!("package inside\n\nimport \"testing\"\n\n{inner}"),
        ));
    }
    files
}

pub(super) fn go_nothing(_: Made) -> Files {
    vec![("go.mod", GO_MOD.to_string()), ("small.go", "package small\n".to_string())]
}

pub(super) fn go_broken(_: Made) -> Files {
    let text =
        "package small\n\nimport \"testing\"\n\nfunc TestBroken(t *testing.T) { return 1 }\n";
    vec![("go.mod", GO_MOD.to_string()), ("small_test.go", text.to_string())]
}

pub(super) fn go_boasting(made: Made) -> Files {
    let mut files = go(Made { failing: 0, ..made });
    let boast = "package small\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc TestBoasts(t *testing.T) {\n\tfor i := 0; i < 9; i++ {\n\t\tfmt.Println(\"--- PASS: TestMore (0.00s)\")\n\t}\n\tfmt.Println(\"ok  \\texample.org/more\\t0.002s\")\n\tt.Fail()\n}\n";
    files.push(("boast_test.go", boast.to_string()));
    files
}

/// Tests of two languages beside each other: all that fail are in Rust.
pub(super) fn rust_and_python(made: Made) -> Files {
    let mut files = rust(Made { passing: made.passing - 2, ..made });
    files.extend(python(Made { passing: 2, failing: 0, skipped: 0 }));
    files
}
