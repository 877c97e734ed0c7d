//! The login that Claude Code keeps in a file. It says itself that somebody is logged in, also when the login is over; so the file is
//! looked at.

use std::path::PathBuf;

use serde_json::Value;

use super::Place;
use crate::profile::Variables;

const FILE: &str = ".credentials.json";

/// Where it lies, whether or not there is one.
pub fn stored_login(variable: Variables<'_>) -> PathBuf {
    Place::of(variable).folder.join(FILE)
}

/// A login that can be renewed is not over: that is done with the first request.
pub fn is_login_over(text: &str, now_ms: u64) -> bool {
    let stored = serde_json::from_str::<Value>(text).unwrap_or_default();
    let login = &stored["claudeAiOauth"];
    let renews = login["refreshToken"].as_str().is_some_and(|token| !token.is_empty());
    login["expiresAt"].as_u64().is_some_and(|at| at <= now_ms) && !renews
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_over_when_its_time_is_and_nothing_renews_it() {
        let check =
            |text: &str, expected: bool| assert_eq!(is_login_over(text, 100), expected, "{text}");
        check(r#"{"claudeAiOauth": {"accessToken": "a", "expiresAt": 100}}"#, true);
        check(
            r#"{"claudeAiOauth": {"accessToken": "a", "expiresAt": 99, "refreshToken": ""}}"#,
            true,
        );
        check(
            r#"{"claudeAiOauth": {"accessToken": "a", "expiresAt": 99, "refreshToken": "b"}}"#,
            false,
        );
        check(r#"{"claudeAiOauth": {"accessToken": "a", "expiresAt": 101}}"#, false);
        check(r#"{"claudeAiOauth": {"accessToken": "a"}}"#, false);
        check("", false);
        check("[1", false);
    }
}
