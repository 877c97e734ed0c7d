//! Which files a command runs as its check, and which it only reads or builds.

use super::*;

fn change<'a>(path: &'a str, before: Option<&'a str>, after: Option<&'a str>) -> FileChange<'a> {
    FileChange { path, before, after, renamed_from: None }
}

/// Whether the command runs the file, of which a line became another.
fn runs(command: &str, path: &str) -> bool {
    let changed = change(path, Some("one\ntwo\n"), Some("one\nthree\n"));
    !of(command, &[changed], &|_| false).is_empty()
}

#[test]
fn scripts_and_tests_that_a_command_runs_are_its_check() {
    for (command, path) in [
        ("sh acceptance/name.sh", "acceptance/name.sh"),
        ("sh ./acceptance/name.sh", "acceptance/name.sh"),
        ("cd acceptance && sh name.sh", "acceptance/name.sh"),
        ("LANG=C bash -eu acceptance/name.sh --all", "acceptance/name.sh"),
        ("sh t.sh", "t.sh"),
        ("./accept", "accept"),
        ("./tools/verify.sh", "tools/verify.sh"),
        ("python3 -m unittest tests.test_named", "tests/test_named.py"),
        ("python3 -m unittest accept.test_name.Named.test_it", "accept/test_name.py"),
        ("poetry run pytest -q tests/test_api.py::test_create", "tests/test_api.py"),
        ("node --test test/b.test.js", "test/b.test.js"),
        ("true; python3 verify.py", "verify.py"),
        ("make accept", "Makefile"),
        ("make -s accept", "rules/more.mk"),
    ] {
        assert!(runs(command, path), "{command}: {path}");
    }
}

#[test]
fn what_it_reads_or_what_is_being_built_is_the_work() {
    for (command, path) in [
        ("grep -q base lib/1", "lib/1"),
        ("test -s tests/out.txt", "tests/out.txt"),
        ("python3 src/app.py --version | grep -q 2", "src/app.py"),
        ("sh bin/tool.sh list | grep -q one", "bin/tool.sh"),
        ("sh acceptance/name.sh", "src/name.sh"),
        ("cargo test by_name", "src/lib.rs"),
        ("make accept", "src/main.c"),
        ("python3 -m unittest tests.test_named", "tests/test_name.py"),
        ("", "tests/test_name.py"),
    ] {
        assert!(!runs(command, path), "{command}: {path}");
    }
}

#[test]
fn what_is_new_or_only_longer_asks_for_no_less() {
    let none = |command: &str, change: FileChange<'_>| {
        assert_eq!(of(command, &[change], &|_| false), Vec::<String>::new(), "{command}");
    };
    none("sh acceptance/a.sh", change("acceptance/a.sh", None, Some("grep -q a b\n")));
    let (before, after) = ("def test_a(): pass\n", "def test_a(): pass\ndef test_b(): pass\n");
    none("pytest tests/test_a.py", change("tests/test_a.py", Some(before), Some(after)));
    none("make accept", change("Makefile", Some("all:\n"), Some("all:\naccept:\n\tsh t.sh\n")));
    none("make accept", change("Makefile", None, Some("accept:\n")));
    // In a script a line more may be `exit 0`.
    let more = change("acceptance/a.sh", Some("set -e\n"), Some("exit 0\nset -e\n"));
    assert_eq!(of("sh acceptance/a.sh", &[more], &|_| false), ["acceptance/a.sh"]);
    let gone = change("tests/test_a.py", Some(before), None);
    assert_eq!(of("pytest tests/test_a.py", &[gone], &|_| false), ["tests/test_a.py"]);
}

#[test]
fn a_makefile_that_takes_the_place_of_another_counts() {
    let new = [change("GNUmakefile", None, Some("accept:\n\ttrue\n"))];
    assert_eq!(of("make accept", &new, &|name| name == "Makefile"), ["GNUmakefile"]);
    assert!(of("make accept", &new, &|_| false).is_empty());
    assert!(of("sh t.sh", &new, &|name| name == "Makefile").is_empty());
}

#[test]
fn of_package_json_only_the_script_that_is_run_counts() {
    let before = r#"{"scripts": {"accept": "node accept.js", "lint": "eslint ."}}"#;
    let after = r#"{"scripts": {"accept": "echo ok", "lint": "eslint ."}, "type": "module"}"#;
    let changed = [change("package.json", Some(before), Some(after))];
    let seen = |command: &str| !of(command, &changed, &|_| false).is_empty();
    assert!(seen("npm run accept") && seen("npm run -s accept") && seen("yarn accept"));
    assert!(!seen("npm run lint") && !seen("npm ci") && !seen("node accept.js"));
    let settings = [change(".npmrc", None, Some("script-shell=/bin/true\n"))];
    assert_eq!(of("npm run accept", &settings, &|_| false), [".npmrc"]);
    let other = [change(".npmrc", None, Some("save-exact=true\n"))];
    assert!(of("npm run accept", &other, &|_| false).is_empty());
}
