//! Claims about state files of other programs, whole, partial and hostile.

use serde_json::json;

use super::*;

/// As a phase comes out: its outcome, its score in tenths, and what was said.
fn shown(phase: &Value) -> String {
    let imported = read("state.json", &json!({"phases": {"phase_3": phase}}));
    let said: Vec<&str> = imported.findings.iter().map(|one| one.message.as_str()).collect();
    let entry = imported.entries.get(&PhaseId::number(3)).map(|entry| {
        assert!(entry.is_imported);
        let score = entry.score.map(|score| format!(" {score}")).unwrap_or_default();
        match &entry.outcome {
            Outcome::Completed { how } => format!("{how:?}{score}"),
            Outcome::Failed { failure } => {
                format!("failed {} {}{score}", failure.category.word(), failure.reason)
            }
            Outcome::Deferred { why } => format!("deferred {why}{score}"),
            Outcome::TakenBack => "taken back".to_string(),
        }
    });
    format!("{}{}", entry.unwrap_or_else(|| "nothing".to_string()), said.join("; "))
}

#[test]
fn what_another_program_says_of_a_phase() {
    let check = |phase: Value, expected: &str| assert_eq!(shown(&phase), expected, "{phase}");
    check(json!({"status": "completed", "alignment_score": 9.3}), "Judged 9.3");
    check(json!({"status": "completed", "alignment_score": 8}), "Judged 8.0");
    check(json!({"status": "completed"}), "Judged");
    check(json!({"status": "completed", "alignment_score": null}), "Judged");
    check(
        json!({"status": "completed", "steps": {"verify": {"alignment_score": 8}}}),
        "Judged 8.0",
    );
    check(
        json!({"status": "completed", "force_incomplete": true, "alignment_score": 8.1}),
        "ForceIncomplete 8.1",
    );
    check(
        json!({"status": "failed", "failure_category": "lint_failure", "failure_reason": "red"}),
        "failed lint_failure red",
    );
    check(json!({"status": "failed"}), "failed imported another program said so");
    check(
        json!({"status": "needs_human_verification", "human_verify_justification": "look at it"}),
        "deferred look at it",
    );
    let judged = |verdict: &str| json!({"status": "needs_human_verification", "human_verdict": {"verdict": verdict}});
    check(judged("pass"), "Judged");
    check(judged("fail"), "failed imported another program said so");
    check(judged("issues_found"), "deferred another program left it to a person");
    for open in ["not_started", "running", "in_progress", "skipped"] {
        check(json!({ "status": open }), "nothing");
    }
}

#[test]
fn what_cannot_be_understood_is_left_out_and_told() {
    let check = |phase: Value, expected: &str| assert_eq!(shown(&phase), expected, "{phase}");
    check(json!({"status": "done"}), "nothingphases.phase_3 has the status done, which is unknown");
    check(json!({"status": 7}), "nothingphases.phase_3 has no status");
    check(json!("completed"), "nothingphases.phase_3 has no status");
    check(json!(null), "nothingphases.phase_3 has no status");
    let odd = "Judgedphases.phase_3 has a score that is none from 0.0 to 10.0; it is left out";
    for score in [json!(11), json!(-1), json!(1e300), json!("9.0.0"), json!([9])] {
        check(json!({"status": "completed", "alignment_score": score}), odd);
    }
    let messages = |state: Value| {
        let imported = read("state.json", &state);
        let said: Vec<String> = imported.findings.into_iter().map(|one| one.message).collect();
        (imported.entries.len(), said)
    };
    let none = "it has no phases; nothing is taken from it".to_string();
    for state in [json!({}), json!([]), json!(null), json!("x"), json!({"phases": [1]})] {
        assert_eq!(messages(state), (0, vec![none.clone()]));
    }
    let done = json!({"status": "completed"});
    let (count, said) = messages(
        json!({"phases": {"../../etc": done, "phase_08": done, "phase_8": done, "": done}}),
    );
    assert_eq!((count, said.len()), (1, 3), "{said:?}");
}

#[test]
fn a_hostile_file_costs_no_more_than_its_bounds() {
    let long = "x".repeat(100_000);
    let phase = json!({"status": "failed", "failure_reason": long, "failure_category": long,
        "score_history": vec![9.0; 5_000]});
    let imported =
        read("state.json", &json!({"_meta": {"run_id": "../x"}, "phases": {"1": phase}}));
    let entry = &imported.entries[&PhaseId::number(1)];
    assert_eq!(entry.run.as_str(), "imported");
    assert_eq!(entry.score_history.len(), limits::SCORE_HISTORY_MAX);
    let Outcome::Failed { failure } = &entry.outcome else { panic!("{entry:?}") };
    assert_eq!(failure.reason.len(), limits::FIELD_CHARS_MAX);
    let many: serde_json::Map<String, Value> =
        (1..=20_000).map(|number| (number.to_string(), json!({"status": "completed"}))).collect();
    let imported = read("state.json", &json!({ "phases": many }));
    assert_eq!(imported.entries.len(), limits::IMPORTED_PHASES_MAX);
}

#[test]
fn what_our_ledger_knows_is_not_overwritten() {
    let state = json!({"_meta": {"run_id": "run-2026-02-09-143052"}, "phases": {
        "phase_1": {"status": "completed", "completed_at": "2026-02-09T15:12:45Z",
            "alignment_score": 9.1, "score_history": [{"score": 8.2}]},
        "phase_2": {"status": "failed"},
    }});
    let imported = read("state.json", &state);
    let mut ledger = Ledger::default();
    assert_eq!(merge(&mut ledger, &imported), 2);
    let text = serde_json::to_string(&ledger).unwrap();
    assert_eq!(serde_json::from_str::<Ledger>(&text).unwrap(), ledger, "it is stored as it is");
    let entry = &ledger.phases[&PhaseId::number(1)];
    assert_eq!(entry.at, Moment(1_770_649_965_000));
    let history: Vec<u8> = entry.score_history.iter().map(|score| score.tenths()).collect();
    assert_eq!(history, [82, 91]);
    ledger.phases.get_mut(&PhaseId::number(2)).unwrap().is_imported = false;
    let own = ledger.clone();
    assert_eq!(merge(&mut ledger, &imported), 0);
    assert_eq!(ledger, own);
}

#[test]
fn a_time_that_is_none_is_no_time() {
    for text in [
        "",
        "yesterday",
        "2026-02-30",
        "2026-13-01T00:00:00Z",
        "2026-01-01T25:00:00Z",
        "ééééééééééé",
    ] {
        assert_eq!(moment(text), None, "{text}");
    }
    assert_eq!(moment("1970-01-01T00:00:01Z"), Some(Moment(1_000)));
    assert_eq!(moment("2024-02-29T12:00:00.5Z"), Some(Moment(1_709_208_000_000)));
}
