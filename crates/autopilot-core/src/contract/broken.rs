//! How a return broke its contract, all of it at once, and the words with which the agent is asked once more (RET-1). Whether it
//! is asked at all is the pipeline's.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::example;
use super::role::Role;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema)]
#[error("the return of {} broke its contract in {} ways", role.name(), breaches.len() + left_out)]
pub struct Broken {
    pub role: Role,
    /// In the order of the return's fields; never empty.
    pub breaches: Vec<Breach>,
    /// Breaches beyond the bound, only counted.
    #[serde(default)]
    pub left_out: usize,
}

/// One way in which a contract was broken. What was found is quoted and bounded: it is the agent's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Breach {
    pub kind: BreachKind,
    /// As in `criteria_results[2].status`; empty where it is about the whole return.
    pub path: String,
    pub expected: String,
    pub found: String,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BreachKind {
    /// No JSON object in the agent's last words.
    NoJson,
    /// An object that is not JSON, such as one with a comma too many.
    NotJson,
    /// An object that begins and does not end.
    CutOff,
    TooLarge,
    TooDeep,
    MissingField,
    WrongValue,
    /// A list with fewer or more entries than the contract takes.
    WrongLength,
}

impl Broken {
    pub(super) fn one(role: Role, breach: Breach) -> Broken {
        Broken { role, breaches: vec![breach], left_out: 0 }
    }
}

impl Breach {
    /// About the whole return.
    pub(super) fn whole(kind: BreachKind, expected: &str, found: String) -> Breach {
        Breach { kind, path: String::new(), expected: expected.into(), found }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        write!(f, "expected {}, found {}.", self.expected, self.found)
    }
}

/// The words with which the agent is asked once more.
pub fn reminder(broken: &Broken) -> String {
    let mut text = String::from(
        "Your last answer could not be read as the return of this step. The work itself is not in question: do not start it \
         again, and change no file. What was wrong:\n\n",
    );
    for breach in &broken.breaches {
        text.push_str(&format!("- {breach}\n"));
    }
    if broken.left_out > 0 {
        text.push_str(&format!("- {} more of the same kind.\n", broken.left_out));
    }
    text.push_str(
        "\nAnswer now with one JSON object and nothing after it. Every text in it stands on one line, with `\\n` for a line \
         break; there are no comments and no comma before a closing bracket. This has the right form, with other content:\n\n",
    );
    text.push_str(&format!("```json\n{}\n```\n", example::text(broken.role).trim_end()));
    text
}
