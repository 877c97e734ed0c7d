//! How it ended: exit code, last result and fields together, because each alone says "success" where there was none. The
//! fields decide, never the words: a text that contains "429" is a text.

use super::stream::ResultLine;
use crate::bounded_text::start_of;
use crate::ending::{Ending, How, Resets, Stopped};
use crate::limits;

/// How it begins where there is no login at all.
const NOT_LOGGED_IN: &str = "Not logged in";

/// The last thing that went wrong with the model.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    pub error: Option<String>,
    pub api_error: Option<String>,
    /// When a limit passes, as the structured fields have it. The same is in the words of the result.
    pub resets_at: Option<u64>,
}

pub(super) fn of(
    result: Option<ResultLine>,
    trouble: &Trouble,
    could_work: bool,
    stopped: &Stopped,
) -> Ending {
    let (How::Exited(code), Some(result)) = (stopped.how, result) else {
        return Ending::of_stop(stopped);
    };
    if result.is_error || result.subtype != "success" {
        return failed(&result, trouble, stopped);
    }
    if code != 0 {
        return Ending::of_stop(stopped);
    }
    let denials = result.permission_denials.as_deref().unwrap_or_default();
    if let (Some(first), false) = (denials.first(), could_work) {
        let tool = first.get("tool_name").and_then(|name| name.as_str()).unwrap_or("a tool");
        let why = format!("it may not use {}", start_of(tool, limits::SUMMARY_BYTES_MAX));
        return Ending::Refused { why };
    }
    let text = match result.structured_output {
        Some(output) => output.to_string(),
        None => result.result.unwrap_or_default(),
    };
    Ending::Answered { text: start_of(&text, limits::ANSWER_BYTES_MAX) }
}

fn failed(result: &ResultLine, trouble: &Trouble, stopped: &Stopped) -> Ending {
    if ["error_max_turns", "error_max_budget_usd"].contains(&result.subtype.as_str()) {
        return Ending::AllowanceUsed;
    }
    let crashed =
        || Ending::of_stop(&Stopped { how: stopped.how, said: said(result, &stopped.said) });
    // Only then is there one of the model's errors; what was interrupted has a subtype of its own.
    if result.subtype != "success" {
        return crashed();
    }
    let refused = || Ending::Refused { why: said(result, &stopped.said) };
    let login_refused = || Ending::LoginRefused { said: said(result, &stopped.said) };
    match (result.api_error_status, trouble.error.as_deref()) {
        (_, Some("billing_error")) => refused(),
        (Some(429), _) | (None, Some("rate_limit")) => {
            let words = || Resets::Words(said(result, &stopped.said));
            Ending::LimitReached { resets: trouble.resets_at.map_or_else(words, Resets::At) }
        }
        (Some(401 | 403), _) => login_refused(),
        // Whether there is none or one that is over stands in its words alone; both end the same way.
        (None, Some("authentication_failed")) => {
            let has_none = said(result, "").starts_with(NOT_LOGGED_IN);
            if has_none { Ending::NotLoggedIn } else { login_refused() }
        }
        // Out of reach has no status, and the same error as a server that fails. Both pass, and neither is the fault of the attempt.
        (None, _) if trouble.api_error.as_deref() == Some("connection_failed") => {
            Ending::Unreachable { said: said(result, &stopped.said) }
        }
        (Some(500..), _) | (None, Some("overloaded" | "server_error")) => Ending::Overloaded,
        (Some(400..=499), _) => refused(),
        (_, _) => crashed(),
    }
}

/// Its own words first; they are for people.
fn said(result: &ResultLine, stderr: &str) -> String {
    let errors = result.errors.as_ref().filter(|errors| !errors.is_empty());
    let errors = errors.map(|errors| errors.join("; "));
    let text = result.result.clone().filter(|text| !text.is_empty()).or(errors);
    start_of(&text.unwrap_or_else(|| stderr.to_string()), limits::SAID_BYTES_MAX)
}
