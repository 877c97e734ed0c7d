//! Reads the sentences of `happens`: who behaves how, one after the other, and when the run is killed or stopped.

use autopilot_core::contract::Role;
use autopilot_core::contract::returns::{ConcernSeverity, Recommendation};
use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::event::{Failure, StopRequest};
use autopilot_core::run::landing::MergeTime;
use autopilot_core::run::measured::CheckName;

use super::expectation::Pattern;
use super::given_words::{number, phase_id, score_of, time_of, tokens_of};
use super::script::{Flaw, Scripted, Who};
use crate::world::behaviour::GOOD;
use crate::world::given::ROLES;
use crate::world::{Behaviour, Marks, Red, Shady, Verified};

/// Lines of work where a scenario does not say how many.
const LINES: u64 = 40;

/// Something from outside that meets the run. They come in the order they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Interruption {
    /// Killed, and started again.
    Killed {
        after: Pattern,
    },
    Stopped {
        after: Pattern,
        how: StopRequest,
    },
    /// Asked for the phases that come later.
    Added {
        after: Pattern,
    },
    /// Asked to merge, at its end or at once.
    Merge {
        after: Pattern,
        when: MergeTime,
    },
    /// Asked to take phases back; the user's branch may have them already.
    Rollback {
        after: Pattern,
        phases: Vec<PhaseId>,
        is_landed: bool,
    },
    /// Started again after it stood still.
    Resumed,
}

pub(super) fn read(script: &mut Scripted, sentence: &str) -> Result<Vec<Interruption>, String> {
    let (sentence, times) = repeated(sentence)?;
    if let Some(interruption) = interruption(sentence)? {
        return Ok(vec![interruption; times]);
    }
    if let Some(effect) = sentence.strip_prefix("the engine fails at: ") {
        script.engine_fails.push(Pattern::read(effect)?);
        return Ok(Vec::new());
    }
    if sentence == "the user is at work" {
        script.is_user_at_work = true;
        return Ok(Vec::new());
    }
    let (id, rest) = sentence.split_once(' ').ok_or(format!("`{sentence}` says nothing"))?;
    let phase = phase_id(id)?;
    if !script.knows(&phase) {
        return Err(format!("phase {phase} is not in the roadmap"));
    }
    let flaw = match rest {
        "plan has a stub" => Some(Flaw::Stub),
        "plan is empty" => Some(Flaw::Empty),
        "plan is good" => Some(Flaw::None),
        _ => None,
    };
    if let Some(flaw) = flaw {
        script.flaws.entry(phase).or_default().extend(std::iter::repeat_n(flaw, times));
        return Ok(Vec::new());
    }
    if let Some((who, effort)) = effort(&phase, rest)? {
        let (queue, amount) = match effort {
            Effort::Spends(tokens) => (&mut script.spends, tokens),
            Effort::Takes(time_ms) => (&mut script.takes, time_ms),
        };
        queue.entry(who).or_default().extend(std::iter::repeat_n(amount, times));
        return Ok(Vec::new());
    }
    let (who, behaviour) = match rest.strip_prefix("rated ") {
        Some(marks) => {
            (Who { phase, role: Role::Rate, task: None }, Behaviour::Rates(marks_of(marks)?))
        }
        None => somebody(phase, rest)?,
    };
    let queue = script.behaviours.entry(who).or_default();
    queue.extend(std::iter::repeat_n(behaviour, times));
    Ok(Vec::new())
}

/// `... 3 times` is the same as saying it three times.
fn repeated(sentence: &str) -> Result<(&str, usize), String> {
    let Some(rest) = sentence.strip_suffix(" times") else { return Ok((sentence, 1)) };
    let (rest, count) = rest.rsplit_once(' ').ok_or(format!("`{sentence}` says nothing"))?;
    Ok((rest, number(count)? as usize))
}

fn interruption(sentence: &str) -> Result<Option<Interruption>, String> {
    if sentence == "resumed" {
        return Ok(Some(Interruption::Resumed));
    }
    let Some((what, after)) = sentence.split_once(" after ") else { return Ok(None) };
    Ok(match what {
        "killed" => Some(Interruption::Killed { after: Pattern::read(after)? }),
        "added" => Some(Interruption::Added { after: Pattern::read(after)? }),
        "merge wanted" => Some(merge(after, MergeTime::AtEnd)?),
        "merge asked for" => Some(merge(after, MergeTime::Now)?),
        what if what.starts_with("rollback of ") => Some(rollback(what, after)?),
        "stopped" => Some(Interruption::Stopped {
            after: Pattern::read(after)?,
            how: StopRequest::AfterStep,
        }),
        "stopped at once" => {
            Some(Interruption::Stopped { after: Pattern::read(after)?, how: StopRequest::Now })
        }
        _ => None,
    })
}

fn merge(after: &str, when: MergeTime) -> Result<Interruption, String> {
    Ok(Interruption::Merge { after: Pattern::read(after)?, when })
}

/// `rollback of 1 and 2 asked for`, `rollback of 2 that is merged asked for`.
fn rollback(what: &str, after: &str) -> Result<Interruption, String> {
    let names = what.strip_prefix("rollback of ").unwrap_or_default();
    let names = names.strip_suffix(" asked for").ok_or(format!("`{what}` says nothing"))?;
    let (names, is_landed) = match names.strip_suffix(" that is merged") {
        Some(names) => (names, true),
        None => (names, false),
    };
    let phases: Result<Vec<PhaseId>, String> = names.split(" and ").map(phase_id).collect();
    Ok(Interruption::Rollback { after: Pattern::read(after)?, phases: phases?, is_landed })
}

fn marks_of(text: &str) -> Result<Marks, String> {
    let (scores, gives_reasons) = match text.strip_suffix(" without a reason") {
        Some(scores) => (scores, false),
        None => (text, true),
    };
    let scores = match scores {
        "nothing" => Ok(Vec::new()),
        scores => scores.split(" and ").map(score_of).collect(),
    };
    Ok(Marks { scores: scores?, gives_reasons })
}

enum Effort {
    Spends(u64),
    Takes(u64),
}

/// `executor spends 12k`, `planner takes 90 minutes`.
fn effort(phase: &PhaseId, rest: &str) -> Result<Option<(Who, Effort)>, String> {
    let (who, amount) = match (rest.split_once(" spends "), rest.split_once(" takes ")) {
        (Some((who, tokens)), _) => (who, Effort::Spends(tokens_of(tokens)?)),
        (None, Some((who, time))) => (who, Effort::Takes(time_of(time)?)),
        (None, None) => return Ok(None),
    };
    let role = ROLES.into_iter().find(|(word, _)| *word == who).map(|(_, role)| role);
    let role = role.ok_or(format!("`{who}` is nobody"))?;
    let role = if role == Role::Review { Role::Rate } else { role };
    Ok(Some((Who { phase: phase.clone(), role, task: None }, amount)))
}

fn somebody(phase: PhaseId, rest: &str) -> Result<(Who, Behaviour), String> {
    let spoken = ROLES.into_iter().find_map(|(word, role)| {
        let rest = rest.strip_prefix(word)?.strip_prefix(' ')?;
        Some((role, rest))
    });
    let (role, rest) = spoken.ok_or(format!("`{rest}` names nobody"))?;
    let (does, task) = match rest.rsplit_once(" on ") {
        Some((does, task)) => (does, Some(task.to_string())),
        None => (rest, None),
    };
    let behaviour = failure(does).map(Behaviour::Fails).map_or_else(|| doing(role, does), Ok)?;
    // Whoever reviews also rates: one queue for both.
    let role = if role == Role::Review { Role::Rate } else { role };
    Ok((Who { phase, role, task }, behaviour))
}

fn failure(does: &str) -> Option<Failure> {
    Some(match does {
        "breaks the contract" => {
            Failure::ContractBroken { breaches: vec!["`evidence` is missing".to_string()] }
        }
        "crashes" => Failure::Crashed { said: "signal 11".to_string() },
        "times out" => Failure::TimedOut,
        "hangs" => Failure::Stalled,
        "refuses" => Failure::Refused { why: "no".to_string() },
        "is not logged in" => Failure::NotLoggedIn { said: String::new() },
        "hits a limit" => Failure::LimitReached { resets_at: None },
        "is overloaded" => Failure::Overloaded { unreachable: String::new() },
        "uses up its tokens" => Failure::AllowanceUsed,
        "prints without end" => Failure::TooMuchOutput,
        "asks" => Failure::Asked { questions: vec!["which one?".to_string()] },
        _ => return None,
    })
}

fn doing(role: Role, does: &str) -> Result<Behaviour, String> {
    let unheard = || format!("{role:?} never `{does}`");
    if let Some(time) = does.strip_prefix("hits a limit for ") {
        return Ok(Behaviour::HitsLimit { for_ms: time_of(time)? });
    }
    if does == "does well" {
        return Ok(Behaviour::Good);
    }
    if let Some(shady) = shady(role, does) {
        return Ok(Behaviour::Shady(shady));
    }
    match role {
        Role::Execute | Role::Debug | Role::Delegate => match left_red(does) {
            Some(left) => leaves(left),
            None if does == "changes nothing" => Ok(Behaviour::ChangesNothing),
            None if does == "breaks the JSON" => Ok(Behaviour::BreaksJson),
            None if does == "undoes itself" => Ok(Behaviour::UndoesItself),
            None if does == "deletes a test" => Ok(Behaviour::DeletesATest),
            None if does == "brings tests" => Ok(Behaviour::BringsTests),
            None if does == "brings idle tests" => Ok(Behaviour::BringsIdleTests),
            None if does == "refits the tests" => Ok(Behaviour::RefitsTests),
            None if does == "changes the settings" => Ok(Behaviour::ChangesSettings),
            None if does == "ticks the roadmap" => Ok(Behaviour::TicksRoadmap),
            None if does == "names a ghost commit" => Ok(Behaviour::NamesGhostCommit),
            None if does == "strays" => Ok(Behaviour::Strays),
            None if does == "leaves a server running" => Ok(Behaviour::LeavesAServer),
            None => Err(unheard()),
        },
        Role::PlanCheck => match (does, does.strip_prefix("trusts it ")) {
            ("finds a blocker", _) => Ok(Behaviour::ChecksPlan { confidence: GOOD, blockers: 1 }),
            (_, Some(score)) => {
                Ok(Behaviour::ChecksPlan { confidence: score_of(score)?, blockers: 0 })
            }
            _ => Err(unheard()),
        },
        Role::Verify => verified(does).map(Behaviour::Verifies).ok_or_else(unheard),
        Role::Judge | Role::JudgeDivergence => judges(does).ok_or_else(unheard),
        Role::Review => {
            let (does, marks) = match does.split_once(" at ") {
                Some((does, marks)) => (does, marks_of(marks)?),
                None => (does, Marks::one(GOOD)),
            };
            let verified = verified(does).ok_or_else(unheard)?;
            Ok(Behaviour::Reviews { verified, marks })
        }
        Role::Research | Role::Plan | Role::Rate => Err(unheard()),
    }
}

/// Ways of reviewers that are not to be believed.
fn shady(role: Role, does: &str) -> Option<Shady> {
    let verifies = matches!(role, Role::Verify | Role::Review);
    let judges = matches!(role, Role::Judge | Role::JudgeDivergence);
    match does {
        "shows nothing" if verifies || judges => Some(Shady::ShowsNothing),
        "names a ghost" if verifies || judges => Some(Shady::NamesGhost),
        "quotes the verifier" if matches!(role, Role::Judge | Role::Rate) => {
            Some(Shady::QuotesVerifier)
        }
        "analyses nothing" if role == Role::JudgeDivergence => Some(Shady::AnalysesNothing),
        "defers vaguely" if verifies => Some(Shady::DefersVaguely),
        "wants somebody to look" if verifies => Some(Shady::DefersGenerically),
        _ => None,
    }
}

fn verified(does: &str) -> Option<Verified> {
    match does {
        "names a failure" => Some(Verified::NamesFailure),
        "fails it" => Some(Verified::Fails),
        "needs a person" => Some(Verified::NeedsPerson),
        _ => None,
    }
}

fn judges(does: &str) -> Option<Behaviour> {
    let says = |recommendation| Behaviour::Judges { recommendation, concern: None };
    let worries = |severity| Behaviour::Judges {
        recommendation: Recommendation::Proceed,
        concern: Some(severity),
    };
    Some(match does {
        "says proceed" => says(Recommendation::Proceed),
        "says debug" => says(Recommendation::Debug),
        "says rollback" => says(Recommendation::Rollback),
        "says halt" => says(Recommendation::Halt),
        "has a minor concern" => worries(ConcernSeverity::Minor),
        "has a major concern" => worries(ConcernSeverity::Major),
        "has a critical concern" => worries(ConcernSeverity::Critical),
        _ => return None,
    })
}

/// What is left in another way than it should be; a server is left running.
fn left_red(does: &str) -> Option<&str> {
    does.strip_prefix("leaves ").filter(|left| !left.starts_with("a server"))
}

/// `test red`, `build and criterion 1 red in 90 lines`, `test not run`, `test without end`.
fn leaves(left: &str) -> Result<Behaviour, String> {
    let (left, lines) = match left.strip_suffix(" lines").and_then(|rest| rest.rsplit_once(" in "))
    {
        Some((left, lines)) => (left, u64::from(number(lines)?)),
        None => (left, LINES),
    };
    let ways = [(" red", Red::Red), (" not run", Red::NotRun), (" without end", Red::TimedOut)];
    let way = ways.into_iter().find_map(|(word, red)| Some((left.strip_suffix(word)?, red)));
    let (names, red) = way.ok_or(format!("a check is never left `{left}`"))?;
    let checks: Result<Vec<(CheckName, Red)>, String> =
        names.split(" and ").map(|name| Ok((name.parse()?, red))).collect();
    Ok(Behaviour::Leaves { reds: checks?, lines })
}
