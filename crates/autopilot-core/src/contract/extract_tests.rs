//! Which object of a text is taken for the return, and that looking for it takes time in proportion to the text.

use proptest::prelude::*;

use super::*;

fn fields() -> BTreeSet<String> {
    ["pass", "issues", "needs_answer"].map(String::from).into()
}

/// The text found, or the kind of the one breach.
fn of(text: &str) -> Result<&str, BreachKind> {
    find(&fields(), text).map_err(|breach| breach.kind)
}

#[test]
fn the_last_return_is_taken_whatever_stands_around_it() {
    let table = [
        ("{\"pass\":1}", "{\"pass\":1}"),
        ("\u{feff}{\"pass\":1}\r\n", "{\"pass\":1}"),
        ("Done.\r\n```json\r\n{\r\n  \"pass\": 1\r\n}\r\n```\r\nBye.", "{\r\n  \"pass\": 1\r\n}"),
        ("{\"pass\":1}\n{\"pass\":2}", "{\"pass\":2}"),
        // Braces and fences inside texts.
        ("{\"pass\":\"}{ \\\" ```json {\"}", "{\"pass\":\"}{ \\\" ```json {\"}"),
        ("````md\n```json\n{\"pass\":1}\n```\n````", "{\"pass\":1}"),
        // Asides, before and after.
        ("use `{}` {\"pass\":1} in `{\"a\":1}` or {x}", "{\"pass\":1}"),
        ("struct A { b: \"{\", {\"pass\":1}", "{\"pass\":1}"),
        ("format {\"pass\": value} means {\"pass\":1}", "{\"pass\":1}"),
        ("said {\"hello\": \"world, {\"pass\":1}", "{\"pass\":1}"),
        // Wrapped.
        ("{\"return\":{\"pass\":1}}", "{\"pass\":1}"),
        ("{\"return\":\n{\"pass\":1} and so on", "{\"pass\":1}"),
        ("[{\"pass\":1}]", "{\"pass\":1}"),
        // The outer one, where both look like a return.
        ("{\"x\":{\"pass\":1},\"issues\":[]}", "{\"x\":{\"pass\":1},\"issues\":[]}"),
        // Nothing better to be had.
        ("a {\"b\":1} c {\"d\":2}", "{\"d\":2}"),
    ];
    for (text, found) in table {
        assert_eq!(of(text), Ok(found), "{text}");
    }
}

#[test]
fn a_return_that_is_none_is_not_replaced_by_an_earlier_one() {
    let table = [
        ("", BreachKind::NoJson),
        ("I am done.", BreachKind::NoJson),
        ("fn main() { let x = {1}; }", BreachKind::NoJson),
        ("{\"pass\":1} no: {\"pass\":1,}", BreachKind::NotJson),
        ("{\"pass\":1} no: {\"pass\":'x'}", BreachKind::NotJson),
        ("{\"pass\":1} no: {\"pass\":1 // yes\n}", BreachKind::NotJson),
        ("{\"pass\":\"two\nlines\"}", BreachKind::NotJson),
        ("{\"pass\":1]", BreachKind::NotJson),
        ("{\"pass\":1} and {\"pass\":tr", BreachKind::CutOff),
        ("{\"pass\":\"x", BreachKind::CutOff),
        ("{\"pass\":\"x\\", BreachKind::CutOff),
        ("{\"pass\":[{\"a\":1}", BreachKind::CutOff),
        ("{\"pass\":", BreachKind::CutOff),
    ];
    for (text, kind) in table {
        assert_eq!(of(text), Err(kind), "{text}");
    }
    let deep = format!("{{\"pass\":{}", "[".repeat(limits::VALUE_DEPTH_MAX));
    assert_eq!(of(&deep), Err(BreachKind::TooDeep));
    assert_eq!(of(&" ".repeat(limits::RETURN_TEXT_BYTES_MAX + 1)), Err(BreachKind::TooLarge));
}

#[test]
fn the_fault_is_named_with_its_line() {
    let text = "so:\n{\n  \"pass\": 1,\n  \"issues\": [1, 2,]\n}";
    let breach = find(&fields(), text).expect_err("a comma too many");
    assert_eq!(
        breach.to_string(),
        "expected another entry after the comma, found ']' in line 3 of the object."
    );
}

/// Steps for each byte of the text.
fn effort(text: &str) -> usize {
    search(&fields(), text).steps / text.len().max(1)
}

#[test]
fn the_effort_grows_with_the_length_and_no_faster() {
    let flat =
        |opening: &str, entry: &str| format!("{}{}", opening.repeat(60), entry.repeat(100_000));
    let texts = [
        "{".repeat(500_000),
        "{\"".repeat(250_000),
        "{\"a\":".repeat(100_000),
        "{\"a\":[".repeat(100_000),
        "{\"pass\":\"".repeat(60_000),
        "{\"a\":\"\\".repeat(60_000),
        flat("{\"a\":[", "1,"),
        flat("{\"a\":[", "{},"),
        flat("{\"a\":[", "{\"b\":1},"),
        flat("{\"a\":[", "\"{\","),
        flat("{\"a\":", "{ "),
        format!("{{{}", " ".repeat(500_000)),
    ];
    for text in texts {
        assert!(effort(&text) <= 3, "{} in {}", effort(&text), &text[..20]);
    }
}

proptest! {
    #[test]
    fn no_text_takes_more_than_a_few_looks_at_each_byte(
        text in "(\\{|\\}|\\[|\\]|\"|\\\\|:|,| |\n|1|true|tru|\"pass\":|\"a\":|\\{\"|é){0,80}"
    ) {
        prop_assert!(effort(&text) <= 3);
        // What is found is an object and lies in the text.
        if let Ok(found) = of(&text) {
            let is_object = found.starts_with('{') && found.ends_with('}');
            prop_assert!(is_object);
        }
    }
}
