//! That the scripted model is one for the real programs: a tool call that does something, a last word, and usage as served.

use autopilot_testkit::model_server::{
    AnsweredBy, ModelServer, Recorded, Script, Step, Usage, Wire,
};

use super::bare::{Place, Told};

const FIRST: Usage = Usage { input: 1_000, output: 50, cache_read: 0, cache_write: 200 };
const SECOND: Usage = Usage { input: 1_100, output: 70, cache_read: 300, cache_write: 0 };

/// Two turns: a file is written, and something is said about it. The place is asked about after the agent's end.
fn two_turns(wire: Wire, work: impl FnOnce(&Place, &str) -> Told) -> Told {
    let place = Place::new();
    let file = place.work().join("hello.txt");
    let written = file.display().to_string();
    let script = Script::new()
        .step(Step::text("I write it.").writes(written, "made by a script\n").usage(FIRST))
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
    assert_eq!(place.processes_left(), Vec::<String>::new());
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
