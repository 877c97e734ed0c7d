//! What the scripted model does in a phase: every role asks in its own schema, and each is answered as a good agent would.

use autopilot_testkit::model_server::{Request, Script, Step, Usage, Who};
use serde_json::{Value, json};

use super::stage::PLAN;

/// No two answers cost the same, so that none can stand for another.
fn cost(request: &Request) -> Usage {
    let salt = request.prompt().len() as u64 % 97 + request.turns() as u64;
    Usage { input: 500 + salt, output: 20 + salt, cache_read: 1_000 + salt, cache_write: 7 }
}

/// How the prompt of each role begins. The longer of two that begin alike stands first.
const TITLES: [(&str, &str); 10] = [
    ("# Research phase \"1\"", "research"),
    ("# Plan phase \"1\"", "plan"),
    ("# Check the plans of phase \"1\"", "plan_check"),
    ("# Task ", "execute"),
    ("# Mend task ", "execute"),
    ("# Verify phase \"1\"", "verify"),
    ("# Judge phase \"1\" once more", "judge_divergence"),
    ("# Judge phase \"1\"", "judge"),
    ("# Rate phase \"1\"", "rate"),
    ("# Review phase \"1\"", "review"),
];

/// The role that asks: the one whose schema the answer has to keep, or, of an agent that has none, the one the prompt is for.
pub(crate) fn role(request: &Request) -> Option<String> {
    let tools = request.body["tools"].as_array()?;
    if let Some(answer) = tools.iter().find(|tool| tool["name"] == "StructuredOutput") {
        return answer["input_schema"]["title"].as_str().map(str::to_string);
    }
    let said = request.conversation();
    let mut lines =
        said.iter().filter(|said| said.who == Who::User).flat_map(|said| said.text.lines());
    let title = |line: &str| TITLES.iter().find(|(title, _)| line.starts_with(title));
    lines.find_map(title).map(|(_, role)| (*role).to_string())
}

/// Where the agent works, as it tells the model.
pub(crate) fn folder(request: &Request) -> Option<String> {
    let said = request.conversation();
    let lines = said.iter().filter(|said| said.who != Who::Tool).flat_map(|said| said.text.lines());
    let mut places = lines.filter_map(|line| line.split("orking directory: ").nth(1));
    places.next().map(|place| place.trim().to_string())
}

pub(crate) fn good() -> Script {
    Script::new().choose(answer)
}

/// Works in the first turn, where there is something to do, and answers in the next.
pub(crate) fn answer(request: &Request) -> Option<Step> {
    let role = role(request)?;
    // Who does not tell takes paths from where it stands.
    let place = folder(request).map(|place| format!("{place}/")).unwrap_or_default();
    let step = match (role.as_str(), request.turns()) {
        ("plan", 0) => {
            let path = format!("{place}.planning/phases/01-base/01-01-PLAN.md");
            Step::text("I write the plan.").writes(path, PLAN)
        }
        ("execute", 0) => Step::text("I lay it.")
            .thinking("A base is a file.")
            .writes(format!("{place}lib/1"), "base\n")
            .runs("sh test.sh && cat lib/1"),
        (role, _) => Step::structured(returned(role)?),
    };
    Some(step.usage(cost(request)))
}

pub(crate) fn returned(role: &str) -> Option<Value> {
    let verification = json!({
        "pass": true, "automated_checks": {"test": true}, "failures": [], "scope_creep": [],
        "criteria_results": [{"criterion": "The base is there", "status": "verified", "evidence": "seen"}],
        "commands_run": ["sh test.sh -> passed"],
    });
    let rating = json!({"scorecard": [{
        "criterion": "The base is there", "score": 9.5, "evidence": "seen",
        "justification": "as asked", "file": "lib/1",
    }]});
    let judged = json!({
        "recommendation": "proceed", "concerns": [], "missing_requirements": [],
        "independent_evidence": ["lib/1:1 is there"],
    });
    Some(match role {
        "research" => json!({
            "key_findings": ["test.sh:1 is the test", "lib/ holds the parts", "no part is there yet"],
            "recommended_approach": "One file a part.", "risks": [], "open_questions": [],
        }),
        "plan" => json!({
            "plans_created": 1, "waves": 1, "total_tasks": 1, "complexity": "simple",
            "dependencies": [], "concerns": [],
        }),
        "plan_check" => json!({
            "pass": true, "confidence": 9.0, "issues": [], "blocker_count": 0, "warning_count": 0,
        }),
        "execute" => json!({
            "tasks_completed": "1/1", "tasks_failed": "0/1", "deviations": [],
            "evidence": [{
                "task_id": "1-01-1", "criteria_met": ["it works -- lib/1:1 -- there"],
                "commands_run": ["sh test.sh -> passed"],
            }],
        }),
        "verify" => verification,
        "judge" => judged,
        "judge_divergence" => {
            let mut judged = judged;
            judged["verifier_agreement"] = json!(true);
            judged["verifier_missed"] = json!([]);
            judged
        }
        "rate" => rating,
        "review" => json!({"verification": verification, "rating": rating}),
        _ => return None,
    })
}
