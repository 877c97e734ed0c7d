//! Words out of agents' sentences, so that they can be compared. Quotations, code, paths and numbers are no words: two reviewers
//! who look at the same place write the same there.

/// A word in lower case, or a place where a run of words ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Token {
    Word(String),
    Break,
}

/// All words, whatever stands between them.
pub(super) fn plain_words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

/// The sentences of a text as words.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for part in without_quotations(text).split_whitespace() {
        tokens.push(token(part));
    }
    tokens
}

fn token(part: &str) -> Token {
    let bare = part.trim_matches(|c: char| !c.is_alphanumeric());
    let is_word = bare.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'));
    if bare.is_empty() || !is_word { Token::Break } else { Token::Word(bare.to_lowercase()) }
}

/// What stands in quotation marks or backticks becomes a break. An opening mark without its end is none.
fn without_quotations(text: &str) -> String {
    let pairs = [('`', '`'), ('"', '"'), ('“', '”'), ('«', '»'), ('„', '“')];
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        let pair = pairs.iter().find(|(open, _)| *open == character);
        let end = pair.and_then(|(_, close)| Some((after.find(*close)?, close.len_utf8())));
        match end {
            Some((end, width)) => {
                left.push_str(" | ");
                rest = &after[end + width..];
            }
            None => {
                left.push(character);
                rest = after;
            }
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_code_paths_and_numbers_are_no_words() {
        let check = |text: &str, expected: &str| {
            let words: Vec<String> = tokens(text)
                .into_iter()
                .map(|token| match token {
                    Token::Word(word) => word,
                    Token::Break => "|".to_string(),
                })
                .collect();
            assert_eq!(words.join(" "), expected);
        };
        check("The form, it's THERE.", "the form it's there");
        check("see src/lib.rs:12 and `a b c` there", "see | and | there");
        check("it says \"not found\" twice", "it says | twice");
        check("12 passed; 0 failed", "| passed | failed");
        check("an open \" mark stays", "an open | mark stays");
        check("well-known – yes", "well-known | yes");
        assert_eq!(plain_words("A page, that was (added)!"), ["a", "page", "that", "was", "added"]);
    }
}
