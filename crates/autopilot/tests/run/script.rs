//! What the scripted agent plays in the sample project: five phases, with a liar, a candidate that is red, a rating that falls
//! short and a task that is given up.

use serde_json::{Value, json};

/// Where every start of an agent is counted: beside the project, seen from the slot.
pub(crate) const TALLY: &str = "../cache/tally";

/// One entry. The agent first writes down that it was started.
pub(crate) fn entry(
    phase: &str,
    step: &str,
    task: Option<&str>,
    round: u32,
    actions: Vec<Value>,
) -> Value {
    let line = format!("{phase} {step} {} {round}\n", task.unwrap_or("-"));
    let mut all = vec![json!({"append": {"path": TALLY, "text": line, "outside": true}})];
    all.push(json!({"spend": {"input_tokens": 100, "output_tokens": 10}}));
    all.extend(actions);
    let mut when = json!({"phase": phase, "step": step, "round": round});
    if let Some(task) = task {
        when["task"] = json!(task);
    }
    json!({"when": when, "do": all})
}

pub(crate) fn script(entries: Vec<Value>) -> String {
    json!({"version": 1, "entries": entries}).to_string()
}

pub(crate) fn write(path: &str, text: &str) -> Value {
    json!({"write": {"path": path, "text": text}})
}

pub(crate) fn append(path: &str, text: &str) -> Value {
    json!({"append": {"path": path, "text": text}})
}

pub(crate) fn reply(value: Value) -> Value {
    json!({"reply": {"json": value}})
}

pub(crate) fn researched() -> Value {
    let findings = ["test.sh:1 runs tests/", "lib/ holds the parts", "no part is there yet"];
    reply(json!({
        "key_findings": findings, "recommended_approach": "One file a part.",
        "risks": [], "open_questions": []
    }))
}

pub(crate) fn planned() -> Value {
    reply(json!({
        "plans_created": 1, "waves": 1, "total_tasks": 1, "complexity": "simple",
        "dependencies": [], "concerns": []
    }))
}

/// A plan check that finds nothing.
pub(crate) fn plan_checked() -> Value {
    reply(json!({
        "pass": true, "confidence": 9, "issues": [], "blocker_count": 0, "warning_count": 0
    }))
}

pub(crate) fn executed(task: &str) -> Value {
    reply(json!({
        "tasks_completed": "1/1", "tasks_failed": "0/1", "deviations": [],
        "evidence": [{
            "task_id": task, "criteria_met": ["it works -- lib:1 -- there"],
            "commands_run": ["sh test.sh -> passed"]
        }]
    }))
}

pub(crate) fn debugged() -> Value {
    reply(json!({
        "fixed": true, "changes": ["lib -- mended"], "remaining_issues": [],
        "failure_categories": []
    }))
}

fn verification() -> Value {
    json!({
        "pass": true, "automated_checks": {"test": true}, "failures": [], "scope_creep": [],
        "criteria_results": [{"criterion": "the part is there", "status": "verified", "evidence": "seen"}],
        "commands_run": ["sh test.sh -> passed"]
    })
}

/// `deficiency` is what keeps the score down, and what a remediation works on.
fn rating(score: f64, deficiency: Option<&str>) -> Value {
    let mut entry = json!({
        "criterion": "the part is there", "score": score, "evidence": "seen",
        "justification": "as asked", "file": "lib/part"
    });
    if let Some(deficiency) = deficiency {
        entry["deficiency"] = json!(deficiency);
    }
    json!({"scorecard": [entry]})
}

pub(crate) fn reviewed(score: f64, deficiency: Option<&str>) -> Value {
    reply(json!({"verification": verification(), "rating": rating(score, deficiency)}))
}

/// A planner's plan with one task.
pub(crate) fn plan(phase: u32, folder: &str, name: &str, check: &str, attributes: &str) -> Value {
    let path = format!(".planning/phases/{folder}/{phase:02}-01-PLAN.md");
    write(&path, &plan_text(phase, folder, &[(name, check, attributes)]))
}

pub(crate) fn plan_text(phase: u32, folder: &str, tasks: &[(&str, &str, &str)]) -> String {
    let mut text = format!(
        "---\nphase: {folder}\nplan: 01\ntype: execute\nwave: 1\ndepends_on: []\n\
         files_modified: [lib/{phase}]\nautonomous: true\n---\n\n<tasks>\n"
    );
    for (name, check, attributes) in tasks {
        text.push_str(&format!(
            "\n<task type=\"auto\"{attributes}>\n  <name>{name}</name>\n  <files>lib/{phase}</files>\n  \
             <action>Write it to lib/ and a test to tests/.</action>\n  \
             <verify>\n    <automated>{check}</automated>\n  </verify>\n  \
             <done>The check is green.</done>\n</task>\n"
        ));
    }
    text.push_str("\n</tasks>\n");
    text
}

/// The parts of all five phases.
pub(crate) fn sample() -> String {
    let mut entries = full_depth();
    entries.extend(red_candidate());
    entries.extend(falls_short());
    entries.extend(liar());
    entries.extend(users_plan());
    script(entries)
}

/// Research and plan of a phase whose plan has one task.
fn prepared(phase: u32, folder: &str, name: &str, attributes: &str) -> Vec<Value> {
    let id = phase.to_string();
    let research = format!(".planning/phases/{folder}/RESEARCH.md");
    let check = format!("test -s lib/{phase}");
    vec![
        entry(
            &id,
            "research",
            None,
            1,
            vec![write(&research, "# Found\n\nlib/ is empty.\n"), researched()],
        ),
        entry(&id, "plan", None, 1, vec![plan(phase, folder, name, &check, attributes), planned()]),
    ]
}

/// Phase 1 has a criterion that only people can judge, so everybody looks at it.
fn full_depth() -> Vec<Value> {
    let checked = reply(json!({
        "pass": true, "confidence": 9.0, "issues": [], "blocker_count": 0, "warning_count": 0
    }));
    let mut entries = prepared(1, "01-base", "Lay the base", "");
    let work = vec![
        write("lib/1", "base\n"),
        write("tests/1.sh", "grep -q base lib/1\n"),
        executed("1-01-1"),
    ];
    entries.extend([
        entry("1", "plan_check", None, 1, vec![checked]),
        entry("1", "execute", Some("1-01-1"), 1, work),
    ]);
    entries.extend(looked_at("1"));
    entries
}

/// Everybody who looks at a phase in full depth, and is content.
pub(crate) fn looked_at(phase: &str) -> Vec<Value> {
    let judged = |agrees: Option<bool>| {
        let mut said = json!({
            "recommendation": "proceed", "concerns": [], "independent_evidence": ["lib/1:1 is there"],
            "missing_requirements": []
        });
        if let Some(agrees) = agrees {
            said["verifier_agreement"] = json!(agrees);
            said["verifier_missed"] = json!([]);
        }
        reply(said)
    };
    vec![
        entry(phase, "verify", None, 1, vec![reply(verification())]),
        entry(phase, "judge", None, 1, vec![judged(None)]),
        entry(phase, "judge_divergence", None, 1, vec![judged(Some(true))]),
        entry(phase, "rate", None, 1, vec![reply(rating(9.5, None))]),
    ]
}

/// The return of a delegate that names these tasks, each with a file, and is proud of them.
pub(crate) fn delegated(phase: &str, tasks: &[(&str, &str)]) -> Value {
    let named: Vec<Value> = tasks
        .iter()
        .map(|(name, file)| json!({"task_id": name, "name": name, "files": [file, "../../etc/passwd"]}))
        .collect();
    reply(json!({
        "phase": phase, "status": "completed", "alignment_score": 9.9,
        "tasks_completed": "2/2", "tasks_failed": "0/2", "tasks": named,
        "automated_checks": {"test": true}, "issues": [], "recommendation": "proceed",
        "summary": "All is well, as I saw myself.",
        "evidence": {"files_checked": [], "commands_run": ["sh test.sh -> passed"]},
        "verifier": verification(), "rater": rating(9.9, None)
    }))
}

/// The task of phase 2 is test-driven, so its red test is seen only at the candidate.
fn red_candidate() -> Vec<Value> {
    let mut entries = prepared(2, "02-left", "Go left", " tdd=\"true\"");
    let work = vec![
        write("lib/2", "lefd\n"),
        write("tests/2.sh", "grep -q left lib/2\n"),
        executed("2-01-1"),
    ];
    let mended = vec![write("lib/2", "left\n"), debugged()];
    entries.extend([
        entry("2", "execute", Some("2-01-1"), 1, work),
        entry("2", "debug", Some("debug-1"), 1, mended),
        entry("2", "review", None, 1, vec![reviewed(9.3, None)]),
    ]);
    entries
}

/// Phase 3 is rated 8.4 with a finding, and better once that is mended.
fn falls_short() -> Vec<Value> {
    let mut entries = prepared(3, "03-right", "Go right", "");
    let work = vec![
        write("lib/3", "right\n"),
        write("tests/3.sh", "grep -q right lib/3\n"),
        executed("3-01-1"),
    ];
    let refined = vec![append("lib/3", "and back\n"), executed("remediation-1")];
    entries.extend([
        entry("3", "execute", Some("3-01-1"), 1, work),
        entry("3", "review", None, 1, vec![reviewed(8.4, Some("there is no way back"))]),
        entry("3", "execute", Some("remediation-1"), 1, refined),
        entry("3", "review", None, 2, vec![reviewed(9.4, None)]),
    ]);
    entries
}

/// In phase 4 the agent says that all is well while its check is red.
fn liar() -> Vec<Value> {
    let mut entries = prepared(4, "04-join", "Join them", "");
    let lie = vec![write("tests/4.sh", "grep -q joined lib/4\n"), executed("4-01-1")];
    let honest = vec![write("lib/4", "joined\n"), executed("4-01-1")];
    entries.extend([
        entry("4", "execute", Some("4-01-1"), 1, lie),
        entry("4", "execute", Some("4-01-1"), 2, honest),
        entry("4", "review", None, 1, vec![reviewed(9.2, None)]),
    ]);
    entries
}

/// The plan of phase 5 is the user's. Its second task grows with its repair, is given up and put back; debugging does it.
fn users_plan() -> Vec<Value> {
    let first = vec![
        write("lib/5", "top\n"),
        write("tests/5.sh", "grep -q top lib/5\n"),
        executed("5-01-1"),
    ];
    let wrong = vec![write("lib/flag", "pink\n"), executed("5-01-2")];
    let worse = vec![write("lib/flag", "pink\nand\nmore\nof it\n"), executed("5-01-2")];
    let mended = vec![write("lib/flag", "red\n"), debugged()];
    vec![
        entry("5", "execute", Some("5-01-1"), 1, first),
        entry("5", "execute", Some("5-01-2"), 1, wrong),
        entry("5", "execute", Some("5-01-2"), 2, worse),
        entry("5", "debug", Some("debug-1"), 1, mended),
        entry("5", "review", None, 1, vec![reviewed(9.1, None)]),
    ]
}
