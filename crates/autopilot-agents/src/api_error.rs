//! A message about an error of the model's server, as agents hand it on: words, or the server's answer whole.

use serde::Deserialize;

use crate::bounded_text::start_of;
use crate::ending::Ending;
use crate::limits;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) status: Option<u16>,
    pub(crate) words: String,
}

#[derive(Deserialize)]
struct Answered {
    error: Told,
}

#[derive(Deserialize)]
struct Told {
    code: Option<u16>,
    #[serde(default)]
    message: String,
}

/// How messages begin when the connection was refused or dropped.
const UNREACHABLE: [&str; 4] = [
    "exception TypeError: fetch failed",
    "exception TypeError: terminated",
    "fetch failed",
    "terminated",
];

/// How they begin when an answer broke off.
const BROKEN_OFF: [&str; 2] = ["Model stream ended", "Incomplete JSON segment"];

impl ApiError {
    pub(crate) fn of(message: &str) -> ApiError {
        let inner = message.strip_prefix("[API Error: ");
        let inner = inner.map(|inner| inner.rsplit_once(']').map_or(inner, |(inner, _)| inner));
        let inner = inner.unwrap_or(message);
        match serde_json::from_str::<Answered>(inner) {
            Ok(Answered { error }) => ApiError { status: error.code, words: error.message },
            Err(_) => ApiError { status: None, words: inner.to_string() },
        }
    }

    /// What passes by itself, where no status says so.
    pub(crate) fn passing(&self) -> Option<Ending> {
        let begins = |starts: &[&str]| starts.iter().any(|start| self.words.starts_with(start));
        if begins(&UNREACHABLE) {
            let said = start_of(&self.words, limits::SAID_BYTES_MAX);
            return Some(Ending::Unreachable { said });
        }
        begins(&BROKEN_OFF).then_some(Ending::Overloaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_and_the_words_of_a_server_are_found_in_what_is_around_them() {
        let check = |message: &str, status: Option<u16>, words: &str| {
            assert_eq!(ApiError::of(message), ApiError { status, words: words.into() });
        };
        check(r#"[API Error: {"error":{"code":401,"message":"no [key]"}}]"#, Some(401), "no [key]");
        check(r#"{"error":{"code":500,"message":"oh"}}"#, Some(500), "oh");
        check("[API Error: slow down]\nPlease wait.", None, "slow down");
        check("an array [1] is none", None, "an array [1] is none");
    }
}
