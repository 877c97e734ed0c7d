//! Finds what can make a test fail: assertions of the common libraries of each language, and calls whose name promises one.
//! Whether an assertion says anything is `trivial`'s question, whether it is ever reached `unreachable`'s.

use std::ops::Range;

use super::language::Language;
use super::source::Source;
use super::tokens::Kind;

/// What an assertion looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// That one condition holds.
    Truth(Range<usize>),
    /// That two values are the same.
    Equal(Range<usize>, Range<usize>),
    /// `expect(value)`, with what follows it.
    Expectation { open: usize },
    /// Anything else, which is believed.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assertion {
    pub(super) at: usize,
    pub(super) form: Form,
}

/// Every assertion of a file, in the order of the text.
pub(super) fn find(source: &Source<'_>) -> Vec<Assertion> {
    let places = 0..source.tokens.len();
    places.filter_map(|at| form(source, at).map(|form| Assertion { at, form })).collect()
}

fn form(source: &Source<'_>, at: usize) -> Option<Form> {
    let token = &source.tokens[at];
    if source.language == Language::Shell {
        return shell(source, at);
    }
    if !token.is_word() {
        return None;
    }
    match source.language {
        Language::Rust => rust(source, at),
        Language::Python => python(source, at),
        Language::Script => script(source, at),
        Language::Go => go(source, at),
        Language::Java | Language::Kotlin | Language::Php | Language::CSharp => typed(source, at),
        Language::Ruby => ruby(source, at),
        Language::Shell => None,
    }
}

fn rust(source: &Source<'_>, at: usize) -> Option<Form> {
    let word = source.tokens[at].text;
    if source.is(at + 1, "!") {
        let open = at + 2;
        return match word.trim_start_matches("prop_").trim_start_matches("debug_") {
            "assert" => Some(truth(source, open, 0)),
            "assert_eq" => Some(equal(source, open, 0)),
            "panic" | "unreachable" => Some(Form::Other),
            other => promises(other).then_some(Form::Other),
        };
    }
    if word == "should_panic" && source.is_before(at, "[") {
        return Some(Form::Other);
    }
    let is_method = source.is_before(at, ".");
    // `expect` of an Option ends a test too, but is no statement about the result.
    let is_plain = !(is_method && matches!(word, "expect" | "expect_err"));
    (is_plain && promises(word) && source.is(at + 1, "(") && !source.is_before(at, "fn"))
        .then_some(Form::Other)
}

fn python(source: &Source<'_>, at: usize) -> Option<Form> {
    let word = source.tokens[at].text;
    let is_called = source.is(at + 1, "(");
    let is_statement = source.tokens[at].is_first || source.is_before(at, ":");
    match word {
        "assert" if is_statement => Some(Form::Truth(condition(source, at))),
        "assertTrue" | "assert_" if is_called => Some(truth(source, at + 1, 0)),
        "assertEqual" | "assertIs" | "assert_equal" if is_called => Some(equal(source, at + 1, 0)),
        "raises" | "warns" | "fail" | "deprecated_call" if source.is_before(at, ".") => {
            is_called.then_some(Form::Other)
        }
        "AssertionError" => source.is_before(at, "raise").then_some(Form::Other),
        _ => (is_called && promises(word) && !source.is_before(at, "def")).then_some(Form::Other),
    }
}

/// The condition of an `assert` without brackets: up to the end of the line, or the comma before the message.
fn condition(source: &Source<'_>, at: usize) -> Range<usize> {
    let parent = source.parent[at];
    let end = (at + 1..source.line_end(at)).find(|place| {
        source.parent[*place] == parent && (source.is(*place, ",") || source.is(*place, ";"))
    });
    at + 1..end.unwrap_or_else(|| source.line_end(at))
}

fn script(source: &Source<'_>, at: usize) -> Option<Form> {
    let word = source.tokens[at].text;
    let is_called = source.is(at + 1, "(");
    let is_method = source.is_before(at, ".");
    let owner = at.checked_sub(2).map_or("", |owner| source.tokens[owner].text);
    match word {
        "expect" if is_called && !is_method => Some(Form::Expectation { open: at + 1 }),
        "expect" => (is_called && is_method).then_some(Form::Other),
        "assert" if is_called && !is_method => Some(truth(source, at + 1, 0)),
        "should" => is_method.then_some(Form::Other),
        "ok" | "isTrue" | "true" | "truthy" if is_called && is_method && asserts(owner) => {
            Some(truth(source, at + 1, 0))
        }
        "equal" | "strictEqual" | "deepEqual" | "deepStrictEqual" | "is" | "same"
            if is_called && is_method && asserts(owner) =>
        {
            Some(equal(source, at + 1, 0))
        }
        "plan" | "assertions" | "test" | "skip" | "only" | "todo" | "log" | "end" | "teardown" => {
            None
        }
        _ if is_called && is_method && asserts(owner) => Some(Form::Other),
        _ => {
            let is_defined = source.is_before(at, "function") || word == "require";
            (is_called && promises(word) && !is_defined && !is_definition(source, at))
                .then_some(Form::Other)
        }
    }
}

fn asserts(owner: &str) -> bool {
    matches!(owner, "assert" | "t" | "tap" | "chai" | "strict")
}

/// A method of a class that is defined here and not called.
fn is_definition(source: &Source<'_>, at: usize) -> bool {
    source.close.get(at + 1).is_some_and(|close| source.is(close + 1, "{"))
}

fn go(source: &Source<'_>, at: usize) -> Option<Form> {
    let word = source.tokens[at].text;
    if !source.is(at + 1, "(") || source.is_before(at, "func") {
        return None;
    }
    let is_method = source.is_before(at, ".");
    let owner = at.checked_sub(2).map_or("", |owner| source.tokens[owner].text);
    let is_library = matches!(owner, "assert" | "require" | "is" | "qt" | "suite" | "s");
    match word {
        "Error" | "Errorf" | "Fatal" | "Fatalf" | "Fail" | "FailNow" => (is_method
            && matches!(owner, "t" | "tb" | "tt" | "b" | "st" | "c" | "T"))
        .then_some(Form::Other),
        "True" if is_method && is_library => Some(truth(source, at + 1, 1)),
        "Equal" if is_method && is_library => Some(equal(source, at + 1, 1)),
        "Run" | "New" | "T" | "Context" => None,
        _ if is_method && is_library => Some(Form::Other),
        _ => (promises(word) && !is_method || word == "Expect").then_some(Form::Other),
    }
}

/// The languages in which a declaration names a type first: Java, Kotlin, PHP, C#.
fn typed(source: &Source<'_>, at: usize) -> Option<Form> {
    let word = source.tokens[at].text;
    let is_called = source.is(at + 1, "(");
    let last = source.before(at);
    let is_method = last.is_some_and(|last| matches!(last.text, "." | "->" | "::"));
    let is_flow = |word: &str| matches!(word, "return" | "await" | "else" | "do");
    let is_defined = last.is_some_and(|last| last.is_word() && !is_flow(last.text));
    let owner = at.checked_sub(2).map_or("", |owner| source.tokens[owner].text);
    let of_assert = is_method && owner.ends_with("Assert");
    // Kotlin writes `value shouldBe 3`, PHPUnit and JUnit announce an exception.
    if word.starts_with("should")
        && source.language == Language::Kotlin
        && !source.is_before(at, "fun")
    {
        let is_group = is_called && source.token(at + 2).is_some_and(|t| t.kind == Kind::Text);
        return (!is_group).then_some(Form::Other);
    }
    if word == "expected" && source.is(at + 1, "=") && source.is_before(at, "(") {
        return Some(Form::Other);
    }
    if word == "assert" && !is_called && !is_method && source.language == Language::Java {
        return Some(Form::Truth(condition(source, at)));
    }
    if !is_called || is_defined {
        return None;
    }
    match word {
        "assertTrue" | "assert" => Some(truth(source, at + 1, 0)),
        "True" | "IsTrue" if of_assert => Some(truth(source, at + 1, 0)),
        "assertEquals" | "assertSame" => Some(equal(source, at + 1, 0)),
        "Equal" | "AreEqual" | "Same" if of_assert => Some(equal(source, at + 1, 0)),
        "Ignore" | "Inconclusive" | "Skip" if of_assert => None,
        _ if of_assert => Some(Form::Other),
        "expect" if !is_method => Some(Form::Expectation { open: at + 1 }),
        "fail" | "andExpect" => Some(Form::Other),
        _ => promises(word).then_some(Form::Other),
    }
}

fn ruby(source: &Source<'_>, at: usize) -> Option<Form> {
    let token = &source.tokens[at];
    if source.is_before(at, "def") {
        return None;
    }
    let is_called = source.is(at + 1, "(");
    match token.text {
        "expect" if is_called => Some(Form::Expectation { open: at + 1 }),
        "expect" | "is_expected" | "flunk" => Some(Form::Other),
        "should" | "should_not" => Some(Form::Other),
        "assert" if token.is_first && !is_called => Some(Form::Truth(condition(source, at))),
        "assert" if is_called => Some(truth(source, at + 1, 0)),
        "assert_equal" if is_called => Some(equal(source, at + 1, 0)),
        "assert_equal" => {
            let first = condition(source, at);
            let end = source.line_end(at);
            Some(Form::Equal(first.clone(), (first.end + 1).min(end)..end))
        }
        word => {
            let starts = ["assert_", "refute", "must_", "wont_", "verify_", "check_"];
            starts.iter().any(|start| word.starts_with(start)).then_some(Form::Other)
        }
    }
}

/// In a script a check is a command that fails.
fn shell(source: &Source<'_>, at: usize) -> Option<Form> {
    let token = &source.tokens[at];
    let follows = source.before(at).is_some_and(|last| {
        matches!(last.text, "if" | "!" | "&&" | "||" | ";" | "elif" | "then" | "{")
    });
    if !(token.is_first || follows) || source.is(at + 1, "(") || source.is_before(at, "@") {
        return None;
    }
    let is_check = match token.text {
        "[" | "[[" | "test" | "grep" | "diff" | "cmp" | "fail" | "die" => token.kind != Kind::Text,
        "exit" => {
            source.token(at + 1).is_some_and(|code| code.kind == Kind::Number && code.text != "0")
        }
        word => token.is_word() && (promises(word) || word.starts_with("refute")),
    };
    is_check.then(|| Form::Truth(at..source.line_end(at)))
}

fn truth(source: &Source<'_>, open: usize, skip: usize) -> Form {
    source.arguments(open).into_iter().nth(skip).map_or(Form::Other, Form::Truth)
}

fn equal(source: &Source<'_>, open: usize, skip: usize) -> Form {
    let arguments = source.arguments(open);
    match arguments.get(skip..) {
        Some([first, second, ..]) => Form::Equal(first.clone(), second.clone()),
        _ => Form::Other,
    }
}

/// A name that says whoever calls it wants to know whether something holds.
fn promises(word: &str) -> bool {
    const STARTS: [&str; 7] =
        ["assert", "expect", "verify", "check", "ensure", "should", "require"];
    let word = word.trim_start_matches('_');
    STARTS.iter().any(|start| {
        let upper = start.as_bytes()[0].to_ascii_uppercase();
        let is_same = word
            .as_bytes()
            .first()
            .is_some_and(|first| *first == upper || *first == start.as_bytes()[0]);
        is_same && word.get(1..start.len()) == Some(&start[1..])
    })
}
