//! The marks by which a test is skipped, or by which it silences the others: attributes, annotations, other names of the
//! function that declares a test, and calls in its body. Which tests a mark is about is settled in `cases`.

use super::language::Language;
use super::source::Source;
use super::tokens::Kind;

/// A mark, at the token that says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) at: usize,
}

/// Words that declare tests and groups of them in JavaScript; marks hang on them.
const DECLARING: [&str; 12] = [
    "it", "test", "describe", "context", "suite", "specify", "this", "t", "ctx", "Deno", "bench",
    "QUnit",
];

/// Every mark that skips, in the order of the text.
pub(super) fn skips(source: &Source<'_>) -> Vec<Mark> {
    let places = 0..source.tokens.len();
    let words = places.filter(|at| source.tokens[*at].is_word());
    words.filter(|at| is_skip(source, *at)).map(|at| Mark { at }).collect()
}

/// Every mark by which a runner leaves out all tests but the marked ones.
pub(super) fn focuses(source: &Source<'_>) -> Vec<Mark> {
    let places = 0..source.tokens.len();
    let words = places.filter(|at| source.tokens[*at].is_word());
    words.filter(|at| is_focus(source, *at)).map(|at| Mark { at }).collect()
}

/// Every mark by which a test passes when it fails.
pub(super) fn inversions(source: &Source<'_>) -> Vec<Mark> {
    let places = 0..source.tokens.len();
    let words = places.filter(|at| source.tokens[*at].is_word());
    words.filter(|at| is_inversion(source, *at)).map(|at| Mark { at }).collect()
}

fn is_inversion(source: &Source<'_>, at: usize) -> bool {
    let is_method = source.is_before(at, ".");
    match (source.language, source.tokens[at].text) {
        (Language::Rust, "should_panic") => in_attribute(source, at),
        (Language::Python, "expectedFailure") => is_method || source.is_before(at, "@"),
        (Language::Script, "fails" | "failing") => is_method && declares(source, at),
        _ => false,
    }
}

fn is_skip(source: &Source<'_>, at: usize) -> bool {
    let token = &source.tokens[at];
    let word = token.text;
    let is_called = source.is(at + 1, "(");
    let is_method = source.is_before(at, ".");
    match source.language {
        Language::Rust => match word {
            "ignore" => in_attribute(source, at),
            "cfg" => source.is_before(at, "[") && is_called && never_holds(source, at + 1),
            _ => false,
        },
        Language::Python => match word {
            "skip" | "skipif" | "skipIf" | "skipUnless" | "xfail" | "skipTest" | "importorskip" => {
                is_method || source.is_before(at, "@") || (is_called && source.is_test)
            }
            "SkipTest" => source.is_before(at, "raise") || is_method,
            "expectedFailure" => is_method || source.is_before(at, "@"),
            "__test__" => source.is(at + 1, "=") && source.is(at + 2, "False"),
            _ => false,
        },
        Language::Script => match word {
            "xit" | "xtest" | "xdescribe" | "xcontext" | "xspecify" => is_called && !is_method,
            "skip" | "todo" | "failing" | "fails" | "skipIf" | "runIf" | "fixme" | "ignore" => {
                (is_method && declares(source, at)) || is_option(source, at)
            }
            _ => false,
        },
        Language::Go => {
            matches!(word, "Skip" | "Skipf" | "SkipNow") && is_method && is_called && source.is_test
        }
        Language::Java
        | Language::Kotlin
        | Language::Ruby
        | Language::Php
        | Language::CSharp
        | Language::Shell => is_other_skip(source, at),
    }
}

fn is_other_skip(source: &Source<'_>, at: usize) -> bool {
    let token = &source.tokens[at];
    let word = token.text;
    let is_called = source.is(at + 1, "(");
    let is_method = source.is_before(at, ".");
    match source.language {
        Language::Java | Language::Kotlin => match word {
            "enabled" => source.is(at + 1, "=") && source.is(at + 2, "false"),
            "assumeTrue" | "assumeFalse" | "assumeThat" | "assumingThat" => is_called,
            "xtest" | "xit" | "xdescribe" | "xcontext" => is_called && source.is_test,
            _ => {
                let starts = ["Disabled", "Ignore", "EnabledIf", "EnabledOn"];
                source.is_before(at, "@") && starts.iter().any(|start| word.starts_with(start))
            }
        },
        Language::Ruby => match word {
            "xit" | "xspecify" | "xexample" | "xdescribe" | "xcontext" | "xscenario" => {
                token.is_first
            }
            "skip" | "pending" => {
                let is_call = token.is_first && !source.is(at + 1, "=") && !source.is(at + 1, ".");
                source.is_test && (is_call || is_label(source, at))
            }
            _ => false,
        },
        Language::Php => match word {
            "markTestSkipped" | "markTestIncomplete" => is_called,
            "skip" | "todo" => source.is_before(at, "->") && is_called && source.is_test,
            _ => false,
        },
        Language::CSharp => match word {
            "Ignore" | "Explicit" => {
                let parent = source.parent[at];
                let in_list =
                    source.is(parent, "[") && source.token(parent).is_some_and(|t| t.is_first);
                in_list || (is_method && is_called && is_assert(source, at))
            }
            "Inconclusive" | "Skip" if is_method => is_called && is_assert(source, at),
            "Skip" => source.is(at + 1, "=") || source.is(at + 1, "."),
            _ => false,
        },
        Language::Rust | Language::Python | Language::Script | Language::Go => false,
        Language::Shell => word == "skip" && token.is_first && source.path.ends_with(".bats"),
    }
}

fn is_focus(source: &Source<'_>, at: usize) -> bool {
    let token = &source.tokens[at];
    let is_called = source.is(at + 1, "(");
    let is_method = source.is_before(at, ".");
    match (source.language, token.text) {
        (Language::Script, "only") => (is_method && declares(source, at)) || is_option(source, at),
        (Language::Script, "fit" | "fdescribe" | "fcontext") => {
            is_called
                && !is_method
                && source.token(at + 2).is_some_and(|next| next.kind == Kind::Text)
        }
        (Language::Ruby, "fit" | "fdescribe" | "fcontext" | "fspecify") => token.is_first,
        (Language::Ruby, "focus") => source.is_test && is_label(source, at),
        (Language::Php, "only") => source.is_before(at, "->") && is_called && source.is_test,
        _ => false,
    }
}

/// `#[ignore]`, also as what a `cfg_attr` would add.
fn in_attribute(source: &Source<'_>, at: usize) -> bool {
    let parent = source.parent[at];
    let is_attribute = |open: usize| source.is(open, "[") && source.is_before(open, "#");
    let is_inner = |open: usize| source.is(open, "(") && source.is_before(open, "cfg_attr");
    is_attribute(parent) && source.is_before(at, "[")
        || is_inner(parent) && source.is_before(at, ",") && is_attribute(source.parent[parent])
}

/// A condition of `cfg` that is false in every build of the tests.
fn never_holds(source: &Source<'_>, open: usize) -> bool {
    let words = source.slice(source.inside(open)).iter().take(8);
    let words: Vec<&str> = words.map(|token| token.text).collect();
    matches!(
        words.as_slice(),
        ["any", "(", ")"]
            | ["FALSE" | "false" | "never"]
            | ["not", "(", "all", "(", ")", ")"]
            | ["not", "(", "test" | "true", ")"]
            | ["all", "(", "test", ",", "any", "(", ")", ..]
            | ["all", "(", "any", "(", ")", ..]
            | ["all", "(", "test", ",", "not", "(", "test", ..]
    )
}

/// The chain before a method begins with a word that declares tests: `it.concurrent.skip`.
fn declares(source: &Source<'_>, at: usize) -> bool {
    let mut first = at;
    // Chains have three links at most; a bound keeps a long line of dots linear.
    for _ in 0..6 {
        let Some(link) = first.checked_sub(2) else { break };
        if !source.is(first - 1, ".") || !source.tokens[link].is_word() {
            break;
        }
        first = link;
    }
    first != at && DECLARING.contains(&source.tokens[first].text)
}

/// `{ skip: true }` among the arguments of a test.
fn is_option(source: &Source<'_>, at: usize) -> bool {
    let says_yes = source.token(at + 2).is_some_and(|t| t.is("true") || t.kind == Kind::Text);
    source.is_test && source.is(at + 1, ":") && says_yes && source.is(source.parent[at], "{")
}

/// `:skip` and `skip: true` in Ruby.
fn is_label(source: &Source<'_>, at: usize) -> bool {
    let is_given = source.is(at + 1, ":") && !source.is(at + 2, "false") && !source.is(at + 2, ":");
    is_given || (source.is_before(at, ":") && !source.is_before(at.saturating_sub(1), ":"))
}

fn is_assert(source: &Source<'_>, at: usize) -> bool {
    at >= 2 && source.is(at - 2, "Assert")
}
