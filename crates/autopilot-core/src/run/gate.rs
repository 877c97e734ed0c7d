//! Turns what was measured and what reviewers said about a candidate into a verdict. The first row that fits decides; nothing
//! else in the program decides whether a phase passes.

use serde::{Deserialize, Serialize};

use crate::contract::Category;
use crate::contract::returns::Recommendation;
use crate::run::measured::CheckName;
use crate::run::outcome::Passing;
use crate::score::Score;

/// Below this, work is not improved but done again (GATE table).
const REPLAN_BELOW: Score = match Score::from_tenths(70) {
    Some(score) => score,
    None => Score::ZERO,
};

/// Everything the table asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    pub recommendation: Recommendation,
    pub score: Option<Score>,
    pub threshold: Score,
    /// A person has to look, in the verifier's words.
    pub deferral: Option<String>,
    /// Why what could pass otherwise is a person's to decide (CHECK-19).
    pub needs_person: Option<String>,
    /// Checks and criteria measured and not green.
    pub reds: Vec<CheckName>,
    /// Why nobody can tell whether any of that is new, where it was red before the run and accepted (GATE-4).
    pub red_before: Option<String>,
    /// Tasks that failed and that no debug attempt has looked at yet.
    pub failed_tasks: u32,
    pub evidence: Evidence,
    pub debug_left: u32,
    pub replan_left: u32,
    pub cycles_left: u32,
    /// Something a remediation could work on (PIPE-11).
    pub has_findings: bool,
    pub allows_unproven: bool,
}

/// How much of what is green means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// No check of the project and no criterion could be run.
    NoCheck,
    /// Checks ran, but no criterion is proven and no test looks at the work.
    OnlyJudged,
    Proven,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Verdict {
    RollBack,
    Fail {
        category: Category,
        reason: String,
    },
    /// A person decides at the end of the run (HUM-1).
    Defer {
        why: String,
    },
    Debug {
        reds: Vec<CheckName>,
    },
    Pass {
        how: Passing,
    },
    Remediate,
    Replan,
}

pub fn decide(case: &Case) -> Verdict {
    let Case { recommendation, score, threshold, reds, .. } = case;
    if *recommendation == Recommendation::Rollback {
        return Verdict::RollBack;
    }
    if *recommendation == Recommendation::Halt {
        return fail(Category::AcceptanceCriteriaUnmet, "the judge asked to stop here");
    }
    if let Some(why) = &case.deferral {
        return Verdict::Defer { why: why.clone() };
    }
    let is_red = !reds.is_empty() || case.failed_tasks > 0;
    if is_red || *recommendation == Recommendation::Debug {
        return debug(case);
    }
    let Some(score) = score else {
        return fail(Category::ToolFailure, "no score: the rater rated no criterion");
    };
    if score >= threshold {
        return pass(case);
    }
    if *score < REPLAN_BELOW {
        return match case.replan_left {
            0 => fail(
                Category::ExecutorWrongApproach,
                format!("rated {score}, below {REPLAN_BELOW}, and replanned already"),
            ),
            _ => Verdict::Replan,
        };
    }
    if case.cycles_left > 0 && case.has_findings {
        return Verdict::Remediate;
    }
    match pass(case) {
        // A score that fell short outweighs what it rests on.
        Verdict::Pass { .. } => Verdict::Pass { how: Passing::ForceIncomplete },
        other => other,
    }
}

fn debug(case: &Case) -> Verdict {
    if case.debug_left > 0 {
        return Verdict::Debug { reds: case.reds.clone() };
    }
    if let Some(why) = case.red_before.as_ref().filter(|_| case.failed_tasks == 0) {
        return Verdict::Defer { why: why.clone() };
    }
    let names: Vec<String> = case.reds.iter().map(ToString::to_string).collect();
    let category = match case.reds.first() {
        Some(CheckName::Compile) => Category::CompilationFailure,
        Some(CheckName::Lint) => Category::LintFailure,
        Some(CheckName::Build) => Category::BuildFailure,
        Some(CheckName::Test | CheckName::Criterion(_) | CheckName::Task(_)) => {
            Category::AcceptanceCriteriaUnmet
        }
        None => Category::ExecutorIncomplete,
    };
    let reason = if names.is_empty() {
        "reviewers still ask for a repair and all attempts are used up".to_string()
    } else {
        format!("still red after all debug attempts: {}", names.join(", "))
    };
    fail(category, reason)
}

fn pass(case: &Case) -> Verdict {
    if let Some(why) = &case.needs_person {
        return Verdict::Defer { why: why.clone() };
    }
    match case.evidence {
        Evidence::Proven => Verdict::Pass { how: Passing::Proven },
        Evidence::OnlyJudged => Verdict::Pass { how: Passing::Judged },
        Evidence::NoCheck if case.allows_unproven => Verdict::Pass { how: Passing::Unproven },
        Evidence::NoCheck => Verdict::Defer {
            why: "no check of this project could be run, so nothing is proven".to_string(),
        },
    }
}

fn fail(category: Category, reason: impl Into<String>) -> Verdict {
    Verdict::Fail { category, reason: reason.into() }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
