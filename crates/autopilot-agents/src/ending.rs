//! How a request ended. Exactly one of these; whether an answer keeps its contract is judged elsewhere, from its text.

/// How the process itself ended, as its supervisor saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    pub how: How,
    /// The last lines of its stderr.
    pub said: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Exited(i32),
    Signalled(i32),
    /// Its time was over.
    TimedOut,
    /// It showed no sign of life for too long and was ended.
    Stalled,
    /// Somebody asked for its end.
    Cancelled,
    /// It had spent what it was allowed to and was ended.
    AllowanceUsed,
    /// It printed more than anybody keeps and was ended.
    TooMuchOutput,
    CannotStart,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    Answered {
        text: String,
    },
    LimitReached {
        resets: Resets,
    },
    Overloaded,
    /// The connection to the model's server could not be made, or broke off.
    Unreachable {
        said: String,
    },
    /// The model or its provider declined.
    Refused {
        why: String,
    },
    NotLoggedIn,
    /// There is a login or a key, and the model's server does not accept it.
    LoginRefused {
        said: String,
    },
    TimedOut,
    Stalled,
    Crashed {
        exit: How,
        said: String,
    },
    Cancelled,
    AllowanceUsed,
}

/// When a limit is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resets {
    /// As a field of the stream says, in seconds since 1970.
    At(u64),
    /// Perhaps as these words say; who knows what time it is can read them.
    Words(String),
}

impl Ending {
    /// What a stop means when the agent itself said nothing that explains it. An exit is a crash here: who exits well has
    /// answered, and whoever calls this found no answer.
    pub fn of_stop(stopped: &Stopped) -> Ending {
        match stopped.how {
            How::TimedOut => Ending::TimedOut,
            How::Stalled => Ending::Stalled,
            How::Cancelled => Ending::Cancelled,
            How::AllowanceUsed => Ending::AllowanceUsed,
            How::Exited(_) | How::Signalled(_) | How::TooMuchOutput | How::CannotStart => {
                let said =
                    crate::bounded_text::end_of(&stopped.said, crate::limits::SAID_BYTES_MAX);
                Ending::Crashed { exit: stopped.how, said }
            }
        }
    }
}
