//! Why an agent's attempt brought no return, and how that is said. What is done about it is decided by `tasks`, `usage_limit` and the
//! pipeline.

use serde::{Deserialize, Serialize};

use crate::finding::quote;

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
    /// No login that works.
    NotLoggedIn {
        /// What was said where a login or a key was refused; empty where there is none.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        said: String,
    },
    LimitReached {
        resets_at: Option<u64>,
    },
    /// The model did not answer, and may in a while.
    Overloaded {
        /// What was said where its server could not be reached; empty where that answered.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        unreachable: String,
    },
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
            Failure::NotLoggedIn { said } if said.is_empty() => {
                "nobody is logged in with the agent".to_string()
            }
            Failure::NotLoggedIn { said } => {
                format!("the agent's login or key was refused: {}", quote(said))
            }
            Failure::LimitReached { .. } => "a usage limit was reached".to_string(),
            Failure::Overloaded { unreachable } if unreachable.is_empty() => {
                "the model was overloaded".to_string()
            }
            Failure::Overloaded { unreachable } => {
                format!("the model's server could not be reached: {}", quote(unreachable))
            }
            Failure::AllowanceUsed => "the agent used up what it may spend".to_string(),
            Failure::TooMuchOutput => "the agent printed without end".to_string(),
            Failure::Asked { questions } => {
                format!("the agent asked instead of working: {}", questions.join(" / "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_login_and_a_server_out_of_reach_are_told_and_journals_without_the_words_are_read()
    {
        let check = |json: &str, words: &str| {
            let failure: Failure = serde_json::from_str(json).unwrap();
            assert_eq!(failure.words(), words);
            assert_eq!(serde_json::to_string(&failure).unwrap(), json);
        };
        check(r#"{"is":"not_logged_in"}"#, "nobody is logged in with the agent");
        check(
            r#"{"is":"not_logged_in","said":"API Error: 401\n invalid x-api-key"}"#,
            r#"the agent's login or key was refused: "API Error: 401\u{a} invalid x-api-key""#,
        );
        check(r#"{"is":"overloaded"}"#, "the model was overloaded");
        check(
            r#"{"is":"overloaded","unreachable":"Connection refused (ECONNREFUSED)"}"#,
            r#"the model's server could not be reached: "Connection refused (ECONNREFUSED)""#,
        );
    }
}
