//! How many cases one test stands for: rows its attributes name, and rows of a table it loops over.

use std::collections::BTreeMap;

use super::cases::Case;
use super::language::Language;
use super::source::{OUTSIDE, Source};
use super::tokens::Kind;
use crate::limits;

/// Rows named by attributes, decorators or `each`: one less of them is a case less that is run. 1 where there are none.
pub(super) fn parameters(source: &Source<'_>, case: &Case) -> u32 {
    let head = case.extent.start..case.body.start.max(case.extent.start);
    let head = head.start..head.end.min(head.start + limits::HONESTY_BODY_TOKENS_MAX);
    let count = |names: &[&str]| {
        let named = head.clone().filter(|at| {
            names.contains(&source.tokens[*at].text)
                && source.is(at + 1, "(")
                && source.tokens[*at].is_word()
        });
        u32::try_from(named.count()).unwrap_or(u32::MAX)
    };
    let rows = match source.language {
        Language::Rust => count(&["case", "test_case"]),
        Language::CSharp => count(&["InlineData", "TestCase", "DataRow"]),
        Language::Php => count(&["TestWith"]),
        Language::Python => {
            let all = head.clone().filter(|at| source.is(*at, "parametrize"));
            let lists = all.filter_map(|at| last_list(source, at + 1));
            lists.fold(1_u32, u32::saturating_mul)
        }
        Language::Java | Language::Kotlin => {
            let sources = ["CsvSource", "ValueSource", "MethodSource", "EnumSource"];
            let found = head.clone().find(|at| sources.contains(&source.tokens[*at].text));
            found
                .and_then(|at| (at + 1..at + 8).find(|open| source.is(*open, "{")))
                .map_or(1, |open| source.entries[open])
        }
        Language::Script => head.clone().find(|at| source.is(*at, "each")).map_or(1, |each| {
            let list = (each + 1..each + 3).find(|open| source.is(*open, "["));
            let table = source.token(each + 1).filter(|next| next.kind == Kind::Text);
            // Of a table in a template the first line is the head.
            let lines = table.map(|t| t.text.lines().filter(|line| line.contains('|')).count());
            let lines =
                lines.map(|lines| u32::try_from(lines.saturating_sub(1)).unwrap_or(u32::MAX));
            list.map(|open| source.entries[open]).or(lines).unwrap_or(1)
        }),
        Language::Go | Language::Ruby | Language::Shell => 1,
    };
    rows.max(1)
}

/// The last list among the arguments of a call.
fn last_list(source: &Source<'_>, open: usize) -> Option<u32> {
    let inside = source.inside(open);
    let inside = inside.start..inside.end.min(inside.start + limits::HONESTY_BODY_TOKENS_MAX);
    let mut lists = inside
        .filter(|at| source.parent[*at] == open && (source.is(*at, "[") || source.is(*at, "(")));
    lists.next_back().map(|list| source.entries[list])
}

/// Rows of the largest table in the body, where the body has a loop. Only an excuse for fewer assertions, never a loss: a list
/// may be anything.
pub(super) fn looped(source: &Source<'_>, case: &Case) -> u32 {
    let body =
        case.body.start..case.body.end.min(case.body.start + limits::HONESTY_BODY_TOKENS_MAX);
    let loops = [
        "for",
        "each",
        "forEach",
        "foreach",
        "range",
        "iter",
        "into_iter",
        "map",
        "every",
        "subTest",
    ];
    let has_loop = source.slice(body.clone()).iter().any(|token| loops.contains(&token.text));
    if !has_loop {
        return 1;
    }
    let tables = body.clone().filter(|at| is_table(source, *at)).map(|at| source.entries[at]);
    let lists = body.clone().filter(|at| is_run_over(source, *at)).map(|at| source.entries[at]);
    let here = tables.chain(lists).max().unwrap_or(1);
    // A table of the file that the loop names: `for case in CASES`.
    let named = body.filter(|at| source.tokens[*at].is_word() && follows_in(source, *at));
    let named = named.filter_map(|at| source.tables.get(source.tokens[at].text)).max().copied();
    here.max(named.unwrap_or(1)).max(1)
}

/// A list that stands in the head of a loop, whatever its entries are: `for word in ["a", "b"]`, `["a", "b"].forEach(`.
fn is_run_over(source: &Source<'_>, open: usize) -> bool {
    let is_list = source.is(open, "[") || source.is(open, "(");
    if !is_list || source.entries[open] < 2 {
        return false;
    }
    let follows = source.before(open).is_some_and(|last| matches!(last.text, "in" | "of"));
    let close = source.close[open];
    let methods = ["forEach", "each", "map", "every", "iter", "into_iter"];
    let is_walked = source.is(open, "[")
        && source.is(close + 1, ".")
        && methods.iter().any(|method| source.is(close + 2, method));
    follows || is_walked
}

fn follows_in(source: &Source<'_>, at: usize) -> bool {
    let last = source.before(at).map_or("", |last| last.text);
    matches!(last, "in" | "of" | "range" | "(" | "&") || source.is(at + 1, ".")
}

/// The tables a file defines outside of its functions, by name.
pub(super) fn tables<'a>(source: &Source<'a>) -> BTreeMap<&'a str, u32> {
    let mut tables = BTreeMap::new();
    for at in 0..source.tokens.len() {
        let token = &source.tokens[at];
        let is_said = source
            .before(at)
            .is_some_and(|last| matches!(last.text, "const" | "static" | "let" | "var" | "final"));
        let is_plain = token.is_first && token.column == 0 && source.is(at + 1, "=");
        // Rust keeps its tables in the module of the tests; a variable of a function is no table of the file.
        let of_module = source.language == Language::Rust && source.is_before(at, "const");
        let is_outside =
            source.parent[at] == OUTSIDE || of_module || source.is_before(at, "static");
        if !token.is_word() || !(is_said || is_plain) || !is_outside {
            continue;
        }
        let parent = source.parent[at];
        let rest = at + 1..(at + 40).min(source.tokens.len());
        let table = rest
            .take_while(|place| !source.is(*place, ";") || source.parent[*place] != parent)
            .skip_while(|place| !source.is(*place, "="))
            .find(|place| is_table(source, *place));
        if let Some(table) = table {
            tables.insert(token.text, source.entries[table]);
        }
    }
    tables
}

/// A list whose first entry is a list, a tuple or a value with fields.
fn is_table(source: &Source<'_>, open: usize) -> bool {
    let is_list = source.is(open, "[") || source.is(open, "{") || source.is(open, "(");
    let opens = |at: usize| source.is(at, "(") || source.is(at, "[") || source.is(at, "{");
    // The arguments of a call are no table.
    let is_call = source.is(open, "(")
        && source.before(open).is_some_and(|last| last.is_word() || last.is("!"));
    if !is_list || is_call || source.entries[open] < 2 {
        return false;
    }
    let is_named = source
        .token(open + 1)
        .is_some_and(|first| first.is_word() || first.is("&") || first.kind == Kind::Text);
    let goes_on = opens(open + 2) || source.is(open + 2, ":") || source.is(open + 2, "=>");
    opens(open + 1) || (is_named && goes_on)
}
