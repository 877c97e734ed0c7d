//! What the server saw and served, for tests to compare: every request, who answered it, and what the client was told it cost.

use super::request::Request;
use super::usage::Usage;

#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    pub request: Request,
    pub by: AnsweredBy,
    pub ending: Ending,
    /// As the wire format tells it; nothing for refusals.
    pub usage: Usage,
}

/// Who answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The step at this place in the list, counted from 0.
    Step(usize),
    /// The function of the script.
    Choice,
    /// Nothing in the script was for it.
    Otherwise,
    /// A request without tools.
    Beside,
    /// No answer of a model was asked for: models, counts, and paths nobody knows.
    Server,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing was sent yet.
    Waiting,
    /// All of it was sent.
    Whole,
    /// An HTTP status was sent instead.
    Refused(u16),
    /// The connection or the stream ended before the answer did, as scripted or because the client left.
    Cut,
}

#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) recorded: Vec<Recorded>,
    /// Connections of clients.
    pub(super) open: usize,
}

impl Book {
    pub(super) fn served(&self) -> Usage {
        self.sum(|one| one.ending == Ending::Whole && one.by != AnsweredBy::Beside)
    }

    pub(super) fn served_beside(&self) -> Usage {
        self.sum(|one| one.ending == Ending::Whole && one.by == AnsweredBy::Beside)
    }

    pub(super) fn cut(&self) -> Usage {
        self.sum(|one| one.ending == Ending::Cut)
    }

    fn sum(&self, counts: impl Fn(&Recorded) -> bool) -> Usage {
        self.recorded.iter().filter(|one| counts(one)).map(|one| one.usage).sum()
    }
}
