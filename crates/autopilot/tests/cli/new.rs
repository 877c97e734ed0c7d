//! `new` with the scripted agent: what is refused before anything is spent, what is asked again, what is written, and that nothing is lost.

use std::fs;
use std::path::Path;

use autopilot_testkit::built_command::{BuiltCommand, Ended};
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::{Value, json};

use super::{PROGRAM, autopilot};

const IDEA: &str = "a command that prints the tides of a harbour";

fn good() -> Value {
    json!({
        "title": "Tides",
        "summary": "A command that prints the tides of a harbour for a day.",
        "decisions": ["Times are those of the harbour, because printed tables do it so"],
        "requirements": [
            {"id": "DATA-01", "text": "The data file is read"},
            {"id": "SHOW-01", "text": "The tides of a day are printed"}
        ],
        "phases": [
            {"number": 1, "name": "Read the data", "goal": "The data file is read once at start.", "depends_on": [],
             "requirements": ["DATA-01"],
             "criteria": [{"text": "A broken row is named with its line", "command": "sh test.sh broken"}]},
            {"number": 2, "name": "Show a day", "goal": "Somebody sees the tides of a day.", "depends_on": [1],
             "requirements": ["SHOW-01"],
             "criteria": [{"text": "The tides stand in the order of their times"}]}
        ]
    })
}

/// Good but for three things.
fn bad() -> Value {
    let mut draft = good();
    draft["phases"][0]["goal"] = json!("TBD");
    draft["phases"][0]["criteria"][0]["command"] = json!("sh test.sh || true");
    draft["phases"][1]["criteria"][0]["text"] = json!("It works well");
    draft
}

fn spend() -> Value {
    json!({"spend": {"input_tokens": 5_200, "output_tokens": 1_800, "usd_micros": 42_000}})
}

fn answers(first: Value, second: Value) -> Vec<Value> {
    let entry = |round: u32, reply: Value| json!({"when": {"step": "draft", "round": round}, "do": [spend(), {"reply": reply}]});
    vec![entry(1, first), entry(2, second)]
}

fn drafts(first: Value, second: Value) -> Vec<Value> {
    answers(json!({ "json": first }), json!({ "json": second }))
}

/// A folder with a Makefile, and an agent that answers like this.
fn stage(entries: &[Value]) -> TemporaryProject {
    let script = json!({ "version": 1, "entries": entries }).to_string();
    let project = TemporaryProject::named("tides")
        .and_then(|project| project.file("Makefile", "test:\n\tsh test.sh\n"))
        .unwrap();
    fs::write(project.around().join("script.json"), script).unwrap();
    project
}

fn command(program: &str, project: &TemporaryProject) -> BuiltCommand {
    let around = project.around().to_str().unwrap();
    BuiltCommand::new(program, project.root())
        .variable("HOME", around)
        .variable("XDG_STATE_HOME", &format!("{around}/state"))
        .variable("GIT_CONFIG_NOSYSTEM", "1")
        .variable("AUTOPILOT_AGENT", "scripted")
        .variable("AUTOPILOT_SCRIPT", &format!("{around}/script.json"))
}

fn new(project: &TemporaryProject, arguments: &[&str]) -> Ended {
    command(PROGRAM, project).run(&[&["new"], arguments].concat()).unwrap()
}

/// At a terminal, with this answer typed.
fn at_terminal(project: &TemporaryProject, answer: &str) -> Ended {
    let line = format!("printf '{answer}' | script -qec '{PROGRAM} new \"{IDEA}\"' /dev/null");
    command("/bin/sh", project).run(&["-c", &line]).unwrap()
}

fn git(project: &TemporaryProject, arguments: &str) -> String {
    let who = "git -c user.name=Tester -c user.email=tester@example.org";
    let ended = command("/bin/sh", project).run(&["-c", &format!("{who} {arguments}")]).unwrap();
    assert_eq!(ended.code, 0, "{arguments}: {}", ended.stderr);
    ended.stdout
}

/// Times and the names made of them are another in every run.
fn redacted(ended: &Ended, project: &TemporaryProject) -> String {
    let shown = ended.shown(project.root());
    let lines = shown.lines().map(|line| {
        let line = match line.split_once(".autopilot/drafts/") {
            Some((before, after)) => {
                let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
                format!("{before}.autopilot/drafts/[TIME]{rest}")
            }
            None => line.to_string(),
        };
        match line.starts_with("spent: ").then(|| line.rsplit_once(", ")).flatten() {
            Some((before, _)) => format!("{before}, [TIME]"),
            None => line,
        }
    });
    lines.map(|line| format!("{line}\n")).collect()
}

fn planning(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join(".planning")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The files of the one draft that was kept.
fn kept(root: &Path) -> Vec<String> {
    let drafts: Vec<_> = fs::read_dir(root.join(".autopilot/drafts")).unwrap().flatten().collect();
    assert_eq!(drafts.len(), 1);
    let mut names: Vec<String> = fs::read_dir(drafts[0].path())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

const FILES: [&str; 4] = ["PROJECT.md", "REQUIREMENTS.md", "ROADMAP.md", "config.json"];

#[test]
fn a_good_draft_is_shown_and_written_and_plan_accepts_it() {
    let project = stage(&drafts(good(), bad()));
    let ended = new(&project, &[IDEA, "--yes"]);
    insta::assert_snapshot!("new_good", redacted(&ended, &project));
    assert_eq!((ended.code, planning(project.root())), (0, FILES.map(String::from).to_vec()));
    let plan = command(PROGRAM, &project).run(&["plan", "--json"]).unwrap();
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    assert_eq!(plan["order"], json!(["1", "2"]));
    let findings = plan["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["severity"] == "note"), "{findings:?}");
    let again = new(&project, &[IDEA, "--yes"]);
    insta::assert_snapshot!("new_existing_roadmap", redacted(&again, &project));
    assert_eq!(again.code, 2);
}

#[test]
fn a_draft_with_faults_is_asked_for_once_more_with_all_of_them() {
    let project = stage(&drafts(bad(), good()));
    let ended = new(&project, &[IDEA, "--yes"]);
    insta::assert_snapshot!(
        "new_mended",
        redacted(&ended, &project).split_once("--- talk").unwrap().1
    );
    assert_eq!((ended.code, planning(project.root()).len()), (0, 4));
    assert!(ended.stdout.contains("spent: 14k tokens, $0.08, in 2 agent runs"), "{}", ended.stdout);
}

#[test]
fn a_second_draft_with_faults_is_not_written_and_not_lost() {
    let project = stage(&drafts(bad(), bad()));
    let ended = new(&project, &[IDEA, "--yes"]);
    insta::assert_snapshot!("new_bad_twice", redacted(&ended, &project));
    assert_eq!((ended.code, planning(project.root())), (5, vec![]));
    let names = kept(project.root());
    for name in ["draft-1.json", "draft-2.json", "ROADMAP.md", "faults.md", "answer-2.jsonl"] {
        assert!(names.iter().any(|it| it == name), "{name} is not among {names:?}");
    }
    let json = new(&project, &[IDEA, "--yes", "--json"]);
    let document: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((json.code, document["faults"].as_array().unwrap().len()), (5, 3));
    assert_eq!((&document["written"], &document["estimate"]), (&json!([]), &Value::Null));
}

#[test]
fn an_answer_that_is_no_draft_twice_is_a_failure_that_says_what_was_spent() {
    let words = json!({"text": "I would rather talk about the weather."});
    let project = stage(&answers(words.clone(), words));
    let ended = new(&project, &[IDEA, "--yes"]);
    insta::assert_snapshot!("new_garbage_twice", redacted(&ended, &project));
    assert_eq!((ended.code, planning(project.root())), (1, vec![]));
}

#[test]
fn each_bad_end_has_its_own_words_and_code() {
    let check = |action: Value, code: i32, words: &str| {
        let project = stage(&[json!({"when": {"step": "draft"}, "do": [spend(), action]})]);
        let ended = new(&project, &[IDEA, "--yes"]);
        assert_eq!(ended.code, code, "{}", ended.stderr);
        let talk = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(talk.contains(words), "{talk}");
        assert!(talk.contains("7k tokens, $0.04 were spent; nothing was written"), "{talk}");
        assert!(planning(project.root()).is_empty());
    };
    check(
        json!({"fail": {"limit_reached": {"resets_at_unix_s": 1_794_843_000}}}),
        75,
        "error: scripted has met a usage limit, until 2026-11-16T15:30:00Z",
    );
    check(json!({"fail": "overloaded"}), 75, "error: the model of scripted is overloaded");
    check(
        json!({"fail": {"unreachable": {"said": "Connection refused"}}}),
        75,
        "error: the model's server of scripted could not be reached: \"Connection refused\"",
    );
    check(json!({"fail": "not_logged_in"}), 6, "error: scripted is not logged in");
    check(
        json!({"fail": {"login_refused": {"said": "401 invalid x-api-key"}}}),
        6,
        "error: the login or key of scripted was refused: \"401 invalid x-api-key\"",
    );
    check(
        json!({"fail": {"refused": {"why": "no"}}}),
        1,
        "error: the model of scripted declined: \"no\"",
    );
    check(json!({"crash": {"exit": 3}}), 1, "error: scripted ended without an answer");
}

#[test]
fn who_spends_too_much_is_ended() {
    let much = json!({"spend": {"input_tokens": 500_000, "output_tokens": 0}});
    let hangs = json!({"when": {"step": "draft"}, "do": [much, "hang"]});
    let project = stage(&[hangs]);
    let ended = new(&project, &[IDEA, "--yes"]);
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    assert!(ended.stderr.contains("used up what it may spend (400k tokens)"), "{}", ended.stderr);
}

#[test]
fn at_a_terminal_somebody_is_asked_and_a_no_loses_nothing() {
    let project = stage(&drafts(good(), bad()));
    let ended = at_terminal(&project, "n\\n");
    assert_eq!(ended.code, 0, "{}", ended.stdout);
    assert!(ended.stdout.contains("Write these files? [y/N]"), "{}", ended.stdout);
    let said = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("Nothing was written. The draft is kept in .autopilot/drafts/"),
        "{said}"
    );
    assert!(planning(project.root()).is_empty());
    assert!(kept(project.root()).iter().any(|name| name == "ROADMAP.md"));
    let copied = ended.stdout.lines().find(|line| line.contains("cp .autopilot/drafts/")).unwrap();
    let copied = command("/bin/sh", &project).run(&["-c", copied.trim()]).unwrap();
    assert_eq!((copied.code, planning(project.root()).len()), (0, 3), "the command works");
    fs::remove_dir_all(project.root().join(".planning")).unwrap();
    let ended = at_terminal(&project, "y\\n");
    assert_eq!((ended.code, planning(project.root()).len()), (0, 4), "{}", ended.stdout);
}

#[test]
fn what_nobody_could_answer_or_draft_from_is_refused_before_anything_is_spent() {
    let project = stage(&[]);
    let shown = |arguments: &[&str]| redacted(&new(&project, arguments), &project);
    insta::assert_snapshot!("new_no_terminal", shown(&[IDEA]));
    insta::assert_snapshot!("new_too_short", shown(&["tides", "--yes"]));
    insta::assert_snapshot!("new_folder", shown(&[".", "--yes"]));
    insta::assert_snapshot!("new_commit_without_repository", shown(&[IDEA, "--yes", "--commit"]));
    assert!(!project.root().join(".autopilot").exists(), "nothing was begun");
    fs::create_dir(project.root().join(".planning")).unwrap();
    fs::write(project.root().join(".planning/REQUIREMENTS.md"), "mine").unwrap();
    insta::assert_snapshot!("new_existing_requirements", shown(&[IDEA, "--yes"]));
    assert!(!project.root().join(".autopilot").exists(), "nothing was begun");
}

#[test]
fn the_agent_sees_the_last_commit_and_can_change_nothing() {
    let look = "test -f Makefile && test -f notes.md && ! test -e later.txt && ! test -e .git && echo changed > Makefile; \
                echo x > \"$HOME/tides/stray\"; true";
    let reply = json!({"reply": {"json": good()}});
    let seen = json!({"when": {"step": "draft"}, "do": [{"run": {"command": look}}, reply]});
    let project = stage(&[seen]);
    fs::write(project.root().join("notes.md"), "I want to see the tides of a harbour.\n").unwrap();
    git(&project, "init -q -b main");
    git(&project, "add --all");
    git(&project, "commit -q -m start");
    git(&project, "config user.name Tester");
    git(&project, "config user.email tester@example.org");
    fs::write(project.root().join("later.txt"), "not committed").unwrap();
    let ended = new(&project, &["notes.md", "--yes", "--commit"]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("it sees your last commit"), "{}", ended.stderr);
    assert!(ended.stderr.contains("1 file is not committed"), "{}", ended.stderr);
    assert!(!project.root().join("stray").exists(), "the fence keeps it in");
    let makefile = fs::read_to_string(project.root().join("Makefile")).unwrap();
    assert_eq!(makefile, "test:\n\tsh test.sh\n");
    assert_eq!(git(&project, "status --short"), "?? later.txt\n");
    assert_eq!(git(&project, "log --format=%s -1"), "planning: start with autopilot\n");
    let roadmap = fs::read_to_string(project.root().join(".planning/ROADMAP.md")).unwrap();
    assert!(roadmap.contains("Drafted from notes.md by an agent."), "{roadmap}");
    let left: Vec<_> = fs::read_dir(project.around().join("state/autopilot"))
        .unwrap()
        .flatten()
        .flat_map(|entry| fs::read_dir(entry.path()).unwrap().flatten())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(left.iter().all(|name| !name.starts_with("draft")), "{left:?}");
}

#[test]
fn a_roadmap_that_somebody_makes_meanwhile_is_left_alone_and_the_draft_is_kept() {
    let meanwhile =
        "mkdir -p \"$HOME/tides/.planning\" && echo mine > \"$HOME/tides/.planning/ROADMAP.md\"";
    let reply = json!({"reply": {"json": good()}});
    let actions = json!([spend(), {"run": {"command": meanwhile}}, reply]);
    let project = stage(&[json!({"when": {"step": "draft"}, "do": actions})]);
    let ended = new(&project, &[IDEA, "--yes", "--no-fence"]);
    let talk = redacted(&ended, &project).split_once("--- talk").unwrap().1.to_string();
    insta::assert_snapshot!("new_meanwhile", talk);
    assert_eq!((ended.code, planning(project.root())), (2, vec!["ROADMAP.md".to_string()]));
    let roadmap = fs::read_to_string(project.root().join(".planning/ROADMAP.md")).unwrap();
    assert_eq!(roadmap, "mine\n");
    assert!(kept(project.root()).iter().any(|name| name == "ROADMAP.md"));
}

#[test]
fn a_program_gets_one_document_and_without_yes_nothing_is_written() {
    let project = stage(&drafts(good(), bad()));
    let ended = new(&project, &[IDEA, "--json"]);
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert_eq!((&document["written"], &document["faults"]), (&json!([]), &json!([])));
    assert_eq!(document["estimate"], json!({"tokens": 480_000, "agent_runs": 18}));
    assert!(planning(project.root()).is_empty());
    let schema = autopilot(project.root()).run(&["schema", "new"]).unwrap();
    let schema: Value = serde_json::from_str(&schema.stdout).unwrap();
    super::documents::conforms(&document, &schema, &schema, "new");
    let ended = new(&project, &[IDEA, "--json", "--yes"]);
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document["written"].as_array().unwrap().len(), 4);
    assert_eq!((&document["tokens"], &document["cost_usd"]), (&json!(7_000), &json!(0.042)));
}
