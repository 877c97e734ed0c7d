//! Words that stand where a goal or an action should (MAP-1, PIPE-5): somebody meant to come back, and nothing can be built on them.

const STUBS: [&str; 9] =
    ["tbd", "tba", "todo", "...", "…", "to be planned", "to be defined", "to be decided", "n/a"];

/// Nothing at all, or only such words, in brackets or not.
pub fn is_stub(text: &str) -> bool {
    let words = text.trim().to_lowercase();
    let bare = words.trim_end_matches('.').trim_matches(['[', ']', '(', ')', ' ']);
    bare.is_empty() || STUBS.contains(&words.as_str()) || STUBS.contains(&bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_nothing_are_told_from_words_that_do() {
        for text in
            ["", "  ", "TBD", "tbd.", "[To be planned]", "(to be defined)", "...", "…", "N/A"]
        {
            assert!(is_stub(text), "{text:?}");
        }
        for text in ["A todo list can be shared", "Orders survive a restart", "Plan the tbd page"] {
            assert!(!is_stub(text), "{text:?}");
        }
    }
}
