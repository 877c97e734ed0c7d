//! That the scripted model is one for the real programs: a tool call that does something, a last word, and usage as served.

use autopilot_testkit::model_server::{
    AnsweredBy, ModelServer, Recorded, Script, Step, Usage, Wire,
};

use serde_json::{Value, json};

use super::bare::{Place, Told};

const FIRST: Usage = Usage { input: 1_000, output: 50, cache_read: 0, cache_write: 200 };
const SECOND: Usage = Usage { input: 1_100, output: 70, cache_read: 300, cache_write: 0 };

/// Two turns: a file is written, and something is said about it. The place is asked about after the agent's end.
fn two_turns(wire: Wire, work: impl FnOnce(&Place, &str) -> Told) -> Told {
    let place = Place::new();
    let file = place.work().join("made/hello.txt");
    let script = Script::new()
        .step(Step::text("I write it.").writes("made/hello.txt", "made by a script\n").usage(FIRST))
        .step(Step::text("It is written.").usage(SECOND));
    let server = ModelServer::start(script).unwrap();
    let told = work(&place, &server.url());
    let shown = || format!("{}\n{:#?}", told.shown(), short(&server.requests()));
    assert!(told.finished.succeeded(), "{}", shown());
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, "made by a script\n", "{}", shown());
    let requests = server.requests();
    let of_script: Vec<&Recorded> =
        requests.iter().filter(|one| matches!(one.by, AnsweredBy::Step(_))).collect();
    assert_eq!(of_script.len(), 2, "{}", shown());
    assert_eq!(of_script[0].request.wire(), Some(wire));
    assert_eq!((of_script[0].request.turns(), of_script[1].request.turns()), (0, 1));
    assert!(of_script[0].request.prompt().contains("make hello.txt"));
    assert!(of_script[1].request.last_tool_result().is_some());
    assert_eq!(server.served(), (FIRST + SECOND).told_by(wire));
    place.assert_no_process_left();
    told
}

fn short(requests: &[Recorded]) -> Vec<String> {
    requests
        .iter()
        .map(|one| format!("{} {:?} {:?}", one.request.path, one.by, one.ending))
        .collect()
}

#[test]
fn claude_writes_a_file_and_tells_what_was_served() {
    let told =
        two_turns(Wire::AnthropicMessages, |place, url| place.claude(url, "make hello.txt", &[]));
    let result = told.last("result");
    assert_eq!(result["result"], "It is written.");
    let usage = &result["usage"];
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&2_100.into(), &120.into()));
    let caches = (&usage["cache_read_input_tokens"], &usage["cache_creation_input_tokens"]);
    assert_eq!(caches, (&300.into(), &200.into()));
}

#[test]
fn codex_writes_a_file_and_tells_what_was_served() {
    let told =
        two_turns(Wire::OpenAiResponses, |place, url| place.codex(url, "make hello.txt", &[]));
    let usage = &told.last("turn.completed")["usage"];
    // Its input has the caches in it.
    assert_eq!(usage["input_tokens"], 2_100 + 300 + 200, "{usage}");
    assert_eq!(
        (&usage["cached_input_tokens"], &usage["output_tokens"]),
        (&300.into(), &120.into())
    );
    assert_eq!(usage["cache_write_input_tokens"], 200, "{usage}");
}

#[test]
fn gemini_writes_a_file_and_tells_what_was_served() {
    let told = two_turns(Wire::Gemini, |place, url| place.gemini(url, "make hello.txt", &[]));
    let stats = &told.last("result")["stats"];
    assert_eq!(stats["input_tokens"], 2_100 + 200 + 300, "{stats}");
    assert_eq!((&stats["output_tokens"], &stats["cached"]), (&120.into(), &300.into()), "{stats}");
}

fn schema() -> String {
    let done = json!({"type": "boolean"});
    let schema = json!({
        "type": "object", "properties": {"done": done}, "required": ["done"],
        "additionalProperties": false,
    });
    schema.to_string()
}

#[test]
fn claude_and_codex_take_an_answer_to_a_schema() {
    let answer = json!({"done": true});
    let place = Place::new();
    let script = || Script::new().step(Step::structured(json!({"done": true})));
    let server = ModelServer::start(script()).unwrap();
    let told = place.claude(&server.url(), "answer", &["--json-schema", &schema()]);
    assert_eq!(told.last("result")["structured_output"], answer, "{}", told.shown());
    assert_eq!(short(&server.requests()).len(), 1, "{:?}", short(&server.requests()));
    let file = place.work().join("schema.json");
    std::fs::write(&file, schema()).unwrap();
    let server = ModelServer::start(script()).unwrap();
    let file = file.display().to_string();
    let told = place.codex(&server.url(), "answer", &["--output-schema", &file]);
    let said = told.last("item.completed")["item"]["text"].as_str().unwrap_or_default();
    assert_eq!(serde_json::from_str::<Value>(said).ok(), Some(answer), "{}", told.shown());
}

#[test]
fn a_function_of_the_request_can_play_the_whole_model() {
    let script = || {
        Script::new().choose(|request| {
            // Some put words of their own into what the person says, so the place has marks nobody else uses.
            let file = request.prompt().split("%%").nth(1)?.to_string();
            match request.turns() {
                0 => Some(Step::silent().runs(format!("echo by command > {file}"))),
                1 => Some(Step::text("Ran.").usage(SECOND)),
                _ => None,
            }
        })
    };
    for name in ["claude", "codex", "gemini"] {
        let place = Place::new();
        let file = place.work().join("made.txt");
        let prompt = format!("write %%{}%%", file.display());
        let server = ModelServer::start(script()).unwrap();
        let told = match name {
            "claude" => place.claude(&server.url(), &prompt, &["--allowedTools", "Bash(echo *)"]),
            "codex" => place.codex(&server.url(), &prompt, &[]),
            _ => place.gemini(&server.url(), &prompt, &[]),
        };
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let shown = || format!("{name}: {}\n{:?}", told.shown(), short(&server.requests()));
        assert_eq!(text, "by command\n", "{}", shown());
        let by: Vec<AnsweredBy> = server.requests().iter().map(|one| one.by).collect();
        assert_eq!(by, [AnsweredBy::Choice; 2], "{}", shown());
    }
}
