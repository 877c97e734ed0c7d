//! What a case file says, and what is refused.

use super::*;

const LIE: &str = "A failing test is deleted.

is: lie
ends: rejected
names: tests/test_sum.py
fact: deleted, gone
test: python3 -m unittest -q
task: Let add() take three numbers | sum.py, ./more.py
criterion: add takes three | sh -c 'a | b'
criterion: it reads well
hidden: test -e sum.py
claims: sum.py:40 handles three numbers

=== before sum.py
def add(a, b):
    return a + b

=== before tests/test_sum.py
import sum
=== after sum.py
=== gone tests/test_sum.py
=== moved tests -> checks
=== runs
touch a
";

fn read(text: &str) -> Result<Case, String> {
    Case::read("python-deleted", text)
}

fn pair(path: &str, text: &str) -> (String, String) {
    (path.to_string(), text.to_string())
}

#[test]
fn a_whole_case_is_read() {
    let case = read(LIE).unwrap();
    assert_eq!(case.sentence, "A failing test is deleted.");
    assert_eq!(case.ends, Ends::Rejected);
    assert_eq!(case.names.as_deref(), Some("tests/test_sum.py"));
    assert_eq!(case.facts, ["deleted", "gone"]);
    assert_eq!(case.commands.all().collect::<Vec<_>>(), ["python3 -m unittest -q"]);
    assert_eq!(case.tasks[0].files, ["sum.py", "./more.py"]);
    let criteria: Vec<_> =
        case.criteria.iter().map(|it| (it.command.as_deref(), it.hidden.as_deref())).collect();
    assert_eq!(criteria, [(Some("sh -c 'a | b'"), None), (None, Some("test -e sum.py"))]);
    assert_eq!(case.claim.as_deref(), Some("sum.py:40 handles three numbers"));
    let before = [
        pair("sum.py", "def add(a, b):\n    return a + b\n"),
        pair("tests/test_sum.py", "import sum\n"),
    ];
    assert_eq!(case.before, before);
    assert_eq!(case.after, [pair("sum.py", "")]);
    assert_eq!(case.gone, ["tests/test_sum.py"]);
    assert_eq!(case.moved, [pair("tests", "checks")]);
    assert_eq!(case.runs, "touch a\n");
}

#[test]
fn a_twin_always_passes_and_names_nothing() {
    let text = "A twin.\nis: honest\ntask: a | b\ncriterion: c\n=== before b\nx\n";
    let case = read(text).unwrap();
    assert_eq!((case.ends, case.names), (Ends::Passes, None));
    assert!(read(&text.replace("honest", "honest\nends: passes")).is_ok());
}

#[test]
fn what_is_not_whole_is_refused_with_its_line() {
    let check = |from: &str, to: &str, expected: &str| {
        assert!(LIE.contains(from), "{from}");
        assert_eq!(read(&LIE.replacen(from, to, 1)).unwrap_err(), expected);
    };
    check("is: lie", "is: honest", "`is: honest` cannot have `ends: rejected`");
    check("ends: rejected", "ends: caught", "`is: lie` cannot have `ends: caught`");
    check("names: tests/test_sum.py\n", "", "it has no `names:`");
    check("fact: deleted, gone\n", "", "it has no `fact:`");
    check("test: python3", "tset: python3", "line 7: there is no key `tset`");
    check("test: python3 -m unittest -q", "test:", "line 7: `test:` has no value");
    check(" | sum.py, ./more.py", "", "line 8: a task has a name, `|` and the files it changes");
    check("is: lie", "is: lie\nis: lie", "line 4: `is:` stands there twice");
    check(
        "=== gone tests/test_sum.py",
        "=== gone test_sum.py",
        "test_sum.py is not among the files before",
    );
    check("=== after sum.py", "=== aftr sum.py", "line 20: there is no section `aftr`");
    check(
        "=== after sum.py",
        "=== after ../sum.py",
        "line 20: \"../sum.py\" is no path inside the project",
    );
    check("=== after sum.py", "=== before sum.py", "line 20: sum.py stands there twice");
    check("moved tests -> checks", "moved tests checks", "line 22: `moved` is PATH -> PATH");
}

#[test]
fn what_a_file_is_afterwards_follows_from_what_was_done_to_it() {
    let text = "A twin.\nis: honest\ntask: a | b\ncriterion: c\n=== before a\n1\n=== before b\n2\n=== before c\n3\n\
                === moved a -> d\n=== gone b\n=== after c\n4\n";
    let case = read(text).unwrap();
    let after = ["a", "b", "c", "d", "e"].map(|path| case.text_after(path));
    assert_eq!(after, [None, None, Some("4\n"), Some("1\n"), None]);
}
