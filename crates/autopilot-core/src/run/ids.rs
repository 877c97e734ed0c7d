//! The names of things in a run. Each is checked where it comes in, so that it can become part of a path or a branch later.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::limits;
use crate::phase_id::PhaseId;

/// A moment of the wall clock, in milliseconds since 1970. The engine reads it; here it only arrives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub u64);

impl Moment {
    pub fn milliseconds_since(self, earlier: Moment) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// One attempt to perform an effect, counted from 1 over the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttemptId(pub u32);

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What is not a run id, a commit or a task id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not {1}")]
pub struct Malformed(String, &'static str);

macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $what:literal, $is_valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[serde(transparent)]
        pub struct $name(Box<str>);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = Malformed;

            fn from_str(text: &str) -> Result<Self, Malformed> {
                let is_valid: fn(&str) -> bool = $is_valid;
                if is_valid(text) {
                    Ok($name(text.into()))
                } else {
                    Err(Malformed(text.chars().take(limits::QUOTE_CHARS_MAX).collect(), $what))
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

checked_text!(
    /// Names a run in paths and branches: lower-case letters, digits and hyphens.
    RunId,
    "a run id",
    |text| {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (1..=limits::RUN_ID_BYTES_MAX).contains(&text.len())
            && text.bytes().all(is_plain)
            && !text.starts_with('-')
    }
);

checked_text!(
    /// A commit by its full hash.
    Commit,
    "the hash of a commit",
    |text| {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        matches!(text.len(), 40 | 64) && text.bytes().all(is_hex)
    }
);

checked_text!(
    /// A task of a phase, such as `03-01-2`; unique within its phase.
    TaskId,
    "a task id",
    |text| {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        !text.is_empty() && text.len() <= limits::TASK_ID_BYTES_MAX && text.chars().all(is_plain)
    }
);

impl TaskId {
    /// A task whose plan gives it no id of its own: `3-01-2`. Whatever cannot stand in an id is left out; `place` keeps it
    /// unique then.
    pub(super) fn of_plan(phase: &PhaseId, plan: &str, number: usize, place: usize) -> TaskId {
        let plain = format!("{phase}-{plan}-{number}").parse();
        plain.unwrap_or_else(|_| TaskId(format!("task-{}", place + 1).into()))
    }

    /// A task the engine made itself: `debug-1`, or `debug-1.2` where a plan has a task of that name.
    pub(super) fn made(
        kind: &'static str,
        number: u32,
        is_taken: impl Fn(&TaskId) -> bool,
    ) -> TaskId {
        let mut id = TaskId(format!("{kind}-{number}").into());
        let mut copy = 1;
        while is_taken(&id) {
            copy += 1;
            id = TaskId(format!("{kind}-{number}.{copy}").into());
        }
        id
    }
}

impl Commit {
    /// As people quote it.
    pub fn short(&self) -> &str {
        &self.0[..8]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_leave_a_folder_is_no_id() {
        for text in ["", "-run", "Run", "a/b", "..", "run 1", "a\n"] {
            assert!(text.parse::<RunId>().is_err(), "{text:?}");
            assert!(text.parse::<Commit>().is_err(), "{text:?}");
        }
        for text in ["", "a/b", "a b", "x\n"] {
            assert!(text.parse::<TaskId>().is_err(), "{text:?}");
        }
        assert!("run-20260102-030405".parse::<RunId>().is_ok());
        assert!("03-01-2".parse::<TaskId>().is_ok());
        let commit: Commit = "0123456789abcdef0123456789abcdef01234567".parse().unwrap();
        assert_eq!(commit.short(), "01234567");
    }

    #[test]
    fn an_id_that_was_stored_is_checked_again_when_it_is_read() {
        assert!(serde_json::from_str::<Commit>("\"../../etc\"").is_err());
        let read: RunId = serde_json::from_str("\"run-1\"").unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), "\"run-1\"");
    }
}
