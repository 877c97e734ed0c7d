//! ROAD-7 and MODEL-1: settings are read, faults are named by path and line, nothing is fatal but broken JSON.

use proptest::prelude::*;

use super::*;

fn findings(text: &str) -> Vec<String> {
    let show = |finding: Finding| {
        format!("{} {} {}", finding.severity.word(), finding.place, finding.message)
    };
    read("config.json", text).1.into_iter().map(show).collect()
}

#[test]
fn what_is_set_is_read() {
    let text = r#"{
  "model_profile": "quality", "commit_docs": false, "workflow": { "research": false },
  "project": { "type": "web", "manifest": "package.json",
    "commands": { "test": "npm test", "lint": null },
    "ui": { "source_dir": "web", "file_extensions": [".tsx"] }, "spec_paths": ["SPEC.md"] },
  "circuit_breaker_config": { "cost_cap_tokens_per_phase": 1000 },
  "autopilot": { "jobs": 2 }
}"#;
    let (config, found) = read("config.json", text);
    assert_eq!(found, []);
    assert_eq!(config.model_profile, ModelProfile::Quality);
    assert_eq!((config.commits_docs, config.has_research), (false, false));
    assert_eq!(config.project.test, Configured::Line("npm test".to_string()));
    assert_eq!(config.project.lint, Configured::None);
    assert_eq!(config.project.build, Configured::Absent);
    assert_eq!(config.project.spec_paths, ["SPEC.md"]);
    assert_eq!(config.breaker.phase_tokens_max, 1000);
    assert_eq!(config.breaker.run_tokens_max, crate::limits::RUN_TOKENS_MAX);
    assert_eq!(config.own["jobs"], 2);
    assert_eq!(config.paths.len(), 12);
}

#[test]
fn faults_are_named_by_path_and_line_and_are_not_fatal() {
    let check = |text: &str, expected: &[&str]| assert_eq!(findings(text), expected, "{text}");
    check("{}", &[]);
    check(
        "{\n \"model_profle\": 1}",
        &[
            "note config.json:2 model_profle is not known to autopilot and is not read (did you mean model_profile?)",
        ],
    );
    check(
        "{\"model_profile\": \"best\"}",
        &[
            "warning config.json:1 model_profile is \"best\" but must be one of quality, balanced, speed, budget, inherit; balanced is used",
        ],
    );
    check(
        "{\"autopilot\": {\n\"job\": 2}}",
        &[
            "warning config.json:2 autopilot.job is no setting of autopilot and is not read (did you mean autopilot.jobs?)",
        ],
    );
    check(
        "{\"autopilot\": {\"jobs\": 0}}",
        &[
            "warning config.json:1 autopilot.jobs is 0 but must be a whole number from 1 on; 1 is used",
        ],
    );
    check(
        "{\"project\": 3}",
        &["warning config.json:1 project is 3 but must be an object; nothing of it is used"],
    );
    check("{\"mode\": \"yolo\", \"git\": {\"a\": 1}, \"workflow\": {\"verifier\": true}}", &[]);
    check(
        "{\"commit_docs\": true,\n\"commit_docs\": false}",
        &["warning config.json:2 commit_docs stands twice; the last one counts"],
    );
}

#[test]
fn broken_json_is_an_error_with_its_line() {
    let found = findings("{\n  \"a\": 1,\n}");
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("error config.json:3 this is not valid JSON"), "{found:?}");
    assert_eq!(findings("[]"), ["error config.json:1 config.json must hold one object, { … }"]);
    assert!(findings("")[0].starts_with("error config.json:1"));
}

#[test]
fn profiles_map_to_models() {
    let check = |word: &str, model: Option<&str>| {
        assert_eq!(ModelProfile::of(word).and_then(ModelProfile::claude_model), model, "{word}");
    };
    check("quality", Some("opus"));
    check("balanced", Some("sonnet"));
    check("speed", Some("haiku"));
    check("budget", Some("haiku"));
    check("inherit", None);
    assert_eq!(Config::default().model_profile, ModelProfile::Balanced);
}

#[test]
fn the_schema_names_every_key() {
    let schema = keys::schema();
    for key in &keys::KEYS {
        let pointer = format!("/properties/{}", key.path.replace('.', "/properties/"));
        assert!(schema.pointer(&pointer).is_some(), "{}", key.path);
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "[\\{\\}\\[\\]:,\"a-c0-9 \n\\\\u]{0,60}") {
        let _ = read("config.json", &text);
    }

    #[test]
    fn any_json_object_is_read_and_every_leaf_is_counted(keys in proptest::collection::btree_set("[a-z\"\\\\\\.é]{1,6}", 0..8)) {
        let value: serde_json::Map<String, Value> = keys.iter().map(|key| (key.clone(), Value::from(1))).collect();
        let (config, found) = read("config.json", &serde_json::to_string_pretty(&value).unwrap());
        prop_assert_eq!(config.paths.len(), keys.len());
        prop_assert!(found.iter().all(|finding| finding.severity < crate::finding::Severity::Error));
    }
}
