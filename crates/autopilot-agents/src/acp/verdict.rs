//! How a dialogue ended. Codes and fields first; words only where an agent has neither, as most have for what their model's server says.

use super::line::{Line, Stop};
use crate::api_error::ApiError;
use crate::bounded_text::start_of;
use crate::ending::{Ending, How, Stopped};
use crate::{http_status, limit_words, limits};

/// The protocol's code for an agent that nobody logged in.
const NO_LOGIN: i32 = -32000;

/// From the last line of the dialogue.
pub(super) fn of(last: Option<Line>, answer: String, stopped: &Stopped) -> Ending {
    let How::Exited(_) = stopped.how else { return Ending::of_stop(stopped) };
    match last {
        Some(Line::Ended { stop, .. }) => match (stop, stopped.how) {
            (Stop::EndTurn, How::Exited(0)) => Ending::Answered { text: answer },
            (Stop::MaxTokens | Stop::MaxTurnRequests, How::Exited(0)) => Ending::AllowanceUsed,
            (Stop::Refusal, How::Exited(0)) => {
                Ending::Refused { why: start_of(&answer, limits::SAID_BYTES_MAX) }
            }
            // Broken off, and not by us: then somebody ended it.
            (_, _) => Ending::of_stop(stopped),
        },
        Some(Line::Failed { code, kind, status, message }) => {
            failed(code, kind.as_deref(), status, &message, stopped)
        }
        Some(Line::Gone { why }) => {
            let said = [why.as_str(), stopped.said.trim()].join("\n");
            Ending::of_stop(&Stopped { how: stopped.how, said: said.trim().to_string() })
        }
        Some(_) | None => Ending::of_stop(stopped),
    }
}

fn failed(
    code: i32,
    kind: Option<&str>,
    status: Option<u16>,
    message: &str,
    stopped: &Stopped,
) -> Ending {
    let api = ApiError::of(message);
    let by_code = (code == NO_LOGIN).then_some(Ending::NotLoggedIn);
    let by_kind = || by_kind(kind?, &api.words);
    // Some hand the status of their server on as the code.
    let handed_on = u16::try_from(code).ok().filter(|code| (400..600).contains(code));
    let status = status.or(handed_on).or(api.status);
    let by_status = || http_status::ending(status?, &api.words);
    let by_words = || Some(limit_words::meaning(&api.words)?.ending(&api.words));
    let said = || start_of(message, limits::SAID_BYTES_MAX);
    by_code
        .or_else(by_kind)
        .or_else(by_status)
        .or_else(by_words)
        .or_else(|| api.passing())
        .unwrap_or_else(|| Ending::Crashed { exit: stopped.how, said: said() })
}

/// As the adapter of Claude Code names them.
fn by_kind(kind: &str, words: &str) -> Option<Ending> {
    Some(match kind {
        "rate_limit" => limit_words::Trouble::Limit.ending(words),
        "overloaded" | "server_error" => Ending::Overloaded,
        "authentication_failed" => {
            Ending::LoginRefused { said: start_of(words, limits::SAID_BYTES_MAX) }
        }
        "billing_error" | "invalid_request" => {
            Ending::Refused { why: start_of(words, limits::SAID_BYTES_MAX) }
        }
        _ => return None,
    })
}
