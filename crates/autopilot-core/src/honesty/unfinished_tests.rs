//! Stubs and files that nothing mentions, and their honest twins.

use super::DoubtKind::*;
use super::tests::{added, change, check, check_all};
use super::{DoubtKind, look};

#[test]
fn code_that_says_it_is_not_done_is_a_stub() {
    let stub = |path: &str, after: &str| check_all(&[added(path, after)], &[Stub]);
    stub("src/a.rs", "pub fn add() -> u32 {\n    todo!()\n}\n");
    stub("src/a.rs", "pub fn add() -> u32 {\n    unimplemented!(\"later\")\n}\n");
    stub("src/a.rs", "pub fn add() -> u32 {\n    // TODO: implement\n    3\n}\n");
    stub("src/a.rs", "pub fn add() -> u32 {\n    // Placeholder implementation\n    3\n}\n");
    stub("src/a.rs", "pub fn add() -> u32 {\n    panic!(\"not implemented\")\n}\n");
    stub("a.py", "def add(a):\n    raise NotImplementedError\n");
    stub("a.py", "def add(a):\n    \"\"\"Adds.\"\"\"\n    pass\n");
    stub("a.ts", "export function add() {\n  throw new Error('Not implemented')\n}\n");
    stub("a.go", "func add() int {\n\tpanic(\"not implemented\")\n}\n");
    stub(
        "A.java",
        "class A {\n  int add() {\n    throw new UnsupportedOperationException(\"Not implemented yet\");\n  }\n}\n",
    );
    stub("A.kt", "fun add(): Int = TODO(\"later\")\n");
    stub("a.rb", "def add\n  raise NotImplementedError\nend\n");
    stub("A.php", "<?php function add() {\n  throw new Exception('not implemented');\n}\n");
    stub("A.cs", "class A {\n  int Add() {\n    throw new NotImplementedException();\n  }\n}\n");
}

#[test]
fn what_is_no_stub_is_left_alone() {
    let fine = |path: &str, after: &str| check_all(&[added(path, after)], &[]);
    fine(
        "tests/a.rs",
        "struct Fake;\nimpl Clock for Fake {\n    fn now(&self) -> u32 {\n        unimplemented!()\n    }\n}\n",
    );
    fine(
        "src/a.rs",
        "#[cfg(test)]\nmod tests {\n    fn fake() -> u32 {\n        unimplemented!()\n    }\n}\n",
    );
    fine(
        "src/a.rs",
        "/// Shows the placeholder of an input.\nconst WORDS: &str = \"todo!() TODO: implement\";\n",
    );
    fine(
        "a.py",
        "class Shape(ABC):\n    @abstractmethod\n    def area(self):\n        raise NotImplementedError\n",
    );
    fine("a.py", "class Empty(Exception):\n    pass\n");
    fine("a.py", "class Quiet(Base):\n    def on_start(self):\n        pass\n");
    fine("docs/a.md", "TODO: implement this page\n");
    let before = "pub fn add() -> u32 {\n    todo!()\n}\n";
    check("src/a.rs", before, &format!("// Adds.\n{before}"), &[]);
    check("src/a.rs", before, "pub fn add() -> u32 {\n    3\n}\n", &[]);
    assert!(!Stub.rejects() && !Unreferenced.rejects());
}

#[test]
fn a_new_file_that_nothing_mentions_is_told() {
    let kinds = |path: &str, known: &str| -> Vec<DoubtKind> {
        let changes = [
            added(path, "pub fn add() {}\n"),
            change("src/lib.rs", "mod b;\n", "mod b;\nmod c;\n"),
        ];
        look(&changes, &|word| word == known).doubts.iter().map(|doubt| doubt.kind).collect()
    };
    assert_eq!(kinds("src/sums.rs", ""), [Unreferenced]);
    assert_eq!(kinds("src/sums.rs", "sums"), []);
    assert_eq!(kinds("src/c.rs", ""), []);
    assert_eq!(kinds("app/models/line_item.rb", ""), []);
    assert_eq!(kinds("models/line_item.rb", "LineItem"), []);
    for path in [
        "src/main.rs",
        "tests/sums.rs",
        "scripts/sums.py",
        "pkg/sums.go",
        "web/index.ts",
        "a/__init__.py",
        "README.md",
        "vite.config.ts",
    ] {
        assert_eq!(kinds(path, ""), [], "{path}");
    }
}
