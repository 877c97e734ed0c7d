//! Work that nothing has looked at is not proven: tests that hold without it, and checks whose filter fits no test. With cargo's own
//! tests, because how a runner tells that it ran none is its own.

use std::time::Duration;

use autopilot_testkit::built_command::Ended;
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::Value;

use super::project::Project;
use super::proof;
use super::real_projects::of_rustup;
use super::script::{self, append, debugged, entry, executed, planned, reviewed, write};

const MANIFEST: &str = "[package]\nname = \"degrees\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
const LOCK: &str = "version = 4\n\n[[package]]\nname = \"degrees\"\nversion = \"0.1.0\"\n";
const CODE: &str = "pub fn to_fahrenheit(celsius: f64) -> f64 {\n    celsius * 1.8 + 32.0\n}\n";
const TESTS: &str =
    "#[test]\nfn water_freezes() {\n    assert_eq!(degrees::to_fahrenheit(0.0), 32.0);\n}\n";
const KELVIN: &str = "\npub fn to_kelvin(celsius: f64) -> f64 {\n    celsius + 273.15\n}\n";
const KELVIN_TEST: &str = "\n#[test]\nfn kelvin_counts_from_absolute_zero() {\n    assert_eq!(degrees::to_kelvin(0.0), 273.15);\n}\n";

/// Compiling takes its time, most of all beside other tests.
const TIME_MAX: Duration = Duration::from_secs(240);
const TASK: &str = "Add to_kelvin";
const FOLDER: &str = "DO-1-add-to-kelvin";

/// What comes of the task when its plan has this check and its worker does this.
fn done(check: &str, work: Vec<Value>) -> Ended {
    of_done(check, work).1
}

/// The same, and the project it is in.
fn of_done(check: &str, work: Vec<Value>) -> (Project, Ended) {
    let files = TemporaryProject::named("degrees")
        .and_then(|it| it.file("Cargo.toml", MANIFEST))
        .and_then(|it| it.file("Cargo.lock", LOCK))
        .and_then(|it| it.file(".gitignore", "/target\n"))
        .and_then(|it| it.file("src/lib.rs", CODE))
        .and_then(|it| it.file("tests/degrees.rs", TESTS))
        .unwrap();
    let plan = script::plan_text(1, FOLDER, &[("Add it", check, "")]);
    let plan = write(&format!(".planning/phases/{FOLDER}/DO-1-01-PLAN.md"), &plan);
    let work: Vec<Value> = work.into_iter().chain([executed("DO-1-01-1")]).collect();
    let mut entries = vec![
        entry("DO-1", "plan", None, 1, vec![plan, planned()]),
        entry("DO-1", "review", None, 1, vec![reviewed(9.5, None)]),
    ];
    // Whoever is sent back does the same again, until nobody asks any more.
    for round in 1..=4 {
        entries.push(entry("DO-1", "execute", None, round, work.clone()));
        entries.push(entry("DO-1", "debug", None, round, vec![debugged()]));
    }
    let project = Project::committed(files, &script::script(entries));
    let script = project.around().join("script.json");
    let project = project
        .variable("AUTOPILOT_AGENT", "scripted")
        .variable("AUTOPILOT_SCRIPT", script.to_str().unwrap())
        .variable("AUTOPILOT_MIN_PHASE_TIME", "0")
        .variable("AUTOPILOT_MIN_VERIFY_TIME", "0");
    let project = of_rustup().iter().fold(project, |it, (name, value)| it.variable(name, value));
    let ended = project.command().time_max(TIME_MAX).run(&["do", TASK]).unwrap();
    (project, ended)
}

#[test]
fn a_test_that_the_work_brings_is_red_before_it_and_proves_it() {
    let work = vec![append("src/lib.rs", KELVIN), append("tests/degrees.rs", KELVIN_TEST)];
    let ended = done("cargo test kelvin", work);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("criterion 1 NO TEST RAN"), "before the work: {ended:?}");
    assert!(ended.stdout.contains("(1 proven)"), "{ended:?}");
}

#[test]
fn a_check_whose_test_nobody_wrote_is_not_green() {
    let ended = done("cargo test kelvin", vec![append("src/lib.rs", "// to_kelvin\n")]);
    assert_ne!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("task check 1 NO TEST RAN"), "{ended:?}");
    assert!(!ended.stdout.contains("proven, 9.5"), "{ended:?}");
}

#[test]
fn tests_that_hold_without_the_work_do_not_prove_it() {
    let (project, ended) = of_done("cargo test", vec![append("src/lib.rs", "// to_kelvin\n")]);
    assert_eq!(ended.code, 5, "{ended:?}");
    let without = "without the code of the phase, where it has to fail: test PASS";
    assert!(ended.stdout.contains(without), "{ended:?}");
    assert!(ended.stdout.contains("passed, judged only"), "{ended:?}");
    let why = "NOT PROVEN - it passed as judged only: nothing that is measured looks at the work";
    prove(&project, 5, &[why]);
}

#[test]
fn tests_that_fail_without_the_work_prove_it() {
    let work = vec![append("src/lib.rs", KELVIN), append("tests/degrees.rs", KELVIN_TEST)];
    let (project, ended) = of_done("cargo test", work);
    assert_eq!(ended.code, 0, "{ended:?}");
    let without = "without the code of the phase, where it has to fail: test FAIL";
    assert!(ended.stdout.contains(without), "{ended:?}");
    assert!(ended.stdout.contains("passed, proven"), "{ended:?}");
    let without = "without the code of the phase, where it has to fail: test FAIL cargo test";
    prove(&project, 0, &["Criterion 1 held before the work too: Add it", without]);
    taken_back(&project);
    let why = "FALSE - the code of the phase is as it was before the work: src/lib.rs";
    prove(&project, 1, &[why]);
    let receipt = project.root().join(".autopilot/receipts/DO-1.json");
    let text = std::fs::read_to_string(&receipt).unwrap();
    assert!(text.contains("\"src/lib.rs\""), "{text}");
}

/// On the branch of the run: the code as it was, and a test in the place of the new one that asks for nothing new.
fn taken_back(project: &Project) {
    let branch = proof::branch(project);
    project.git(&["checkout", "--quiet", branch.strip_prefix("refs/heads/").unwrap()]);
    let test = KELVIN_TEST.replace("degrees::to_kelvin(0.0), 273.15", "1.0 + 1.0, 2.0");
    std::fs::write(project.root().join("src/lib.rs"), CODE).unwrap();
    std::fs::write(project.root().join("tests/degrees.rs"), format!("{TESTS}{test}")).unwrap();
    project.git(&["commit", "--quiet", "--all", "-m", "taken back"]);
}

/// What `prove` says of the task, on the branch it was done on.
fn prove(project: &Project, code: i32, words: &[&str]) {
    let branch = proof::branch(project);
    let arguments = ["prove", "DO-1", "--at", &branch];
    let ended = project.command().time_max(TIME_MAX).run(&arguments).unwrap();
    assert_eq!(ended.code, code, "{ended:?}");
    let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.iter().all(|words| text.contains(words)), "{text}");
}
