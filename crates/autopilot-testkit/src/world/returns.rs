//! Puts a behaviour into the words of its role's return. Claims are always as good as they can be: nobody in this world admits
//! that a check is red, so whatever the rules find out they found out by measuring.

use std::collections::BTreeMap;

use autopilot_core::contract::claims::{CheckClaim, Tally};
use autopilot_core::contract::delegation::{Delegation, DelegationEvidence, DelegationStatus};
use autopilot_core::contract::returns::{
    Complexity, Concern, CriterionResult, CriterionScore, CriterionStatus, Debugging,
    DeferralEvidence, Execution, Failure, Issue, IssueSeverity, Judgement, PlanCheck, Planning,
    Rating, Recommendation, Research, Review, Verification,
};
use autopilot_core::contract::{Category, Returned, Role};
use autopilot_core::run::effect::AgentOrder;
use autopilot_core::score::Score;

use super::behaviour::{Behaviour, GOOD, Marks, Shady, Verified};

/// The one file of this world.
pub(super) const FILE: &str = "src/lib.rs";
/// A commit that nobody ever finds.
pub(super) const GHOST_COMMIT: &str = "0badc0de";
/// What a verifier has seen, in words of its own.
const SEEN: &str =
    "walked through every branch by hand and saw each of them come to the end that was asked for";

/// What whoever returns may have read.
pub(super) struct About {
    pub(super) criteria: Vec<String>,
    /// A task of the plan that asks for a person.
    pub(super) checkpoint: Option<String>,
}

pub(super) fn made(order: &AgentOrder, behaviour: &Behaviour, about: &About) -> Returned {
    match order.role {
        Role::Research => Returned::Research(Research {
            key_findings: Vec::new(),
            recommended_approach: "the usual one".to_string(),
            risks: Vec::new(),
            open_questions: Vec::new(),
        }),
        Role::Plan => Returned::Planning(Planning {
            plans_created: 1,
            waves: 1,
            total_tasks: 1,
            complexity: Complexity::Simple,
            dependencies: Vec::new(),
            concerns: Vec::new(),
        }),
        Role::PlanCheck => Returned::PlanCheck(plan_check(behaviour)),
        Role::Execute => Returned::Execution(Execution {
            tasks_completed: Tally { count: 1, total: 1 },
            tasks_failed: Tally { count: 0, total: 1 },
            commit_shas: match behaviour {
                Behaviour::NamesGhostCommit => vec![GHOST_COMMIT.to_string()],
                _ => Vec::new(),
            },
            evidence: Vec::new(),
            deviations: Vec::new(),
        }),
        Role::Debug => Returned::Debugging(Debugging {
            fixed: true,
            changes: Vec::new(),
            remaining_issues: Vec::new(),
            failure_categories: Vec::new(),
        }),
        Role::Delegate => Returned::Delegation(Box::new(delegation(order, about))),
        Role::Verify => Returned::Verification(verification(behaviour, about)),
        Role::Judge | Role::JudgeDivergence => {
            Returned::Judgement(judgement(order.role, behaviour))
        }
        Role::Rate => Returned::Rating(rating(order, behaviour)),
        Role::Review => Returned::Review(Review {
            verification: verification(behaviour, about),
            rating: rating(order, behaviour),
        }),
    }
}

/// As proud as can be, reviewers of its own included.
fn delegation(order: &AgentOrder, about: &About) -> Delegation {
    Delegation {
        phase: order.phase.to_string(),
        status: DelegationStatus::Completed,
        alignment_score: Some(Score::FULL),
        tasks_completed: Tally { count: 1, total: 1 },
        tasks_failed: Tally { count: 0, total: 1 },
        tasks: Vec::new(),
        commit_shas: Vec::new(),
        automated_checks: BTreeMap::from([("test".to_string(), CheckClaim::Passed)]),
        issues: Vec::new(),
        debug_attempts: 0,
        replan_attempts: 0,
        recommendation: Recommendation::Proceed,
        summary: "all is well".to_string(),
        checkpoint_sha: None,
        verification_duration_seconds: None,
        evidence: DelegationEvidence {
            files_checked: Vec::new(),
            commands_run: Vec::new(),
            git_diff_summary: String::new(),
        },
        human_verify_justification: None,
        split_details: None,
        pipeline_steps: BTreeMap::new(),
        verifier: Some(verification(&Behaviour::Verifies(Verified::Holds), about)),
        judge: None,
        rater: Some(rating(order, &Behaviour::Rates(Marks::one(Score::FULL)))),
    }
}

fn plan_check(behaviour: &Behaviour) -> PlanCheck {
    let (confidence, blockers) = match behaviour {
        Behaviour::ChecksPlan { confidence, blockers } => (*confidence, *blockers),
        _ => (GOOD, 0),
    };
    let issue = |number: u32| Issue {
        severity: IssueSeverity::Blocker,
        description: format!("blocker {number}"),
        fix_hint: "plan it otherwise".to_string(),
    };
    PlanCheck {
        pass: true,
        confidence,
        issues: (1..=blockers).map(issue).collect(),
        blocker_count: 0,
        warning_count: 0,
    }
}

fn verified(behaviour: &Behaviour) -> Verified {
    match behaviour {
        Behaviour::Verifies(verified) | Behaviour::Reviews { verified, .. } => *verified,
        _ => Verified::Holds,
    }
}

fn shady(behaviour: &Behaviour) -> Option<Shady> {
    match behaviour {
        Behaviour::Shady(shady) => Some(*shady),
        _ => None,
    }
}

fn verification(behaviour: &Behaviour, about: &About) -> Verification {
    let (verified, shady) = (verified(behaviour), shady(behaviour));
    let checks = ["compile", "lint", "test", "build"];
    let claims = checks.map(|name| (name.to_string(), CheckClaim::Passed));
    // Whoever fails the work leaves the category out.
    let failure = |category: Option<Category>| Failure {
        description: "a requirement is not met".to_string(),
        category,
        file: Some(FILE.to_string()),
    };
    let shows = shady != Some(Shady::ShowsNothing);
    Verification {
        pass: verified != Verified::Fails,
        automated_checks: BTreeMap::from(claims),
        criteria_results: if shows { results(shady, about) } else { Vec::new() },
        commands_run: shows.then(|| "make test -> passed".to_string()).into_iter().collect(),
        failures: match verified {
            Verified::Fails => vec![failure(None)],
            Verified::NamesFailure => vec![failure(Some(Category::AcceptanceCriteriaUnmet))],
            Verified::Holds | Verified::NeedsPerson => Vec::new(),
        },
        scope_creep: Vec::new(),
        autonomous_confidence: None,
        deferral_evidence: deferral(verified, shady, about),
    }
}

/// One for each criterion, or one for the whole where there is none.
fn results(shady: Option<Shady>, about: &About) -> Vec<CriterionResult> {
    let file = if shady == Some(Shady::NamesGhost) { "src/ghost.rs" } else { FILE };
    let result = |criterion: &str| CriterionResult {
        criterion: criterion.to_string(),
        status: CriterionStatus::Verified,
        evidence: SEEN.to_string(),
        file: Some(file.to_string()),
        line: Some(1),
        quote: Some("fn works()".to_string()),
    };
    match about.criteria.as_slice() {
        [] => vec![result("it works")],
        criteria => criteria.iter().map(|text| result(text)).collect(),
    }
}

fn deferral(verified: Verified, shady: Option<Shady>, about: &About) -> Option<DeferralEvidence> {
    let checkpoint = about.checkpoint.clone().unwrap_or_default();
    let (task_id, what) = match (verified, shady) {
        (Verified::NeedsPerson, _) => (checkpoint, "the printed page"),
        (_, Some(Shady::DefersVaguely)) => (String::new(), "the printed page"),
        (_, Some(Shady::DefersGenerically)) => (checkpoint, "a screenshot of the page"),
        _ => return None,
    };
    let why = "there is no printer".to_string();
    Some(DeferralEvidence { task_id, what: what.to_string(), why })
}

fn judgement(role: Role, behaviour: &Behaviour) -> Judgement {
    let (recommendation, concern) = match behaviour {
        Behaviour::Judges { recommendation, concern } => (*recommendation, *concern),
        _ => (Recommendation::Proceed, None),
    };
    let concern = concern.map(|severity| Concern {
        severity,
        description: "it could be clearer".to_string(),
        file: Some(FILE.to_string()),
        expected_gain: None,
    });
    let shady = shady(behaviour);
    let compares = role == Role::JudgeDivergence && shady != Some(Shady::AnalysesNothing);
    Judgement {
        recommendation,
        concerns: concern.into_iter().collect(),
        independent_evidence: match shady {
            Some(Shady::ShowsNothing) => Vec::new(),
            Some(Shady::QuotesVerifier) => vec![SEEN.to_string()],
            Some(Shady::NamesGhost) => vec!["src/ghost.rs:7 refuses it".to_string()],
            _ => vec!["src/lib.rs:1".to_string()],
        },
        verifier_agreement: compares.then_some(true),
        verifier_missed: Vec::new(),
        missing_requirements: Vec::new(),
    }
}

fn rating(order: &AgentOrder, behaviour: &Behaviour) -> Rating {
    let marks = match behaviour {
        Behaviour::Rates(marks) | Behaviour::Reviews { marks, .. } => marks.clone(),
        _ => Marks::one(GOOD),
    };
    let is_copied = shady(behaviour) == Some(Shady::QuotesVerifier);
    let justification = if is_copied { SEEN } else { "seen" };
    let deficiency = |score: Score| {
        let is_short = score < Score::FULL;
        (is_short && marks.gives_reasons).then(|| format!("what round {} misses", order.round))
    };
    let entry = |score: Score| CriterionScore {
        criterion: "it works".to_string(),
        score,
        evidence: "src/lib.rs:1".to_string(),
        justification: justification.to_string(),
        command: None,
        file: Some("src/lib.rs".to_string()),
        deficiency: deficiency(score),
    };
    // Its own total is a boast; the mean is what counts (PIPE-8).
    let alignment_score = Some(Score::FULL);
    Rating { scorecard: marks.scores.iter().map(|score| entry(*score)).collect(), alignment_score }
}
