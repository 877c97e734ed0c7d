//! `autopilot replay`: kept journals, a decision that was changed, exported events, and what is refused.

use std::path::{Path, PathBuf};

use autopilot_core::run::event::Event;
use autopilot_core::run::gate::Verdict;
use autopilot_journal::{Folder, Holder, Record, RunId, Writer, read_file};
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::{Value, json};

use super::{autopilot, shop};

fn kept(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../autopilot-journal/tests/golden");
    folder.join(format!("runs/v1/{name}.jsonl"))
}

fn run_id() -> RunId {
    RunId::new("run-1").unwrap()
}

pub(super) fn records() -> Vec<Record<Event>> {
    read_file(&kept("mended"), &run_id()).unwrap().records
}

/// A project whose newest run has these events, with a whole chain.
pub(super) fn project_with(records: &[Record<Event>]) -> TemporaryProject {
    let project = shop();
    let folder = Folder::open(project.root()).unwrap();
    let (host, command) = ("here".to_string(), "autopilot run".to_string());
    let holder = Holder { pid: std::process::id(), host, command, started_at: 1 };
    let lock = folder.lock(&holder).unwrap();
    let mut writer = Writer::create(&folder, &lock, &run_id()).unwrap();
    for record in records {
        writer.append(record.at, &[&record.event]).unwrap();
    }
    project
}

/// The first verdict says that a person has to look.
fn altered() -> (Vec<Record<Event>>, usize) {
    let mut records = records();
    let is_verdict = |record: &Record<Event>| matches!(record.event, Event::VerdictReached { .. });
    let at = records.iter().position(is_verdict).unwrap();
    if let Event::VerdictReached { verdict, .. } = &mut records[at].event {
        *verdict = Verdict::Defer { why: "it is not clear".to_string() };
    }
    (records, at)
}

#[test]
fn kept_journals_come_out_the_same() {
    let project = shop();
    for name in ["passed", "mended", "resumed", "held-up", "failed"] {
        let path = kept(name).display().to_string();
        let ended = autopilot(project.root()).run(&["replay", &path]).unwrap();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{name}: {}", ended.stdout);
        assert!(ended.stdout.ends_with("Today's rules decide the same everywhere.\n"), "{name}");
    }
}

#[test]
fn a_decision_that_was_changed_is_shown_where_it_stands() {
    let (records, at) = altered();
    let project = project_with(&records);
    for columns in [80, 120] {
        let ended = autopilot(project.root()).columns(columns).run(&["replay"]).unwrap();
        insta::assert_snapshot!(format!("replay_{columns}"), ended.shown(project.root()));
        let book = include_str!("../../../../docs/commands.md");
        assert!(book.contains(&format!("```text\n{}```", ended.stdout)), "docs/commands.md");
    }
    let ended = autopilot(project.root()).run(&["replay", "--json"]).unwrap();
    assert_eq!(ended.code, 1);
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    let schema = autopilot(project.root()).run(&["schema", "replay"]).unwrap().stdout;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    super::documents::conforms(&document, &schema, &schema, "replay");
    assert_eq!((&document["same"], &document["run"]), (&json!(false), &json!("run-1")));
    let first = &document["differences"][0];
    assert_eq!(first["event"], at as u64);
    assert_eq!(first["recorded"], "gate: a person has to look: it is not clear");
    assert_eq!(first["today"], "gate: DEBUG: build red");
    assert_eq!(first["fields"][0]["path"], "verdict.is");
}

/// Every file below a folder with its bytes.
fn files(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => files(&path, found),
            false => found.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
}

#[test]
fn runs_under_way_archived_and_exported_are_replayed_and_nothing_is_touched() {
    let project = project_with(&records());
    let replay = |named: &[&str]| {
        let mut before = Vec::new();
        files(project.root(), &mut before);
        let arguments = [&["replay", "--json"], named].concat();
        let ended = autopilot(project.root()).run(&arguments).unwrap();
        let mut after = Vec::new();
        files(project.root(), &mut after);
        assert_eq!(before, after, "{named:?}");
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{named:?}");
        let document: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(document["events"], records().len(), "{named:?}");
    };
    replay(&[]);
    replay(&["run-1"]);
    let exported = autopilot(project.root()).run(&["journal", "export"]).unwrap();
    std::fs::write(project.root().join("events.jsonl"), exported.stdout).unwrap();
    replay(&["events.jsonl"]);
    let folder = Folder::find(project.root()).unwrap().unwrap();
    std::fs::rename(folder.journal(&run_id()), folder.archived_journal(&run_id())).unwrap();
    replay(&["run-1"]);
    replay(&[]);
}

#[test]
fn what_is_no_journal_is_refused() {
    let project = project_with(&records());
    let exported = autopilot(project.root()).run(&["journal", "export"]).unwrap().stdout;
    let lines: Vec<&str> = exported.lines().collect();
    let write = |name: &str, text: String| std::fs::write(project.root().join(name), text).unwrap();
    write("gap.jsonl", [&lines[..3], &lines[4..]].concat().join("\n"));
    write("middle.jsonl", lines[5..].join("\n"));
    write("poem.jsonl", "Roses are red\n".to_string());
    write("empty.jsonl", String::new());
    write("strange.jsonl", lines[..2].join("\n").replace("project_read", "project_sung"));
    let check = |name: &str, arguments: &[&str]| {
        // So wide that no line breaks where the folder's name is long.
        let ended = autopilot(project.root()).columns(400).run(arguments).unwrap();
        assert_eq!(ended.code, 2, "{name}: {ended:?}");
        insta::assert_snapshot!(name, ended.shown(project.root()));
    };
    check("replay_gap", &["replay", "gap.jsonl"]);
    check("replay_middle", &["replay", "middle.jsonl"]);
    check("replay_poem", &["replay", "poem.jsonl"]);
    check("replay_empty", &["replay", "empty.jsonl"]);
    check("replay_strange", &["replay", "strange.jsonl"]);
    check("replay_unknown", &["replay", "run-7"]);
    check("replay_unknown_json", &["replay", "no/such", "--json"]);
    let other = shop();
    let ended = autopilot(other.root()).run(&["replay"]).unwrap();
    assert_eq!(ended.code, 2, "{ended:?}");
}
