//! `--json`: one document, the promised fields, and a schema that describes them.

use serde_json::{Value, json};

use super::{autopilot, shop};

fn document(arguments: &[&str]) -> (Value, i32) {
    let project = shop();
    let ended = autopilot(project.root()).run(arguments).unwrap();
    (serde_json::from_str(&ended.stdout).unwrap(), ended.code)
}

#[test]
fn plan_is_one_document_with_the_promised_fields() {
    let (plan, code) = document(&["plan", "--json"]);
    assert_eq!(code, 0);
    assert_eq!(plan["spec"]["path"], ".planning/ROADMAP.md");
    assert!(plan["spec"]["hash"].as_str().unwrap().starts_with("sha256:"));
    assert_eq!(
        plan["commands"],
        json!({ "compile": null, "test": "make test", "lint": null, "build": null, "source": "Makefile" })
    );
    let ids: Vec<&str> = plan["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|phase| phase["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["1", "2", "2.1", "3", "4", "999.1"]);
    assert_eq!(plan["order"], json!(["2", "2.1", "3", "4"]));
    assert_eq!(plan["waves"], json!([["2", "3"], ["2.1"], ["4"]]));
    assert_eq!(plan["blocks"], json!({ "2": ["2.1", "4"], "2.1": ["4"], "3": ["4"], "4": [] }));
    let login = &plan["phases"][1];
    assert_eq!(login["goal"], "People have accounts");
    assert_eq!(login["depends_on"], json!(["1"]));
    assert_eq!(login["requirements"], json!(["AUTH-01"]));
    assert_eq!(
        login["criteria"],
        json!([{ "text": "A wrong password is refused", "command": "make test-login" }, { "text": "It feels quick" }])
    );
    assert_eq!(
        (&login["status"], &login["file"], &login["line"]),
        (&json!("not_started"), &json!(".planning/ROADMAP.md"), &json!(17))
    );
    assert_eq!(login["estimate_tokens"], 240_000);
    assert_eq!(plan["phases"][0]["status"], "completed");
    let findings = plan["findings"].as_array().unwrap();
    assert!(
        findings
            .iter()
            .all(|finding| finding["severity"].is_string() && finding["message"].is_string())
    );
    assert!(
        findings
            .iter()
            .any(|finding| finding["message"].as_str().unwrap().contains("when the moon is full"))
    );
}

#[test]
fn status_is_one_document_with_the_promised_fields() {
    let (status, code) = document(&["status", "--json"]);
    assert_eq!(code, 0);
    assert_eq!(
        status["phases"][0],
        json!({ "id": "1", "name": "Storage", "status": "completed", "score": null })
    );
    assert_eq!(
        (&status["next"], &status["percent"], &status["run"]),
        (&json!("2"), &json!(20), &Value::Null)
    );
}

#[test]
fn errors_are_documents_too() {
    for arguments in [
        &["plan", "--json", "42"][..],
        &["plan", "--json", "--forse"],
        &["plan", "x", "--json"],
        &["status", "--json", "-C", "no"],
        &["plan", "--json", "--graph"],
    ] {
        let (error, code) = document(arguments);
        assert_eq!(code, 2, "{arguments:?}");
        assert_eq!(
            (&error["error"]["kind"], &error["error"]["exit_code"]),
            (&json!("usage"), &json!(2)),
            "{arguments:?}"
        );
    }
}

/// Every field a document has is in its schema, and every field the schema asks for is in the document.
pub(super) fn conforms(value: &Value, schema: &Value, root: &Value, path: &str) {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => root.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        if !value.is_null() && schema["properties"].is_null() {
            let fitting = choices.iter().find(|choice| choice["type"] != "null").unwrap();
            if value.is_object() {
                conforms(value, fitting, root, path);
            }
        }
        return;
    }
    match value {
        Value::Object(fields) if !schema["properties"].is_null() => {
            for (name, value) in fields {
                let known = &schema["properties"][name];
                assert!(!known.is_null(), "{path}.{name} is not in the schema");
                conforms(value, known, root, &format!("{path}.{name}"));
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(fields.contains_key(name.as_str().unwrap()), "{path} lacks {name}");
            }
        }
        Value::Array(items) => {
            items.iter().for_each(|item| conforms(item, &schema["items"], root, path))
        }
        _ => {}
    }
}

#[test]
fn documents_conform_to_their_schemas() {
    for (name, arguments) in [
        ("plan", &["plan", "--json"][..]),
        ("status", &["status", "--json"]),
        ("error", &["plan", "--json", "42"]),
    ] {
        let (schema, code) = document(&["schema", name]);
        assert_eq!(code, 0);
        conforms(&document(arguments).0, &schema, &schema, name);
        insta::assert_snapshot!(
            format!("schema_{name}"),
            serde_json::to_string_pretty(&schema).unwrap()
        );
    }
    for name in [
        "config",
        "doctor",
        "init",
        "new",
        "prove",
        "merge",
        "rollback",
        "worktrees",
        "worktrees-clean",
        "replay",
        "trace",
        "post-mortem",
        "metrics",
    ] {
        insta::assert_snapshot!(
            format!("schema_{name}"),
            serde_json::to_string_pretty(&document(&["schema", name]).0).unwrap()
        );
    }
}

#[test]
fn completions_are_scripts() {
    let project = shop();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = autopilot(project.root()).run(&["completions", shell]).unwrap();
        assert!(ended.code == 0 && ended.stdout.contains("autopilot"), "{shell}");
    }
}
