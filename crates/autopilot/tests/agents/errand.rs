//! `autopilot do` with the real Claude Code, in a project without any planning files: from one sentence to a proven commit.

use autopilot_testkit::model_server::{Request, Script, Step};
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::json;

use super::model;
use super::stage::Stage;

const TASK: &str = "Say hello in lib/1";
const FOLDER: &str = ".planning/phases/DO-1-say-hello-in-lib-1";

fn answer(request: &Request) -> Option<Step> {
    let role = model::role(request)?;
    let place = model::folder(request).map(|place| format!("{place}/")).unwrap_or_default();
    let step = match (role.as_str(), request.turns()) {
        ("plan", 0) => {
            let plan = super::stage::PLAN.replace("test -s lib/1", "grep -q hello lib/1");
            Step::text("I plan.").writes(format!("{place}{FOLDER}/DO-1-01-PLAN.md"), &plan)
        }
        ("execute", 0) => Step::text("I write.")
            .writes(format!("{place}lib/1"), "hello\n")
            .writes(format!("{place}tests/one.sh"), "grep -q hello lib/1\n"),
        (role, _) => Step::structured(model::returned(role)?),
    };
    Some(step)
}

#[test]
fn one_sentence_becomes_a_proven_commit_and_no_planning_file() {
    let project = TemporaryProject::named("way")
        .and_then(|it| it.file("Makefile", "test:\n\tsh test.sh\n"))
        .and_then(|it| it.file("test.sh", "true\n"))
        .and_then(|it| it.file("lib/README", "The parts.\n"))
        .unwrap();
    let stage = Stage::plain(Script::new().choose(answer), project);
    let ended = stage.run(&["do", TASK]);
    let shown = stage.shown(&ended);
    assert_eq!(ended.code, 0, "{shown}");
    let requests = stage.server.requests();
    let mut roles: Vec<String> =
        requests.iter().filter_map(|one| model::role(&one.request)).collect();
    roles.dedup();
    assert_eq!(roles, ["plan", "execute", "review"], "{shown}");
    assert!(requests.iter().all(|one| one.request.says(TASK)), "{shown}");
    assert!(ended.stdout.contains("1 proven"), "{shown}");
    assert!(ended.stdout.contains("about $"), "an estimate in money: {shown}");
    assert!(!stage.root().join(".planning").exists());
    assert_eq!(stage.run(&["merge"]).code, 0);
    let work = std::fs::read_to_string(stage.root().join("lib/1")).unwrap();
    assert_eq!(work, "hello\n");
    assert!(!stage.root().join(".planning").exists());
    let criteria = stage.first("criteria_adopted").unwrap_or_default();
    assert_eq!(criteria["criteria"][0]["command"], json!("grep -q hello lib/1"));
}
