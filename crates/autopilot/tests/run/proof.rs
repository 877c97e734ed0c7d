//! What is green in the agent's tree only is red where it is measured: a real agent process makes its tests pass by something that is
//! not in the commit, sees them pass, and is sent back; then it does the work.

use autopilot_core::run::effect::{Effect, Purpose};
use autopilot_core::run::event::Event;
use autopilot_core::run::measured::{CheckName, Measured};
use serde_json::{Value, json};

use super::outcome::records;
use super::project::Project;
use super::script::{entry, executed, reviewed, write};

/// Passes as long as there is no work, and then where either holds: what the agent brings about, or what an honest one writes.
fn test_of(trick: &str) -> String {
    format!("[ -e lib/1 ] || exit 0\n[ -e lib/honest ] || {trick}\n")
}

fn run(command: &str) -> Value {
    json!({"run": {"command": command}})
}

/// Lets the agent play its trick, in whose tree the test then is green, and be honest when it is sent back.
fn green_only_there(test: &str, trick: &str) -> Project {
    let work = |round, actions| entry("1", "execute", Some("1-01-1"), round, actions);
    let looked = format!("{trick}\nsh test.sh && echo green > lib/seen");
    let project = Project::with_test(
        &test_of(test),
        vec![
            work(1, vec![write("lib/1", "base\n"), run(&looked), executed("1-01-1")]),
            work(2, vec![write("lib/honest", "yes\n"), executed("1-01-1")]),
            entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
        ],
    );
    std::fs::write(project.root().join(".gitignore"), "*.local\ntarget\n").unwrap();
    project.git(&["add", ".gitignore"]);
    project.git(&["commit", "--quiet", "-m", "what is not committed"]);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let seen = project.git(&["show", &format!("{}:lib/seen", branch(&project))]);
    assert_eq!(seen, "green\n", "its own tests had passed");
    let tests = tests_of_the_task(&project);
    assert_eq!(tests, [false, true], "red where it counts, and green once it was done");
    project
}

pub(crate) fn branch(project: &Project) -> String {
    let refs = project.git(&["for-each-ref", "--format=%(refname)", "refs/heads/autopilot"]);
    refs.lines().next().unwrap().to_string()
}

/// Whether the project's test was green after each attempt at the task.
fn tests_of_the_task(project: &Project) -> Vec<bool> {
    let (_, records) = records(project);
    let mut is_of_task = false;
    let mut found = Vec::new();
    for record in records {
        match &record.event {
            Event::StepStarted { effect: Effect::Measure(order), .. } => {
                is_of_task = matches!(order.purpose, Purpose::Task(_));
            }
            Event::EvidenceMeasured { measured, .. } if is_of_task => {
                let is_test = |one: &&Measured| one.check == CheckName::Test;
                found.extend(measured.iter().find(is_test).map(|one| one.result.is_green()));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn an_ignored_file_of_the_agents_is_not_there() {
    green_only_there("[ -e made.local ]", "touch made.local");
}

#[test]
fn what_the_agent_left_in_a_build_cache_is_not_there() {
    green_only_there("[ -e target/made ]", "mkdir -p target; touch target/made");
}

#[test]
fn a_program_that_the_agent_installed_is_not_there() {
    let install = "mkdir -p \"$CARGO_HOME/bin\"; printf 'exit 0' > \"$CARGO_HOME/bin/helper\"";
    green_only_there("sh \"$CARGO_HOME/bin/helper\"", install);
}

#[test]
fn a_variable_that_the_agent_set_is_not_set() {
    green_only_there("[ -n \"$MADE\" ]", "export MADE=1");
}

#[test]
fn a_service_that_the_agent_started_is_not_running() {
    let serve = "import http.server as h; s = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler); \
                 open('lib/port', 'w').write(str(s.server_port)); s.serve_forever()";
    let start = format!(
        "setsid python3 -c \"{serve}\" > /dev/null 2>&1 &\nwhile [ ! -s lib/port ]; do sleep 0.05; done"
    );
    let connect = "python3 -c \"import socket; socket.create_connection(('127.0.0.1', int(open('lib/port').read())), 2)\"";
    green_only_there(connect, &start);
}

#[test]
fn a_check_that_is_red_and_then_green_on_the_same_tree_is_named_flaky() {
    // Outside the tree, which is made anew: the first look makes the second one pass.
    let test = "[ -e lib/1 ] || exit 0\n[ -e \"$TMPDIR/looked\" ] || { touch \"$TMPDIR/looked\"; exit 1; }\n";
    let work = |round, actions| entry("1", "execute", Some("1-01-1"), round, actions);
    let project = Project::with_test(
        test,
        vec![
            work(1, vec![write("lib/1", "base\n"), executed("1-01-1")]),
            entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
        ],
    );
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("test FLAKY"), "{}", ended.stdout);
    let mut reports =
        std::fs::read_dir(project.state()).unwrap().flatten().map(|entry| entry.path());
    // Beside it lies one in another tool's form.
    let report = reports.find(|path| path.to_string_lossy().contains("/completion-20"));
    let report = std::fs::read_to_string(report.unwrap()).unwrap();
    assert!(report.contains("| flaky: red, then green |"), "{report}");
}
