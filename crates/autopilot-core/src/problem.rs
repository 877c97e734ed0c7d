//! An error in three parts: what happened, why it matters, what to do. Every refusal a person sees is one of these.

use crate::exit::Exit;
use crate::finding::Place;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub exit: Exit,
    /// What happened, with the id or path.
    pub what: String,
    /// Why that stops autopilot.
    pub why: String,
    /// What to do, ending in a command or an edit.
    pub fix: String,
    pub place: Option<Place>,
}

impl Problem {
    /// The user asked for something that cannot be, or the project's own files are at fault.
    pub fn usage(what: impl Into<String>, why: impl Into<String>, fix: impl Into<String>) -> Self {
        Problem::new(Exit::Usage, what, why, fix)
    }

    /// The machine lacks something or refuses it.
    pub fn environment(
        what: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Problem::new(Exit::Environment, what, why, fix)
    }

    fn new(
        exit: Exit,
        what: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Problem { exit, what: what.into(), why: why.into(), fix: fix.into(), place: None }
    }

    pub fn at(self, place: Place) -> Self {
        Problem { place: Some(place), ..self }
    }
}
