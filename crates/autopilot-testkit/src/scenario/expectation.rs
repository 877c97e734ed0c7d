//! What must have happened, in order, and what must not. Other things may have happened in between.

use super::vocabulary::{bare, knows};

/// A sentence of an account, or its part before the parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern(String);

impl Pattern {
    pub(super) fn read(text: &str) -> Result<Pattern, String> {
        match knows(bare(text)) {
            true => Ok(Pattern(text.to_string())),
            false => Err(format!("nothing is ever told as `{text}`")),
        }
    }

    pub(super) fn fits(&self, sentence: &str) -> bool {
        self.0 == sentence || self.0 == bare(sentence)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expected {
    Then(Pattern),
    Never(Pattern),
}

impl Expected {
    pub(super) fn read(item: &str) -> Result<Expected, String> {
        match item.strip_prefix("never: ") {
            Some(rest) => Pattern::read(rest).map(Expected::Never),
            None => Pattern::read(item).map(Expected::Then),
        }
    }
}

pub(super) fn compare(expected: &[Expected], account: &[String]) -> Result<(), String> {
    let untold = account.iter().find(|sentence| !knows(bare(sentence)));
    if let Some(sentence) = untold {
        return Err(format!("`{sentence}` is told but is in no vocabulary"));
    }
    let mut from = 0;
    for one in expected {
        match one {
            Expected::Then(pattern) => {
                let at = account[from..].iter().position(|sentence| pattern.fits(sentence));
                let Some(at) = at else {
                    let after = from.checked_sub(1).and_then(|last| account.get(last));
                    let after = after.map(|last| format!(" after `{last}`")).unwrap_or_default();
                    return Err(format!("expected `{}`{after}", pattern.0));
                };
                from += at + 1;
            }
            Expected::Never(pattern) => {
                if let Some(sentence) = account.iter().find(|sentence| pattern.fits(sentence)) {
                    return Err(format!("never expected `{sentence}`"));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(expected: &[&str], account: &[&str]) -> Result<(), String> {
        let expected: Vec<Expected> =
            expected.iter().map(|item| Expected::read(item).unwrap()).collect();
        let account: Vec<String> = account.iter().map(ToString::to_string).collect();
        compare(&expected, &account)
    }

    #[test]
    fn order_counts_and_parentheses_only_where_they_are_given() {
        let account = ["1 started", "1 failed (tool_failure)", "exit 1"];
        assert_eq!(compared(&["1 started", "1 failed", "exit 1"], &account), Ok(()));
        assert_eq!(compared(&["1 failed (tool_failure)", "never: 2 started"], &account), Ok(()));
        assert!(compared(&["1 failed", "1 started"], &account).is_err());
        assert!(compared(&["1 failed (scope_creep)"], &account).is_err());
        assert!(compared(&["never: 1 failed"], &account).is_err());
        assert!(compared(&["1 started", "1 started"], &account).is_err());
        assert!(Expected::read("never: 1 strated").is_err());
    }
}
