//! That what the scripted model does wrong is wrong for the real programs too: each ends as an error of its vendor's server makes
//! it end. What autopilot makes of that is tried elsewhere.

use std::time::Duration;

use autopilot_engine::process::Ending;
use autopilot_testkit::model_server::{ModelServer, Script, Step, Trouble, Usage};
use serde_json::{Value, json};

use super::bare::{Place, Told};

const SOON: Duration = Duration::from_secs(60);

/// Meets one fault for as long as the program tries, and gives back what it told about it. Nothing was served.
fn meets(fault: Step, work: impl Fn(&Place, &str) -> Told) -> Told {
    let place = Place::new();
    let server = ModelServer::start(Script::new().step(fault.always())).unwrap();
    let told = work(&place, &server.url());
    assert_eq!(told.finished.ending, Ending::Exited(1), "{}", told.shown());
    assert_eq!(server.served(), Usage::default());
    place.assert_no_process_left();
    told
}

fn troubled(trouble: Trouble) -> Step {
    Step::text("I never end.").trouble(trouble)
}

fn overloaded() -> Trouble {
    Trouble::ErrorEvent { kind: "overloaded_error".into(), message: "too much to do".into() }
}

#[test]
fn claude_takes_every_fault_for_one() {
    let check = |fault: Step, status: Value| {
        let told = meets(fault, |place, url| place.claude(url, "hello", &[]));
        let result = told.last("result");
        let found = (&result["is_error"], &result["terminal_reason"], &result["api_error_status"]);
        assert_eq!(found, (&json!(true), &json!("api_error"), &status), "{}", told.shown());
    };
    check(Step::status(429).header("retry-after", "1"), json!(429));
    check(Step::status(529), json!(529));
    check(Step::status(500), json!(500));
    check(Step::status(401), json!(401));
    check(troubled(Trouble::DroppedBefore), Value::Null);
    check(troubled(Trouble::DroppedInStream), Value::Null);
    check(troubled(Trouble::InvalidJson), Value::Null);
    check(troubled(Trouble::EndsEarly), Value::Null);
    // It asks again without a stream, and is told the same by a status.
    check(troubled(overloaded()), json!(529));
}

#[test]
fn codex_takes_every_fault_for_one() {
    let check = |fault: Step, words: &str| {
        let told = meets(fault, |place, url| place.codex(url, "hello", &[]));
        let said = told.last("turn.failed")["error"]["message"].to_string();
        assert!(said.contains(words), "{words}: {}", told.shown());
    };
    check(Step::status(429), "last status: 429");
    check(Step::status(529), "unexpected status 529");
    check(Step::status(500), "high demand");
    check(Step::status(401), "unexpected status 401");
    check(troubled(Trouble::DroppedBefore), "error sending request");
    check(troubled(Trouble::DroppedInStream), "stream disconnected before completion");
    check(troubled(Trouble::InvalidJson), "stream closed before response.completed");
    check(troubled(Trouble::EndsEarly), "stream closed before response.completed");
    check(troubled(overloaded()), "too much to do");
}

#[test]
fn gemini_takes_a_refused_key_for_one() {
    let place = Place::new();
    let server = ModelServer::start(Script::new().step(Step::status(401).always())).unwrap();
    let told = place.gemini(&server.url(), "hello", &[]);
    // It ends with the status, of which the system keeps the last eight bits.
    assert_eq!(told.finished.ending, Ending::Exited(401 - 256), "{}", told.shown());
    assert_eq!(told.last("result")["status"], "error");
}

#[test]
fn a_silent_model_keeps_a_program_waiting_and_is_left_when_the_server_ends() {
    type Work = fn(&Place, &str) -> Told;
    let claude: Work = |place, url| place.claude(url, "hello", &[]);
    let codex: Work = |place, url| place.codex(url, "hello", &[]);
    for (work, trouble) in [
        (claude, Trouble::SilentInStream),
        (codex, Trouble::SilentBefore),
        (codex, Trouble::PingsInStream),
    ] {
        let place = Place::new();
        let script = Script::new().step(troubled(trouble).always());
        let server = ModelServer::start(script).unwrap();
        let url = server.url();
        let told = std::thread::scope(|scope| {
            let working = scope.spawn(|| work(&place, &url));
            assert!(server.wait_until(SOON, |seen| !seen.is_empty()));
            assert!(!working.is_finished());
            drop(server);
            working.join().unwrap()
        });
        assert_eq!(told.finished.ending, Ending::Exited(1), "{}", told.shown());
        place.assert_no_process_left();
    }
}
