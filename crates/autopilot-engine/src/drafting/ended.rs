//! What the user is told where no good draft came of it: each ending has words of its own, says what was spent and how to go on.

use autopilot_agents::ending::Ending;
use autopilot_agents::profile::{self, Profile};
use autopilot_core::exit::Exit;
use autopilot_core::finding::quote;
use autopilot_core::problem::Problem;
use autopilot_core::run::event::Failure;
use autopilot_core::run::files::completion::spent_words;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::projection::iso;
use autopilot_core::run::words::thousands;

use super::{Drafted, End, Ready};
use crate::perform::failure::failure;

const ANOTHER: &str = "or ask another agent: --agent NAME; autopilot agents lists them";

impl Ready {
    /// Tokens and cost so far, in words.
    pub fn spent(&self, drafted: &Drafted) -> String {
        spent_words(&drafted.spend, self.definition.is_on_subscription())
    }

    /// None where the draft is good.
    pub fn problem(&self, drafted: &Drafted, now: Moment) -> Option<Problem> {
        let name = self.agent_name();
        let (exit, what, fix) = match &drafted.end {
            End::Good => return None,
            End::NotAsked(problem) => return Some(problem.clone()),
            End::Faulty => (
                Exit::GateNotMet,
                format!("the second draft of {name} has faults too: {}", count(drafted)),
                format!(
                    "mend {} by hand, or say more in the idea and try again",
                    self.kept.shown()
                ),
            ),
            End::Unreadable { breaches } => (
                Exit::Failed,
                format!(
                    "{name} was asked twice, and its last answer is no draft: {}",
                    first(breaches)
                ),
                format!(
                    "what it said is in {}; try again, with another model: --model NAME, {ANOTHER}",
                    self.kept.shown()
                ),
            ),
            End::Ended(ending) => self.ended(ending, now),
        };
        let why = format!("{}; nothing was written", self.account(drafted));
        Some(Problem { exit, ..Problem::usage(what, why, fix) })
    }

    fn account(&self, drafted: &Drafted) -> String {
        let kept = match &drafted.last {
            Some(_) => format!(", and the last draft is kept in {}", self.kept.shown()),
            None => String::new(),
        };
        format!("{} were spent{kept}", self.spent(drafted))
    }

    fn ended(&self, ending: &Ending, now: Moment) -> (Exit, String, String) {
        let name = self.agent_name();
        if *ending == Ending::Cancelled {
            let what = format!("{name} was ended before it had a draft");
            return (Exit::Interrupted, what, "start again with the same command".to_string());
        }
        let failure = failure(ending.clone(), now);
        (exit(&failure), self.what(&failure), fix(&failure, name))
    }

    fn what(&self, failure: &Failure) -> String {
        let name = self.agent_name();
        match failure {
            Failure::LimitReached { resets_at } => {
                let until = resets_at.map(|at| format!(", until {}", iso(Moment(at))));
                format!("{name} has met a usage limit{}", until.unwrap_or_default())
            }
            Failure::Overloaded { unreachable } if unreachable.is_empty() => {
                format!("the model of {name} is overloaded")
            }
            Failure::Overloaded { unreachable } => {
                format!("the model's server of {name} could not be reached: {}", quote(unreachable))
            }
            Failure::Refused { why } => format!("the model of {name} declined: {}", quote(why)),
            Failure::NotLoggedIn { said } if said.is_empty() => format!("{name} is not logged in"),
            Failure::NotLoggedIn { said } => {
                format!("the login or key of {name} was refused: {}", quote(said))
            }
            Failure::TimedOut => {
                let minutes = self.bounds.time.as_secs() / 60;
                format!("{name} did not answer within {minutes} minutes and was ended")
            }
            Failure::Stalled => {
                format!("{name} showed no sign of life for too long and was ended")
            }
            Failure::AllowanceUsed => {
                let bound = thousands(self.bounds.tokens);
                format!("{name} used up what it may spend ({bound} tokens) before it had a draft")
            }
            Failure::TooMuchOutput => {
                format!("{name} printed more than anybody keeps and was ended")
            }
            Failure::Crashed { said } => {
                let said = said.lines().last().map(|line| format!(": {}", quote(line)));
                format!("{name} ended without an answer{}", said.unwrap_or_default())
            }
            Failure::ContractBroken { .. } | Failure::Asked { .. } => {
                format!("{name} ended without an answer")
            }
        }
    }
}

fn exit(failure: &Failure) -> Exit {
    match failure {
        Failure::LimitReached { .. } | Failure::Overloaded { .. } => Exit::TryLater,
        Failure::NotLoggedIn { .. } => Exit::Environment,
        Failure::AllowanceUsed => Exit::BudgetOrLimit,
        Failure::Refused { .. }
        | Failure::TimedOut
        | Failure::Stalled
        | Failure::TooMuchOutput
        | Failure::Crashed { .. }
        | Failure::ContractBroken { .. }
        | Failure::Asked { .. } => Exit::Failed,
    }
}

fn fix(failure: &Failure, name: &str) -> String {
    let first = match failure {
        Failure::LimitReached { .. } => "try again when it is over,".to_string(),
        Failure::Overloaded { .. } => "try again in some minutes,".to_string(),
        Failure::Refused { .. } => "say it in other words,".to_string(),
        Failure::NotLoggedIn { .. } => match profile::named(name).and_then(Profile::log_in) {
            Some(way) => format!("log in: {way};"),
            None => "log in; autopilot agents says how;".to_string(),
        },
        Failure::TimedOut => {
            "say less in one idea, or try a faster model: --model NAME;".to_string()
        }
        Failure::AllowanceUsed => "say less in one idea,".to_string(),
        Failure::Crashed { .. } => {
            format!("see whether it works at all: autopilot agents try {name};")
        }
        Failure::Stalled
        | Failure::TooMuchOutput
        | Failure::ContractBroken { .. }
        | Failure::Asked { .. } => "try again,".to_string(),
    };
    format!("{first} {ANOTHER}")
}

fn count(drafted: &Drafted) -> String {
    let faults = drafted.last.as_ref().map_or(0, |(_, proposal)| proposal.faults.len());
    if faults == 1 { "1 is left".to_string() } else { format!("{faults} are left") }
}

fn first(breaches: &[String]) -> &str {
    breaches.first().map_or("nothing in it can be read", |breach| breach.trim_end_matches('.'))
}
