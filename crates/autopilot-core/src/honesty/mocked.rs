//! A test that puts a mock in the place of what it is about and then looks at nothing but the mock. It passes whatever the program
//! does.

use super::assertions::Assertion;
use super::cases::Case;
use super::expectations::extent;
use super::language::Language;
use super::source::Source;
use super::tokens::Kind;
use crate::limits;

/// The function that a test replaced, where every one of its assertions calls that or asks the mock how it was called.
pub(super) fn subject(source: &Source<'_>, case: &Case, own: &[Assertion]) -> Option<String> {
    let name = replaced(source, case)?;
    let looks_at_mock = |one: &Assertion| {
        let word = source.token(one.at).map_or("", |token| token.text);
        let asks_mock = word.starts_with("assert_called")
            || word.starts_with("assert_any_call")
            || word.starts_with("assert_has_calls")
            || word.starts_with("assert_not_called");
        let range = extent(source, one);
        let mut places = range.clone();
        let calls = places.any(|at| source.is(at, &name) && source.is(at + 1, "("));
        let asks =
            source.slice(range).iter().any(|token| token.text.starts_with("toHaveBeenCalled"));
        asks_mock || calls || asks
    };
    (!own.is_empty() && own.iter().all(looks_at_mock)).then_some(name)
}

/// The last part of what is patched: `gross` of `patch("vat.gross")`, `patch.object(vat, "gross")`, `spyOn(vat, 'gross')`.
fn replaced(source: &Source<'_>, case: &Case) -> Option<String> {
    let end = case.extent.end.min(case.extent.start + limits::HONESTY_BODY_TOKENS_MAX);
    (case.extent.start..end).find_map(|at| {
        let word = source.token(at).filter(|token| token.is_word())?.text;
        let open = at + 1;
        if !source.is(open, "(") {
            return None;
        }
        let arguments = source.arguments(open);
        let place = match (source.language, word) {
            (Language::Python, "patch") => 0,
            (Language::Python, "object") if source.is_before(at, ".") => 1,
            (Language::Script, "spyOn") if is_answered(source, open) => 1,
            (Language::Script, "method") if arguments.len() > 2 => 1,
            _ => return None,
        };
        let range = arguments.get(place)?.clone();
        let [text] = source.slice(range) else { return None };
        let name = (text.kind == Kind::Text).then(|| text.said().rsplit('.').next())??;
        (!name.is_empty()).then(|| name.to_string())
    })
}

/// A spy calls what it watches, unless it is told what to answer.
fn is_answered(source: &Source<'_>, open: usize) -> bool {
    let close = source.close.get(open).copied().unwrap_or(open);
    let next = source.token(close + 2).map_or("", |token| token.text);
    source.is(close + 1, ".") && next.starts_with("mock")
}
