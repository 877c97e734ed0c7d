//! What the status of a model's server means, for agents that hand it on. The words beside it tell a person why, and perhaps when a limit
//! is over.

use crate::bounded_text::start_of;
use crate::ending::Ending;
use crate::limit_words;
use crate::limits;

/// `None` for a status that is no error.
pub(crate) fn ending(status: u16, words: &str) -> Option<Ending> {
    let refused = || Ending::Refused { why: start_of(words, limits::SAID_BYTES_MAX) };
    let login = || Ending::LoginRefused { said: start_of(words, limits::SAID_BYTES_MAX) };
    Some(match status {
        // A key that is not one is an invalid argument to some.
        400 if words.starts_with("API key not valid") => login(),
        401 | 403 => login(),
        429 => limit_words::Trouble::Limit.ending(words),
        // Asked too slowly, at the wrong moment, or given up by the server: the same later may do.
        408 | 409 | 425 | 499 => Ending::Overloaded,
        400..=498 => refused(),
        500..=599 => Ending::Overloaded,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ending::Resets;

    #[test]
    fn a_status_has_its_ending_and_a_limit_its_words() {
        let refused = |why: &str| Some(Ending::Refused { why: why.into() });
        let login = |said: &str| Some(Ending::LoginRefused { said: said.into() });
        assert_eq!(ending(401, "no"), login("no"));
        assert_eq!(ending(403, "no"), login("no"));
        let key = "API key not valid. Please pass a valid API key.";
        assert_eq!(ending(400, key), login(key));
        assert_eq!(ending(400, "too long"), refused("too long"));
        assert_eq!(ending(404, "no such model"), refused("no such model"));
        let daily = "You have exhausted your daily quota on this model.";
        let resets = Resets::Words(daily.into());
        assert_eq!(ending(429, daily), Some(Ending::LimitReached { resets }));
        for status in [408, 499, 500, 503, 529] {
            assert_eq!(ending(status, ""), Some(Ending::Overloaded), "{status}");
        }
        assert_eq!((ending(200, ""), ending(600, ""), ending(0, "")), (None, None, None));
    }
}
