//! Why an agent's attempt brought no return, and how that is said. What is done about it is decided by `tasks`, `usage_limit` and the
//! pipeline.

use serde::{Deserialize, Serialize};

/// Why an agent's attempt brought no return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Failure {
    /// It answered, but not in the form asked for; every way at once.
    ContractBroken {
        breaches: Vec<String>,
    },
    Crashed {
        said: String,
    },
    TimedOut,
    Stalled,
    Refused {
        why: String,
    },
    NotLoggedIn,
    LimitReached {
        resets_at: Option<u64>,
    },
    Overloaded,
    AllowanceUsed,
    /// It printed more than is ever kept.
    TooMuchOutput,
    /// It wants a person's answer.
    Asked {
        questions: Vec<String>,
    },
}

impl Failure {
    /// For people, and for the agent that tries again.
    pub fn words(&self) -> String {
        match self {
            Failure::ContractBroken { breaches } => {
                format!("the answer was not in the form asked for: {}", breaches.join("; "))
            }
            Failure::Crashed { said } => format!("the agent crashed: {said}"),
            Failure::TimedOut => "the agent did not end in its time".to_string(),
            Failure::Stalled => "the agent stopped doing anything".to_string(),
            Failure::Refused { why } => format!("the agent refused: {why}"),
            Failure::NotLoggedIn => "nobody is logged in with the agent".to_string(),
            Failure::LimitReached { .. } => "a usage limit was reached".to_string(),
            Failure::Overloaded => "the model was overloaded".to_string(),
            Failure::AllowanceUsed => "the agent used up what it may spend".to_string(),
            Failure::TooMuchOutput => "the agent printed without end".to_string(),
            Failure::Asked { questions } => {
                format!("the agent asked instead of working: {}", questions.join(" / "))
            }
        }
    }
}
