//! A script made of a run, played in a fresh copy of the project: the same work, the same verdicts, the same scores.

use autopilot_core::run::event::{Event, Failure};
use serde_json::{Value, json};

use super::outcome::{Outcome, UsersOwn, assert_same, records, state};
use super::project::Project;
use super::script::{entry, executed, reviewed, write};

/// Runs `project`, makes a script of the run, and plays it in a copy that was made before.
fn played_again(project: &Project, arguments: &[&str], code: i32) -> (Project, Value) {
    let fresh = project.copy();
    let ran = project.run(arguments);
    assert_eq!(ran.code, code, "{ran:?}");
    let recorded = project.run(&["journal", "record"]);
    assert_eq!((recorded.code, recorded.stderr.as_str()), (0, ""), "{recorded:?}");
    std::fs::write(fresh.around().join("script.json"), &recorded.stdout).unwrap();
    let again = fresh.run(&["run", "--complete", "--agent", "scripted"]);
    assert_eq!(again.code, code, "{again:?}\n{}", recorded.stdout);
    (fresh, serde_json::from_str(&recorded.stdout).unwrap())
}

fn outcome(project: &Project, code: i32) -> Outcome {
    Outcome::of(project, &UsersOwn::of(project), code)
}

fn failures(project: &Project) -> Vec<Failure> {
    let of = |event| match event {
        Event::StepFailed { failure, .. } => Some(failure),
        _ => None,
    };
    records(project).1.into_iter().filter_map(|record| of(record.event)).collect()
}

#[test]
fn the_sample_played_from_its_recording_comes_to_the_same() {
    let project = Project::sample();
    let (fresh, script) = played_again(&project, &["run", "--complete"], 0);
    assert_same(&outcome(&fresh, 0), &outcome(&project, 0), "played again");
    assert_eq!(script["recorded"]["agent"], "scripted");
    assert_eq!(script["recorded"]["base"], project.git(&["rev-parse", "main"]).trim());
    assert_eq!(script["entries"].as_array().unwrap().len(), 29);
}

/// Everything a file can be or become.
const ODD: &str = "printf '\\000\\377\\n' > binary; printf 'caf\\351\\n' > latin1; chmod +x test.sh; \
                   mv lib/README lib/GUIDE; ln -s lib/GUIDE link; rm -r old; echo file > old; \
                   rm was-a-link; echo plain > was-a-link; printf 'crlf\\r\\n' > crlf; mkdir -p deep/er; \
                   printf '' > deep/er/empty; echo base > lib/1";

#[test]
fn odd_files_and_failed_tries_come_out_the_same() {
    let run = |command: &str| json!({"run": {"command": command}});
    let execute = |round, actions| entry("1", "execute", Some("1-01-1"), round, actions);
    let crash = vec![
        run("echo half > half-done; echo gone > gone"),
        json!({"complain": {"text": "the network went away"}}),
        json!({"crash": {"exit": 3}}),
    ];
    let review = |round, actions| entry("1", "review", None, round, actions);
    let project = Project::small(vec![
        execute(1, crash),
        execute(2, vec![run(ODD), run("rm gone"), executed("1-01-1")]),
        review(1, vec![json!({"reply": {"text": "Looks fine to me."}})]),
        review(2, vec![reviewed(9.5, None)]),
    ]);
    for (name, text) in [("old/one", "1\n"), ("old/two", "2\n")] {
        std::fs::create_dir_all(project.root().join("old")).unwrap();
        std::fs::write(project.root().join(name), text).unwrap();
    }
    std::os::unix::fs::symlink("/no/such/place", project.root().join("was-a-link")).unwrap();
    project.git(&["add", "--all"]);
    project.git(&["commit", "--quiet", "-m", "more to change"]);
    let (fresh, _) = played_again(&project, &["run", "--complete"], 0);
    let (found, expected) = (outcome(&fresh, 0), outcome(&project, 0));
    assert_eq!(found.branches, expected.branches);
    assert_eq!(found.phases, expected.phases);
    assert_eq!(found.tokens, expected.tokens);
    let (run, _) = records(&fresh);
    let listed = fresh.git(&["ls-tree", "-r", &format!("autopilot/{run}")]);
    for line in ["100755 blob", "120000 blob", "\tbinary", "\tlib/GUIDE", "\told", "\thalf-done"] {
        assert!(listed.contains(line), "{line}: {listed}");
    }
    for gone in ["\tlib/README", "\told/one", "\tgone"] {
        assert!(!listed.contains(gone), "{gone}: {listed}");
    }
    let said = Failure::Crashed { said: "the network went away".to_string() };
    assert_eq!(failures(&fresh)[0], said);
    assert_eq!(failures(&fresh).len(), failures(&project).len());
}

/// Any program can be the agent of the run that is recorded.
#[test]
fn the_run_of_another_agent_is_recorded_and_the_script_still_says_that_it_is_one() {
    let answer =
        |step: &str, reply: Value| format!("{step}) echo '{}';;\n", reply["reply"]["json"]);
    let agent = format!(
        "cat > /dev/null\n[ \"$REQUEST_STEP\" = execute ] && echo base > lib/1\ncase $REQUEST_STEP in\n{}{}esac\n",
        answer("execute", executed("1-01-1")),
        answer("review", reviewed(9.5, None)),
    );
    let project = Project::small(vec![]);
    std::fs::write(project.around().join("agent.sh"), agent).unwrap();
    let settings = json!({"agent_command": ["sh", project.around().join("agent.sh")]});
    let folder = project.around().join(".config/autopilot");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.json"), settings.to_string()).unwrap();
    let (fresh, script) = played_again(&project, &["run", "--complete", "--agent", "command"], 0);
    assert_eq!(script["recorded"]["agent"], "command");
    assert_eq!(outcome(&fresh, 0).branches, outcome(&project, 0).branches);
    let agent = state(&fresh).definition.agent;
    assert_eq!((agent.name.as_str(), agent.model.as_deref()), ("scripted", Some("scripted")));
}

#[test]
fn work_that_is_gone_is_said() {
    let actions = vec![write("lib/1", "base\n"), executed("1-01-1")];
    let project = Project::small(vec![
        entry("1", "execute", Some("1-01-1"), 1, actions),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ]);
    assert_eq!(project.run(&["run"]).code, 0);
    let snapshot = records(&project).1.into_iter().find_map(|record| match record.event {
        Event::StepCompleted { work, .. } => work.changed.map(|changed| changed.snapshot),
        _ => None,
    });
    let snapshot = snapshot.unwrap().to_string();
    let object = project.root().join(".git/objects").join(&snapshot[..2]).join(&snapshot[2..]);
    std::fs::remove_file(object).unwrap();
    let refused = project.run(&["journal", "record"]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.stderr.contains("the run cannot be made a script of"), "{refused:?}");
    assert_eq!(refused.stdout, "");
}
