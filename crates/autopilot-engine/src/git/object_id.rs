//! The name git gives to a commit or a tree.

use std::fmt;

/// 40 or 64 hexadecimal digits, whole and in lower case. What has this type can be put into a command line as it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId(String);

impl ObjectId {
    pub fn parse(text: &str) -> Option<ObjectId> {
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_whole = matches!(text.len(), 40 | 64) && text.as_bytes().iter().all(is_digit);
        is_whole.then(|| ObjectId(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The tree of a commit, in git's words.
    pub(crate) fn tree_of(&self) -> String {
        format!("{self}^{{tree}}")
    }

    /// As many zeros as the id has digits: git's word for "there must be none yet".
    pub(crate) fn none_yet(&self) -> String {
        "0".repeat(self.0.len())
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_whole_or_none() {
        let check = |text: &str, expected: bool| {
            assert_eq!(ObjectId::parse(text).is_some(), expected, "{text}");
        };
        check(&"a1".repeat(20), true);
        check(&"a1".repeat(32), true);
        check(&"A1".repeat(20), false);
        check(&"a1".repeat(19), false);
        check("HEAD", false);
        check("--help", false);
        check("", false);
    }
}
