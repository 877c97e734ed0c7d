//! Puts a behaviour into the words of its role's return. Claims are always as good as they can be: nobody in this world admits
//! that a check is red, so whatever the rules find out they found out by measuring.

use std::collections::BTreeMap;

use autopilot_core::contract::claims::{CheckClaim, Tally};
use autopilot_core::contract::returns::{
    Complexity, Concern, CriterionScore, Debugging, DeferralEvidence, Execution, Failure, Issue,
    IssueSeverity, Judgement, PlanCheck, Planning, Rating, Recommendation, Research, Review,
    Verification,
};
use autopilot_core::contract::{Returned, Role};
use autopilot_core::run::effect::AgentOrder;
use autopilot_core::score::Score;

use super::behaviour::{Behaviour, GOOD, Marks, Verified};

pub(super) fn made(order: &AgentOrder, behaviour: &Behaviour) -> Returned {
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
            commit_shas: Vec::new(),
            evidence: Vec::new(),
            deviations: Vec::new(),
        }),
        Role::Debug => Returned::Debugging(Debugging {
            fixed: true,
            changes: Vec::new(),
            remaining_issues: Vec::new(),
            failure_categories: Vec::new(),
        }),
        Role::Verify => Returned::Verification(verification(verified(behaviour))),
        Role::Judge | Role::JudgeDivergence => Returned::Judgement(judgement(behaviour)),
        Role::Rate => Returned::Rating(rating(order, behaviour)),
        Role::Review => Returned::Review(Review {
            verification: verification(verified(behaviour)),
            rating: rating(order, behaviour),
        }),
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

fn verification(verified: Verified) -> Verification {
    let checks = ["compile", "lint", "test", "build"];
    let claims = checks.map(|name| (name.to_string(), CheckClaim::Passed));
    let failure = Failure {
        description: "a requirement is not met".to_string(),
        category: None,
        file: Some("src/lib.rs".to_string()),
    };
    let deferral = DeferralEvidence {
        task_id: "look".to_string(),
        what: "the printed page".to_string(),
        why: "there is no printer".to_string(),
    };
    Verification {
        pass: verified != Verified::Fails,
        automated_checks: BTreeMap::from(claims),
        criteria_results: Vec::new(),
        commands_run: Vec::new(),
        failures: (verified == Verified::Fails).then_some(failure).into_iter().collect(),
        scope_creep: Vec::new(),
        autonomous_confidence: None,
        deferral_evidence: (verified == Verified::NeedsPerson).then_some(deferral),
    }
}

fn judgement(behaviour: &Behaviour) -> Judgement {
    let (recommendation, concern) = match behaviour {
        Behaviour::Judges { recommendation, concern } => (*recommendation, *concern),
        _ => (Recommendation::Proceed, None),
    };
    let concern = concern.map(|severity| Concern {
        severity,
        description: "it could be clearer".to_string(),
        file: Some("src/lib.rs".to_string()),
        expected_gain: None,
    });
    Judgement {
        recommendation,
        concerns: concern.into_iter().collect(),
        independent_evidence: vec!["src/lib.rs:1".to_string()],
        verifier_agreement: None,
        verifier_missed: Vec::new(),
        missing_requirements: Vec::new(),
    }
}

fn rating(order: &AgentOrder, behaviour: &Behaviour) -> Rating {
    let marks = match behaviour {
        Behaviour::Rates(marks) | Behaviour::Reviews { marks, .. } => marks.clone(),
        _ => Marks::one(GOOD),
    };
    let deficiency = |score: Score| {
        let is_short = score < Score::FULL;
        (is_short && marks.gives_reasons).then(|| format!("what round {} misses", order.round))
    };
    let entry = |score: Score| CriterionScore {
        criterion: "it works".to_string(),
        score,
        evidence: "src/lib.rs:1".to_string(),
        justification: "seen".to_string(),
        command: None,
        file: Some("src/lib.rs".to_string()),
        deficiency: deficiency(score),
    };
    // Its own total is a boast; the mean is what counts (PIPE-8).
    let alignment_score = Some(Score::FULL);
    Rating { scorecard: marks.scores.iter().map(|score| entry(*score)).collect(), alignment_score }
}
