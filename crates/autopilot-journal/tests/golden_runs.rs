//! Journals of whole runs, kept as they were written. Today's code reads them, finds the chain whole, folds them without refusing an
//! event and ends where they ended: a change of the events that breaks what is on people's disks shows here.
//!
//! `AUTOPILOT_REWRITE=1` writes them anew from `stories.txt`, but never over one that cannot be followed any more or ends elsewhere:
//! such a change of the format raises `record::VERSION`, and the new version gets a folder of its own.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::{env, fs};

use autopilot_core::run::apply;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::replay::replay;
use autopilot_core::run::state::{PhaseStatus, RunState};
use autopilot_journal::{Folder, Holder, Journal, RunId, Tail, Writer, read, record};
use autopilot_testkit::scenario::{self, Scenario};
use autopilot_testkit::temporary_project::TemporaryProject;

const STORIES: &str = include_str!("golden/runs/stories.txt");
/// Runs of the made-up world are all called so.
const RUN: &str = "run-1";
const RAISE: &str = "journals on people's disks cannot be followed any more. Make the change in a way that reads the old \
                     form too, or raise VERSION in crates/autopilot-journal/src/record.rs";

/// Where they are, written anew where that was asked for.
fn golden() -> PathBuf {
    static REWRITTEN: Once = Once::new();
    REWRITTEN.call_once(|| {
        if env::var_os("AUTOPILOT_REWRITE").is_some() {
            stories().iter().for_each(write_golden);
        }
    });
    folder()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/runs/v{}", record::VERSION))
}

fn stories() -> Vec<Scenario> {
    scenario::read("stories.txt", STORIES).unwrap()
}

fn file_of(story: &Scenario) -> PathBuf {
    folder().join(format!("{}.jsonl", story.title.replace(' ', "-")))
}

/// The journal of a file, or why it cannot be read.
fn read_golden(path: &Path) -> Result<Journal<Event>, String> {
    let project = TemporaryProject::named("golden").unwrap();
    let folder = Folder::open(project.root()).unwrap();
    let run = RunId::new(RUN).unwrap();
    fs::copy(path, folder.journal(&run)).unwrap();
    read(&folder, &run, None).map_err(|error| error.problem().what)
}

/// The state it ends in, or the first event that is refused.
fn fold(journal: &Journal<Event>) -> Result<RunState, String> {
    let mut state = None;
    for record in &journal.records {
        let applied = apply(state, &record.event, Moment(record.at));
        state = Some(applied.map_err(|illegal| illegal.to_string())?);
    }
    state.ok_or_else(|| "it is empty".to_string())
}

/// How a run ended, in words that stay the same when types get another field.
fn end_of(state: &RunState, events: usize) -> String {
    let exit = scenario::exit(state).map_or("none".to_string(), |code| code.to_string());
    let head = state.branch.as_ref().map_or("none".to_string(), |branch| branch.head.to_string());
    let mut lines = vec![
        format!("{events} events, {} attempts, {} retries", state.attempts, state.retries),
        format!("{} tokens, {} ms", state.spend.counted_tokens(), state.running_ms(state.last_at)),
        format!("exit {exit}, branch at {head}"),
    ];
    for phase in &state.phases {
        let status = match &phase.status {
            PhaseStatus::Waiting => "waiting".to_string(),
            PhaseStatus::Running => "running".to_string(),
            PhaseStatus::Passed(result) => {
                let score = result.score.map_or("none".to_string(), |score| score.to_string());
                format!("passed {:?}, score {score}, commit {}", result.how, result.commit)
            }
            PhaseStatus::Failed(failure) => {
                format!("failed in {}: {}", failure.step, failure.reason)
            }
            PhaseStatus::Skipped { reason } => format!("skipped: {reason}"),
            PhaseStatus::Deferred { why } => format!("deferred: {why}"),
        };
        lines.push(format!("phase {}: {status}", phase.definition.id));
        let Some(work) = phase.work_summary() else { continue };
        let scores: Vec<String> = work.scores.iter().map(ToString::to_string).collect();
        lines.push(format!(
            "  {} plan rounds, {} debug, {} replan, {} remediation, rated [{}]",
            work.plan_rounds,
            work.debug_attempts,
            work.replan_attempts,
            work.remediation_cycles,
            scores.join(", ")
        ));
    }
    lines.join("\n") + "\n"
}

fn follow(path: &Path) -> Result<String, String> {
    let journal = read_golden(path)?;
    if journal.tail != Tail::Whole {
        return Err(format!("it ends torn: {:?}", journal.tail));
    }
    Ok(end_of(&fold(&journal)?, journal.records.len()))
}

fn write_golden(story: &Scenario) {
    let path = file_of(story);
    if path.exists() {
        // Written anew, nobody would ever learn that the old one is lost.
        let end = fs::read_to_string(path.with_extension("end")).unwrap();
        assert_eq!(follow(&path), Ok(end), "{} is not written anew: {RAISE}", path.display());
    }
    let played = story.check().unwrap();
    let project = TemporaryProject::named("golden").unwrap();
    let folder = Folder::open(project.root()).unwrap();
    let (host, command) = ("here".to_string(), "autopilot run".to_string());
    let holder = Holder { pid: std::process::id(), host, command, started_at: 1 };
    let lock = folder.lock(&holder).unwrap();
    let run = RunId::new(RUN).unwrap();
    let mut writer = Writer::create(&folder, &lock, &run).unwrap();
    for (event, at) in played.journal.iter().zip(&played.times) {
        writer.append(at.0, &[event]).unwrap();
    }
    fs::create_dir_all(self::folder()).unwrap();
    fs::copy(folder.journal(&run), &path).unwrap();
    let end = end_of(&played.state, played.journal.len());
    fs::write(path.with_extension("end"), end).unwrap();
}

#[test]
fn every_kept_journal_is_read_and_ends_where_it_ended() {
    let mut kept: Vec<PathBuf> =
        fs::read_dir(golden()).unwrap().map(|entry| entry.unwrap().path()).collect();
    kept.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    kept.sort();
    let mut told: Vec<PathBuf> = stories().iter().map(file_of).collect();
    told.sort();
    assert_eq!(kept, told, "one journal for each story of stories.txt");
    for path in kept {
        let end = fs::read_to_string(path.with_extension("end")).unwrap();
        let name = path.file_name().unwrap().display();
        match follow(&path) {
            Ok(found) => assert_eq!(found, end, "{name} ends elsewhere: {RAISE}"),
            Err(why) => assert_eq!(why, "", "{name} cannot be followed: {RAISE}"),
        }
    }
}

/// A rule that was meant to change brings differences with it; then they are written anew.
#[test]
fn todays_rules_decide_as_the_kept_journals_say() {
    for story in stories() {
        golden();
        let journal = read_golden(&file_of(&story)).unwrap();
        let records = journal.records.iter().map(|record| (Moment(record.at), &record.event));
        let replayed = replay(records);
        assert_eq!(
            replayed.differences,
            [],
            "{}: AUTOPILOT_REWRITE=1 if that was meant",
            story.title
        );
        assert!(replayed.decisions > 20, "{}: {}", story.title, replayed.decisions);
    }
}

/// What the journals are kept for: a story that tells less would guard less.
#[test]
fn the_stories_still_go_as_they_say() {
    for story in stories() {
        let checked = story.check();
        assert!(checked.is_ok(), "{}", checked.err().unwrap());
    }
}

#[test]
fn one_changed_byte_is_found() {
    let project = TemporaryProject::named("changed").unwrap();
    let path = project.root().join("changed.jsonl");
    let text = fs::read_to_string(golden().join("passed.jsonl")).unwrap();
    fs::write(&path, text.replacen("\"login\"", "\"Login\"", 1)).unwrap();
    let found = follow(&path).unwrap_err();
    assert!(found.contains("checksum is wrong"), "{found}");
}
