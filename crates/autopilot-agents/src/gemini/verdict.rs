//! How a run of Gemini CLI ended: exit code, result and its fields together. It exits with 0 when it is told to end, and with the status
//! of its server, of which the system keeps eight bits, when the model failed.

use super::stream::{ErrorLine, ResultLine};
use crate::api_error::ApiError;
use crate::bounded_text::start_of;
use crate::ending::{Ending, How, Stopped};
use crate::{http_status, limit_words, limits};

/// Its own exit codes, as its documentation has them and as they were seen.
const NO_LOGIN: i32 = 41;
const TURNS_USED: i32 = 53;

pub(super) fn of(result: Option<&ResultLine>, answer: String, stopped: &Stopped) -> Ending {
    let How::Exited(code) = stopped.how else { return Ending::of_stop(stopped) };
    match result {
        Some(ResultLine { status, error: None, .. }) if status == "success" && code == 0 => {
            Ending::Answered { text: answer }
        }
        Some(ResultLine { error: Some(error), .. }) => failed(error, code, stopped),
        // It ends so before there is anything to tell.
        None if code == NO_LOGIN => Ending::NotLoggedIn,
        None | Some(_) => Ending::of_stop(stopped),
    }
}

fn failed(error: &ErrorLine, code: i32, stopped: &Stopped) -> Ending {
    let kind = error.kind.as_str();
    if code == TURNS_USED || kind == "FatalTurnLimitedError" {
        return Ending::AllowanceUsed;
    }
    if code == NO_LOGIN || kind == "FatalAuthenticationError" {
        return Ending::NotLoggedIn;
    }
    let api = ApiError::of(&error.message);
    let by_status = api.status.or_else(|| status_of(code));
    let by_status = by_status.and_then(|status| http_status::ending(status, &api.words));
    let by_words = || Some(limit_words::meaning(&api.words)?.ending(&api.words));
    let said = || start_of(&error.message, limits::SAID_BYTES_MAX);
    let crashed = || Ending::Crashed { exit: stopped.how, said: said() };
    by_status.or_else(by_words).or_else(|| api.passing()).unwrap_or_else(crashed)
}

/// Eight bits of 400 to 511 are 144 to 255, and no code of its own lies there.
fn status_of(code: i32) -> Option<u16> {
    let code = u16::try_from(code).ok().filter(|code| (144..=255).contains(code))?;
    Some(code + 256)
}
