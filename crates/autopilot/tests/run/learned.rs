//! What a run leaves to learn from: post-mortems, rules that reach later phases, diagnostics, traces, and figures over all runs.

use std::path::PathBuf;

use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::{Value, json};

use super::KILLED;
use super::outcome::UsersOwn;
use super::project::Project;
use super::script::{self, entry, executed, planned, researched, reviewed, write};

const ROADMAP: &str = "# Roadmap: Way

### Phase 1: First
**Goal**: There is a first
**Depends on**: Nothing
**Success Criteria**:
  1. It is there -- verified by: `grep -q never lib/1`

### Phase 2: Second
**Goal**: There is a second
**Depends on**: Nothing
**Success Criteria**:
  1. It is there -- verified by: `grep -q right lib/2`

### Phase 3: Third
**Goal**: There is a third
**Depends on**: Phase 1
**Success Criteria**:
  1. It is there -- verified by: `grep -q third lib/3`
";

/// Keeps every prompt, never gets the first phase right, and answers in the form asked for.
const AGENT: &str = r#"cat > "../cache/prompt-$REQUEST_PHASE-$REQUEST_STEP"
case "$REQUEST_PHASE-$REQUEST_STEP" in
  1-execute|1-debug) echo "try $REQUEST_STEP $REQUEST_ROUND $REQUEST_TASK" >> lib/1 ;;
  2-plan) mkdir -p .planning/phases/02-second
    cp "$HOME/plan-2" .planning/phases/02-second/02-01-PLAN.md ;;
  2-execute) echo right > lib/2 ;;
esac
cat "$HOME/reply-$REQUEST_STEP"
"#;

/// Three phases, of which the first cannot be done.
fn three() -> Project {
    let project = TemporaryProject::named("way").unwrap();
    let around = project.around().to_path_buf();
    let agent = around.join("agent.sh");
    std::fs::write(&agent, AGENT).unwrap();
    let second = script::plan_text(2, "02-second", &[("Do it", "test -s lib/2", "")]);
    std::fs::write(around.join("plan-2"), second).unwrap();
    let replies = [
        ("research", researched()),
        ("plan", planned()),
        ("execute", executed("1-01-1")),
        ("debug", script::debugged()),
        ("review", reviewed(9.5, None)),
    ];
    for (step, reply) in replies {
        let text = reply["reply"]["json"].to_string();
        std::fs::write(around.join(format!("reply-{step}")), text).unwrap();
    }
    let config = json!({
        "project": {"commands": {"compile": null, "test": "true", "lint": null, "build": null}},
        "autopilot": {"agent": "command", "agent_command": ["sh", agent]}
    });
    let first = script::plan_text(1, "01-first", &[("Do it", "test -s lib/1", "")]);
    let project = project
        .file(".planning/ROADMAP.md", ROADMAP)
        .and_then(|it| it.file(".planning/config.json", config.to_string()))
        .and_then(|it| it.file(".planning/phases/01-first/01-01-PLAN.md", first))
        .and_then(|it| it.file("lib/README", "The parts.\n"))
        .unwrap();
    Project::committed(project, "{}")
}

fn read(project: &Project, path: &str) -> String {
    let path = project.state().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json_of(project: &Project, path: &str) -> Value {
    serde_json::from_str(&read(project, path)).unwrap()
}

/// Every field is in the schema and every field the schema asks for is there, also in what the schema defines for itself.
fn assert_fits(value: &Value, schema: &Value, root: &Value) {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => root.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    match value {
        Value::Array(items) => {
            items.iter().for_each(|item| assert_fits(item, &schema["items"], root));
        }
        Value::Object(fields) if schema["properties"].is_object() => {
            for (name, field) in fields {
                let known = &schema["properties"][name];
                assert!(!known.is_null(), "{name} is not in the schema");
                assert_fits(field, known, root);
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(fields.contains_key(name.as_str().unwrap()), "{name} is missing");
            }
        }
        _ => {}
    }
}

fn assert_is(name: &str, value: &Value) {
    let schema = autopilot_core::documents::schema(name).unwrap();
    assert_fits(value, &schema, &schema);
}

#[test]
fn a_failed_phase_leaves_a_post_mortem_and_its_rule_reaches_the_next_planner() {
    let project = three();
    let before = UsersOwn::of(&project);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let found = json_of(&project, "diagnostics/phase-1-postmortem.json");
    assert_is("post-mortem", &found);
    assert_eq!(found["root_cause"]["category"], "acceptance_criteria_unmet", "{found:#}");
    assert_eq!(found["attempted_fixes"].as_array().unwrap().len(), 3, "{found:#}");
    assert_eq!(found["attempted_fixes"][0]["remaining"], json!(["criterion 1"]));
    assert!(found["timeline"].as_array().unwrap().len() <= 20);
    let rule = found["prevention_rule"].as_str().unwrap();
    assert!(read(&project, "learnings.md").contains(rule));
    let prompt = |name: &str| std::fs::read_to_string(project.cache().join(name)).unwrap();
    for name in ["prompt-2-plan", "prompt-2-execute"] {
        assert!(prompt(name).contains(rule), "{name}: {}", prompt(name));
    }
    assert!(!prompt("prompt-1-execute").contains("stayed red"), "nothing had failed yet");
    assert!(!prompt("prompt-2-review").contains(rule), "reviewers are not told");
    let path = ".autopilot/diagnostics/phase-1-postmortem.json";
    for command in [&["why"][..], &["logs"]] {
        let said = project.run(command);
        assert!(said.stdout.contains(path), "{said:?}");
    }
    assert!(ended.stdout.contains(path), "{ended:?}");
    let batch = read(&project, "completion-report.md");
    assert!(batch.contains("**Project completion:** 33% (1/3 phases)"), "{batch}");
    assert!(batch.contains("| 3 Third | blocked_by_phase_1 |"), "{batch}");
    assert!(batch.contains("- **Phase 1 failed** -> Blocked: Phase 3 (Third)"), "{batch}");
    assert_eq!(UsersOwn::of(&project), before, "the user's own is untouched");
}

#[test]
fn what_is_missing_is_made_again_by_a_resume_and_an_earlier_runs_rules_are_not() {
    let project = three();
    std::fs::create_dir_all(project.state()).unwrap();
    std::fs::write(project.state().join("learnings.md"), "Never trust a Tuesday.\n").unwrap();
    let halted = project.run(&["run", "all"]);
    assert_eq!(halted.code, 1, "{halted:?}");
    let (post_mortem, learnings) = ("diagnostics/phase-1-postmortem.json", "learnings.md");
    let texts = [post_mortem, learnings].map(|path| read(&project, path));
    assert!(!texts[1].contains("Tuesday") && texts[1].contains("### Phase 1"), "{}", texts[1]);
    let trace = traces(&project, "1").join("TRACE.jsonl");
    let traced = std::fs::read_to_string(&trace).unwrap();
    let files = [project.state().join(post_mortem), project.state().join(learnings), trace.clone()];
    // One alone is missed too, with the traces there that tell of a phase that is over.
    for removed in [&files[..1], &files[1..2], &files[2..], &files[..]] {
        removed.iter().for_each(|path| std::fs::remove_file(path).unwrap());
        let fault = "journal.write.before:1:kill";
        let killed = project.command().variable("AUTOPILOT_FAULT", fault).run(&["resume"]).unwrap();
        assert_eq!(killed.code, KILLED, "{killed:?}");
        assert_eq!([post_mortem, learnings].map(|path| read(&project, path)), texts);
        assert_eq!(std::fs::read_to_string(&trace).unwrap(), traced);
    }
}

/// The traces of a phase of the only run.
fn traces(project: &Project, phase: &str) -> PathBuf {
    let runs = std::fs::read_dir(project.state().join("traces")).unwrap().flatten();
    let run = runs.map(|entry| entry.path()).next().unwrap();
    run.join(format!("phase-{phase}"))
}

#[test]
fn a_phase_below_nine_leaves_a_diagnostic_with_a_way_to_nine_and_every_phase_a_trace() {
    let work = vec![write("lib/1", "base\n"), executed("1-01-1")];
    let project = Project::small(vec![
        entry("1", "execute", Some("1-01-1"), 1, work),
        entry("1", "review", None, 1, vec![reviewed(8.4, Some("The base has no name"))]),
    ]);
    let ended = project.run(&["run", "all", "--lenient"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let text = read(&project, "diagnostics/phase-1-confidence.md");
    let item = "1. **lib/part**: The base has no name -- 8.4 of \"the part is there\" at 9.0 adds 0.60 to the score";
    assert!(text.contains("**Status:** passed\n") && text.contains(item), "{text}");
    let folder = traces(&project, "1");
    let trace = std::fs::read_to_string(folder.join("TRACE.jsonl")).unwrap();
    let spans: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    spans.iter().for_each(|span| assert_is("trace", span));
    let steps: Vec<&str> = spans.iter().map(|span| span["step"].as_str().unwrap()).collect();
    for step in
        ["preflight", "triage", "plan", "execute", "evidence", "review", "merge", "diagnostic"]
    {
        assert!(steps.contains(&step), "{step}: {steps:?}");
        assert!(folder.join(format!("{step}-trace.jsonl")).exists(), "{step}");
    }
    let agents = spans.iter().filter(|span| span["action"] == "agent_spawn");
    assert!(agents.clone().count() == 2 && agents.clone().all(|span| span["tokens"] == 110));
    assert!(!project.state().join("completion-report.md").exists(), "only --complete has one");
}

#[test]
fn two_runs_give_a_trend_and_a_warning_when_it_got_worse() {
    let project = three();
    let first = project.run(&["run", "2"]);
    assert_eq!(first.code, 0, "{first:?}");
    assert!(!first.stdout.contains("against the run before"), "{first:?}");
    let second = project.run(&["run", "1"]);
    assert_eq!(second.code, 1, "{second:?}");
    let warning = "warning: the success rate fell from 100 % to 0 %";
    assert!(second.stdout.contains("against the run before: success -100 points"), "{second:?}");
    assert!(second.stdout.contains(warning), "{second:?}");
    let figures = json_of(&project, "archive/metrics.json");
    assert_is("metrics", &figures);
    let rates: Vec<f64> = figures
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["success_rate"].as_f64().unwrap())
        .collect();
    assert_eq!(rates, [1.0, 0.0]);
    assert_eq!(figures[1]["failure_taxonomy_histogram"], json!({"acceptance_criteria_unmet": 1}));
    let reports = std::fs::read_dir(project.state()).unwrap().flatten();
    let texts =
        reports.filter(|entry| entry.file_name().to_string_lossy().starts_with("completion-"));
    let texts: Vec<String> =
        texts.map(|entry| std::fs::read_to_string(entry.path()).unwrap()).collect();
    assert!(texts.iter().any(|text| text.contains(warning)), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("the first run on record")), "{texts:?}");
}

#[test]
fn figures_that_cannot_be_read_are_kept_aside_and_a_run_given_up_has_figures_too() {
    let project = three();
    std::fs::create_dir_all(project.state().join("archive")).unwrap();
    std::fs::write(project.state().join("archive/metrics.json"), "not ours").unwrap();
    let halted = project.run(&["run", "all"]);
    assert_eq!(halted.code, 1, "{halted:?}");
    let given_up = project.run(&["abandon"]);
    assert_eq!(given_up.code, 0, "{given_up:?}");
    assert_eq!(read(&project, "damaged/metrics.json"), "not ours");
    let figures = json_of(&project, "archive/metrics.json");
    assert_eq!(figures.as_array().unwrap().len(), 1, "{figures:#}");
    assert_eq!(figures[0]["phases_failed"], 1, "{figures:#}");
}
