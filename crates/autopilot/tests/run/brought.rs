//! A project without any check, whose first phase brings its tests: they are measured with the code of the phase and without it.

use autopilot_testkit::temporary_project::TemporaryProject;

use super::project::Project;
use super::script::{entry, executed, plan_text, reviewed, script, write};

const ROADMAP: &str = "# Roadmap: Sum

### Phase 1: Sums
**Goal**: Sums are right
**Success Criteria**:
  1. Two numbers are added
";
const CONFIG: &str = r#"{"autopilot": {"agent": "scripted", "script": "../script.json",
  "depth": "lean", "min_phase_time": 0, "min_verify_time": 0}}
"#;
const PACKAGE: &str = "{\"name\": \"sum\", \"scripts\": {\"test\": \"node --test\"}}\n";
const CODE: &str = "module.exports = (a, b) => a + b;\n";

/// The project, when its phase has brought these tests.
fn brought(tests: &str) -> (Project, autopilot_testkit::built_command::Ended) {
    let plan = plan_text(1, "01-sums", &[("Add numbers", "test -e src/add.js", "")]);
    let project = TemporaryProject::named("sum")
        .and_then(|it| it.file(".planning/ROADMAP.md", ROADMAP))
        .and_then(|it| it.file(".planning/config.json", CONFIG))
        .and_then(|it| it.file(".planning/phases/01-sums/01-01-PLAN.md", plan))
        .unwrap();
    let work = vec![
        write("package.json", PACKAGE),
        write("src/add.js", CODE),
        write("test/add.test.js", tests),
        executed("1-01-1"),
    ];
    let entries = vec![
        entry("1", "execute", Some("1-01-1"), 1, work),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ];
    let project = Project::committed(project, &script(entries));
    let ended = project.run(&["run", "--complete"]);
    (project, ended)
}

fn test(body: &str) -> String {
    format!(
        "const test = require('node:test');\nconst assert = require('node:assert');\n\
         test('two numbers are added', () => {{ {body} }});\n"
    )
}

#[test]
fn the_first_tests_of_a_project_are_proof_when_they_need_its_code() {
    let (_, ended) = brought(&test("assert.strictEqual(require('../src/add.js')(1, 2), 3);"));
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("of the checks that the phase brought: test PASS"), "{ended:?}");
    assert!(
        ended.stdout.contains("without the code of the phase, where it has to fail: test FAIL"),
        "{ended:?}"
    );
}

#[test]
fn tests_that_hold_without_the_code_prove_nothing() {
    let (_, ended) = brought(&test("const sum = [1, 2].length + 1; assert.strictEqual(sum, 3);"));
    assert_eq!(ended.code, 5, "{ended:?}");
    assert!(
        ended.stdout.contains("without the code of the phase, where it has to fail: test PASS"),
        "{ended:?}"
    );
}

#[test]
fn tests_that_the_phase_brings_and_that_are_red_turn_it_back() {
    let (_, ended) = brought(&test("assert.strictEqual(require('../src/add.js')(1, 2), 4);"));
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("of the checks that the phase brought: test FAIL"), "{ended:?}");
}
