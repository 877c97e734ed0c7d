//! Scripts of people: all that can be said in one, and the mistakes that are told.

use std::time::Duration;

use serde_json::json;

use super::super::{Script, Step, ToolCall, Trouble, Usage};

#[test]
fn a_file_says_the_same_as_the_builder() {
    let text = r#"{
      "steps": [
        {"text": "I write.", "thinking": "hm", "tools": [{"name": "Write", "input": {"a": 1}}],
         "writes": [{"path": "a", "text": "b"}], "runs": ["ls"],
         "usage": {"input": 1, "output": 2, "cache_read": 3, "cache_write": 4}, "stop_reason": "max_tokens"},
        {"tools": [{"name": "apply_patch", "input": "p", "free_form": true, "namespace": "n"}], "times": 0},
        {"structured": {"done": true}, "when": ["rose"], "unless": ["white"], "times": 3},
        {"status": 429, "error_type": "rate_limit_error", "message": "later", "error_fields": {"code": 1},
         "headers": {"retry-after": "1"}, "delay_seconds": 0.5},
        {"status": 500},
        {"text": "x", "trouble": "silent_in_stream"},
        {"text": "x", "trouble": {"error_event": {"type": "overloaded_error", "message": "m"}}}
      ],
      "otherwise": {"text": "end"}, "beside": {"text": "title"}, "toolless_too": true
    }"#;
    let usage = Usage { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    let patch = ToolCall {
        name: "apply_patch".into(),
        input: json!("p"),
        is_free_form: true,
        namespace: Some("n".into()),
    };
    let overloaded = Trouble::ErrorEvent { kind: "overloaded_error".into(), message: "m".into() };
    let first = Step::text("I write.").thinking("hm").tool("Write", json!({"a": 1}));
    let expected = [
        first.writes("a", "b").runs("ls").usage(usage).stop_reason("max_tokens"),
        Step::silent().call(patch).always(),
        Step::structured(json!({"done": true})).when("rose").unless("white").times(3),
        Step::status(429)
            .error("rate_limit_error", "later")
            .error_fields(json!({"code": 1}))
            .header("retry-after", "1")
            .delay(Duration::from_millis(500)),
        Step::status(500),
        Step::text("x").trouble(Trouble::SilentInStream),
        Step::text("x").trouble(overloaded),
    ];
    let script = Script::from_json(text).unwrap();
    let built = Script::new().steps(expected).toolless_too();
    let built = built.otherwise(Step::text("end")).beside(Step::text("title"));
    assert_eq!(format!("{script:?}"), format!("{built:?}"));
}

#[test]
fn mistakes_are_told() {
    let check = |text: &str, expected: &str| {
        let error = Script::from_json(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    };
    check("[]x", "this is no script");
    check(r#"{"steps": [{"txet": "a"}]}"#, "unknown field `txet`");
    check(r#"{"steps": [{"text": "a", "trouble": "bored"}]}"#, "unknown variant `bored`");
    check(r#"{"steps": [{"text": "a"}, {"status": 429, "text": "a"}]}"#, "step 2 has a status");
    check(r#"{"steps": [{"text": "a", "delay_seconds": -1}]}"#, "step 1 waits -1 seconds");
}

#[test]
fn the_script_in_the_documentation_is_one() {
    let page = include_str!("../../../../docs/model-server.md");
    let script = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    Script::from_json(script).unwrap();
}
