//! The id of a run, which is also the name of its files: letters, digits, `.`, `_`, `-`, so that it can be no path.

use std::fmt;

use autopilot_core::limits;

use crate::error::JournalError;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    pub fn new(text: &str) -> Result<RunId, JournalError> {
        check_name(text)?;
        Ok(RunId(text.to_string()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names of ours start with a letter or digit: a leading dot is a file in the making, a leading dash an option.
pub(crate) fn check_name(name: &str) -> Result<(), JournalError> {
    let refused = |why| Err(JournalError::BadName { name: name.to_string(), why });
    if name.len() > limits::STORED_NAME_CHARS_MAX {
        return refused("it is too long");
    }
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return refused("it must start with a letter or digit");
    }
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) {
        return refused("it may have letters, digits, dots, dashes and underscores");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_id_can_be_no_path_and_no_option() {
        for good in ["r1", "2026-01-02-a7f3", "A_b.c"] {
            assert_eq!(RunId::new(good).unwrap().as_str(), good);
        }
        let long = "a".repeat(limits::STORED_NAME_CHARS_MAX + 1);
        for bad in ["", ".", "..", "../x", "a/b", "-v", ".x", "a b", "a\n", "ü", long.as_str()] {
            assert!(matches!(RunId::new(bad), Err(JournalError::BadName { .. })), "{bad}");
        }
    }
}
