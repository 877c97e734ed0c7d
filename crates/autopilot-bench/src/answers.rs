//! What a good agent answers, for every role: enough for a phase to pass.

use autopilot_core::contract::Role;

pub(crate) fn text(role: Role) -> &'static str {
    match role {
        Role::Research => {
            r#"{"key_findings": ["lib/ holds the parts", "test.sh:1 runs every test", "no part is there yet"],
                "recommended_approach": "One file a part.", "risks": [], "open_questions": []}"#
        }
        Role::Plan => {
            r#"{"plans_created": 1, "waves": 1, "total_tasks": 1, "complexity": "simple",
                "dependencies": [], "concerns": []}"#
        }
        Role::PlanCheck => {
            r#"{"pass": true, "confidence": 9.5, "issues": [], "blocker_count": 0, "warning_count": 0}"#
        }
        Role::Execute => {
            r#"{"tasks_completed": "1/1", "tasks_failed": "0/1", "deviations": [],
                "evidence": [{"task_id": "1", "criteria_met": ["it works -- lib:1 -- there"],
                              "commands_run": ["true -> passed"]}]}"#
        }
        Role::Delegate => {
            r#"{"phase": "1", "status": "completed", "alignment_score": null, "tasks_completed": "1/1",
                "tasks_failed": "0/1", "automated_checks": {"test": true}, "issues": [],
                "recommendation": "proceed", "summary": "the part is there",
                "evidence": {"files_checked": ["lib/part:1 -- there"], "commands_run": ["true -> passed"]}}"#
        }
        Role::Verify => VERIFICATION,
        Role::Judge => JUDGEMENT,
        Role::JudgeDivergence => SECOND_JUDGEMENT,
        Role::Rate => RATING,
        Role::Review => REVIEW,
        Role::Debug => {
            r#"{"fixed": true, "changes": ["lib -- mended"], "remaining_issues": [], "failure_categories": []}"#
        }
    }
}

const VERIFICATION: &str = r#"{"pass": true, "automated_checks": {"test": true}, "failures": [],
    "scope_creep": [], "commands_run": ["true -> passed"],
    "criteria_results": [
        {"criterion": "The part is there", "status": "verified", "evidence": "seen"},
        {"criterion": "The part is pleasant to look at", "status": "verified", "evidence": "one plain word, spelled well"}]}"#;

const JUDGEMENT: &str = r#"{"recommendation": "proceed", "concerns": [],
    "independent_evidence": ["lib/part:1 is there"], "missing_requirements": []}"#;

const SECOND_JUDGEMENT: &str = r#"{"recommendation": "proceed", "concerns": [],
    "independent_evidence": ["lib/part:1 is there"], "missing_requirements": [],
    "verifier_agreement": true, "verifier_missed": []}"#;

const RATING: &str = r#"{"scorecard": [{"criterion": "the part is there", "score": 9.8,
    "evidence": "seen", "justification": "as asked", "file": "lib/part",
    "deficiency": "it could say why"}]}"#;

const REVIEW: &str = r#"{
    "verification": {"pass": true, "automated_checks": {"test": true}, "failures": [],
        "scope_creep": [], "commands_run": ["true -> passed"],
        "criteria_results": [
        {"criterion": "The part is there", "status": "verified", "evidence": "seen"},
        {"criterion": "The part is pleasant to look at", "status": "verified", "evidence": "one plain word, spelled well"}]},
    "rating": {"scorecard": [{"criterion": "the part is there", "score": 9.8, "evidence": "seen",
        "justification": "as asked", "file": "lib/part", "deficiency": "it could say why"}]}}"#;

#[cfg(test)]
mod tests {
    use autopilot_core::contract;

    use super::*;

    #[test]
    fn every_answer_keeps_its_contract() {
        for role in Role::ALL {
            let read = contract::read(role, text(role));
            assert!(read.is_ok(), "{role:?}: {:?}", read.err());
        }
    }
}
