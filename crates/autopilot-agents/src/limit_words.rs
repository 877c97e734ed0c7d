//! What an agent's last words mean when no field of its stream says it: a limit, an overload, a missing login. The last resort, and
//! careful: who writes *about* limits has not met one. Words count only where a message of an error begins, and only if nothing but the
//! message follows; a 429 in the midst of a text is no limit.

use crate::bounded_text::start_of;
use crate::ending::{Ending, Resets};
use crate::limits;

/// Why no answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    Limit,
    Overloaded,
    NotLoggedIn,
    LoginRefused,
}

/// With these an agent announces that an error follows. Taken off one after the other.
const PREFIXES: [&str; 13] = [
    "ran into this error:",
    "error:",
    "api error:",
    "apierror:",
    "internal error:",
    "stream error:",
    "server error:",
    "request failed:",
    "rate limit exceeded:",
    "rate_limit_error:",
    "resource_exhausted:",
    "unexpected status",
    "exceeded retry limit, last status:",
];

/// How a message begins, and whether more words may follow it.
const MESSAGES: [(&str, Follows, Trouble); 31] = [
    ("you've hit your", Follows::Words, Trouble::Limit),
    ("you've reached your", Follows::Words, Trouble::Limit),
    ("you have hit your", Follows::Words, Trouble::Limit),
    ("you have reached your", Follows::Words, Trouble::Limit),
    ("claude ai usage limit reached", Follows::Nothing, Trouble::Limit),
    ("usage limit reached", Follows::Nothing, Trouble::Limit),
    ("rate limit reached", Follows::Nothing, Trouble::Limit),
    ("rate limit exceeded", Follows::Nothing, Trouble::Limit),
    ("rate limited", Follows::Nothing, Trouble::Limit),
    ("quota exceeded", Follows::Nothing, Trouble::Limit),
    ("you exceeded your current quota", Follows::Nothing, Trouble::Limit),
    ("you have exhausted your capacity on this model", Follows::Nothing, Trouble::Limit),
    ("you have exhausted your daily quota", Follows::Words, Trouble::Limit),
    ("resource has been exhausted", Follows::Nothing, Trouble::Limit),
    ("request rejected (429)", Follows::Nothing, Trouble::Limit),
    ("too many requests", Follows::Nothing, Trouble::Limit),
    ("429 too many requests", Follows::Nothing, Trouble::Limit),
    ("we're currently experiencing high demand", Follows::Words, Trouble::Overloaded),
    ("overloaded", Follows::Nothing, Trouble::Overloaded),
    ("the model is overloaded", Follows::Nothing, Trouble::Overloaded),
    ("503 service unavailable", Follows::Nothing, Trouble::Overloaded),
    ("529 overloaded", Follows::Nothing, Trouble::Overloaded),
    ("500 internal server error", Follows::Nothing, Trouble::Overloaded),
    ("internal server error", Follows::Nothing, Trouble::Overloaded),
    ("not logged in", Follows::Nothing, Trouble::NotLoggedIn),
    ("authentication required", Follows::Nothing, Trouble::NotLoggedIn),
    ("invalid api key", Follows::Nothing, Trouble::LoginRefused),
    ("please run /login", Follows::Nothing, Trouble::NotLoggedIn),
    ("your access token could not be refreshed", Follows::Words, Trouble::LoginRefused),
    ("401 unauthorized", Follows::Nothing, Trouble::LoginRefused),
    ("authentication failed", Follows::Nothing, Trouble::LoginRefused),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Follows {
    /// The sentence is over: `Quota exceeded.` is a message, `Quota exceeded errors are retried` is prose.
    Nothing,
    Words,
}

impl Trouble {
    /// As an ending; when a limit is over may stand in the words.
    pub fn ending(self, words: &str) -> Ending {
        match self {
            Trouble::Limit => {
                let words = start_of(words, limits::SAID_BYTES_MAX);
                Ending::LimitReached { resets: Resets::Words(words) }
            }
            Trouble::Overloaded => Ending::Overloaded,
            Trouble::NotLoggedIn => Ending::NotLoggedIn,
            Trouble::LoginRefused => {
                Ending::LoginRefused { said: start_of(words, limits::SAID_BYTES_MAX) }
            }
        }
    }
}

/// `None` for words that are no message of an error, or of another one.
pub fn meaning(text: &str) -> Option<Trouble> {
    let text = start_of(text.trim_start(), limits::LIMIT_TEXT_BYTES_MAX).to_lowercase();
    let text = text.replace('\u{2019}', "'");
    let first_line = text.lines().next().unwrap_or_default();
    let message = without_prefixes(first_line);
    let (start, _, trouble) = MESSAGES.iter().find(|(start, follows, _)| {
        message.strip_prefix(start).is_some_and(|rest| is_message(rest, *follows))
    })?;
    // Of what one can hit or reach, only a limit is one.
    let names_limit = !start.ends_with("your") || is_limit(&message[start.len()..]);
    names_limit.then_some(*trouble)
}

/// Each prefix is taken off at most once, in any order.
fn without_prefixes(line: &str) -> &str {
    let mut message = trimmed(line);
    for _ in PREFIXES {
        let Some(rest) = PREFIXES.iter().find_map(|prefix| message.strip_prefix(prefix)) else {
            break;
        };
        message = trimmed(rest);
    }
    message
}

fn trimmed(text: &str) -> &str {
    text.trim_start_matches([' ', '[', '"', '\'', '⚠', '✗', '■', '\u{fe0f}'])
}

fn is_message(rest: &str, follows: Follows) -> bool {
    let next = rest.trim_start_matches(' ').chars().next();
    match follows {
        Follows::Words => rest.starts_with(|next: char| !next.is_alphanumeric()),
        Follows::Nothing => next.is_none_or(|next| !next.is_alphanumeric() && next != '_'),
    }
}

/// `5-hour limit · resets …`, `usage limit.`: within the next few words.
fn is_limit(rest: &str) -> bool {
    let sentence = rest.split(['·', '.', '\u{2022}', ',', '|']).next().unwrap_or_default();
    let mut words = sentence.split_whitespace().take(5);
    words.any(|word| matches!(word, "limit" | "limit:" | "quota"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<Trouble>) {
        assert_eq!(meaning(text), expected, "{text}");
    }

    #[test]
    fn messages_of_real_agents_are_understood() {
        let limit = |text| check(text, Some(Trouble::Limit));
        limit("You've hit your 5-hour limit · resets 3:33am (UTC)");
        limit("You\u{2019}ve hit your usage limit. Try again in 2 hours 5 minutes.");
        limit("You've hit your weekly limit \u{b7} resets Nov 20, 9am (America/New_York)");
        limit("Claude AI usage limit reached|1794800000");
        limit("exceeded retry limit, last status: 429 Too Many Requests");
        limit("exceeded retry limit, last status: 429 Too Many Requests, request id: 4e1");
        limit("Quota exceeded. Check your plan and billing details.");
        limit("API Error: Request rejected (429) · scripted error 429");
        limit("Ran into this error: Rate limit exceeded: Too many requests.");
        limit(
            "Ran into this error: Rate limit exceeded.\n\nPlease retry if you think this is wrong.",
        );
        limit(
            "[API Error: You have exhausted your capacity on this model. Your quota will reset after 2h5m10s.]",
        );
        limit("[API Error: You exceeded your current quota, please check your plan]");
        limit("Error: Resource has been exhausted (e.g. check quota).");
        limit("Internal error: API Error: Request rejected (429) · scripted");
        let overloaded = |text| check(text, Some(Trouble::Overloaded));
        overloaded(
            "We\u{2019}re currently experiencing high demand, which may cause temporary errors.",
        );
        overloaded("API Error: Overloaded");
        overloaded("Ran into this error: Server error: 500 Internal Server Error.");
        let not_logged_in = |text| check(text, Some(Trouble::NotLoggedIn));
        not_logged_in("Not logged in · Please run /login");
        not_logged_in("Authentication required");
        let refused = "unexpected status 401 Unauthorized: scripted error 401";
        check(refused, Some(Trouble::LoginRefused));
    }

    #[test]
    fn words_about_limits_are_none() {
        for text in [
            "",
            "429",
            "The server answers 429 Too Many Requests when the limit is reached.",
            "HTTP 429 means that too many requests were made; the client now waits.",
            "Too many requests are answered with 429 now.",
            "Quota exceeded errors are retried with a pause.",
            "Rate limit exceeded responses carry a Retry-After header.",
            "You've hit your stride: all tests pass.",
            "You have reached your goal, and the rate limit of the API is documented.",
            "if (error.type === 'rate_limit_error') { retry() }",
            "rate_limit_error is now a type of its own",
            "fn rate_limited(&self) -> bool { self.status == 429 }",
            "rate limited_by = 3",
            "error: expected `;`, found `429`",
            "Error: connect ECONNREFUSED 127.0.0.1:4290",
            "Done.\nYou've hit your 5-hour limit is what users see.",
            "Overloaded functions are resolved by their arguments.",
            "Not logged in users are sent to the start page.",
        ] {
            check(text, None);
        }
    }
}
