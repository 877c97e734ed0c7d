//! The small project with an agent that is a shell script: what the scripted agent cannot play, a script of one's own can.

use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::{Value, json};

use super::misbehaving;
use super::project::Project;
use super::script::{executed, reviewed};

/// Agents that do what `first` says at the first try of their task, and work well at the second. Words between `<<` and `>>` in it are
/// `work` (writes the file) and `answer` (prints the answer).
pub(crate) fn project(first: &str) -> Project {
    let around = TemporaryProject::named("way").unwrap();
    let answer = |action: Value| format!("cat <<'END'\n{}\nEND\n", action["reply"]["json"]);
    let (work, execute) = ("echo base > lib/1", answer(executed("1-01-1")));
    let first = first.replace("<<work>>", work).replace("<<answer>>", &execute);
    let review = answer(reviewed(9.5, None));
    let script = format!(
        "case \"$REQUEST_STEP $REQUEST_ROUND\" in\n'execute 1')\n{first}\n;;\nexecute*)\n{work}\n{execute}\n;;\n*)\n{review}\n;;\nesac\n"
    );
    let path = around.around().join("agent.sh");
    std::fs::write(&path, script).unwrap();
    let config = json!({
        "project": {"commands": {"compile": null, "test": "sh test.sh", "lint": null, "build": null}},
        "autopilot": {
            "agent": "command", "agent_command": ["sh", path.to_str().unwrap()],
            "agent_variables": ["AGENT_KEY"],
            "min_phase_time": 0, "min_verify_time": 0
        }
    });
    Project::small_in(around, &config.to_string(), Vec::new())
}

#[test]
fn an_agent_gets_the_variables_that_are_named_for_it_and_no_others() {
    let looks = "test \"$AGENT_KEY/$OTHER_KEY\" = mine/ || exit 3\n<<work>>\n<<answer>>";
    let project = project(looks).variable("AGENT_KEY", "mine").variable("OTHER_KEY", "not yours");
    misbehaving::ends_with(&project, 0);
    assert_eq!(misbehaving::failures(&project), []);
}
