//! A message about an error of the model's server, as agents hand it on: words, or the server's answer whole.

use serde::Deserialize;

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

/// How messages begin when the connection was refused, dropped, or the answer broke off.
const OUT_OF_REACH: [&str; 6] = [
    "exception TypeError: fetch failed",
    "exception TypeError: terminated",
    "fetch failed",
    "terminated",
    "Model stream ended",
    "Incomplete JSON segment",
];

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

    pub(crate) fn is_out_of_reach(&self) -> bool {
        OUT_OF_REACH.iter().any(|start| self.words.starts_with(start))
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
