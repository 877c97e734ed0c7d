//! What a run came to, in a form that two runs of the same project can be compared by: without times, ids of commits and the
//! run's own name.

use std::collections::BTreeMap;

use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::Event;
use autopilot_core::run::files::receipt::{self, Receipt};
use autopilot_core::run::state::{PhaseStatus, RunState};
use autopilot_engine::journal_read;
use autopilot_journal::{Folder, Record};
use serde_json::Value;

use super::leftovers;
use super::project::Project;

#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) exit: i32,
    /// The subjects and files of the run's branch and of every phase's branch.
    pub(crate) branches: BTreeMap<String, (Vec<String>, BTreeMap<String, String>)>,
    pub(crate) rescues: Vec<String>,
    pub(crate) phases: Vec<String>,
    pub(crate) ledger: Value,
    pub(crate) report: String,
    /// The files a run leaves to learn from, and how many runs have figures.
    pub(crate) learned: (Vec<String>, usize),
    /// How often an agent's end is on record, for each phase, step, task and round.
    pub(crate) completed: BTreeMap<String, u32>,
    pub(crate) tokens: u64,
}

impl Outcome {
    /// Of a run that ended with this exit code. Also shows what must hold after every run.
    pub(crate) fn of(project: &Project, before: &UsersOwn, exit: i32) -> Outcome {
        let (run, records) = records(project);
        let state = journal_read::fold(records.clone()).unwrap().unwrap();
        let verified = project.run(&["journal", "verify"]);
        assert_eq!(verified.code, 0, "{verified:?}");
        let replayed = project.run(&["replay"]);
        assert_eq!(replayed.code, 0, "the journal alone leads to every decision: {replayed:?}");
        assert_eq!(&UsersOwn::of(project), before, "the user's own is untouched");
        leftovers::assert_none(project);
        assert_receipts_hold(project, &state, &records);
        Outcome {
            exit,
            branches: branches(project, &run),
            rescues: refs(project, "refs/autopilot", &run),
            phases: state.phases.iter().map(|phase| phase_words(&phase.status)).collect(),
            ledger: ledger(project),
            report: report(project, &state),
            learned: learned(project, &run),
            completed: completed(&records),
            tokens: state.spend.counted_tokens() - lost_tokens(&records),
        }
    }
}

/// Every merged phase has one in its commit, unchanged, with the hash that the journal has of it.
fn assert_receipts_hold(project: &Project, state: &RunState, records: &[Record<Event>]) {
    let mut phase = None;
    for record in records {
        match &record.event {
            Event::StepStarted { effect: Effect::ClosePhase { phase: id, .. }, .. } => {
                phase = state.phase(id);
            }
            Event::PhaseMerged { commit, receipt, .. } => {
                let folder = &phase.unwrap().definition.folder;
                let text = project.git(&["show", &format!("{commit}:{folder}/{}", receipt::FILE)]);
                let read = Receipt::read(&text).unwrap();
                assert!(read.is_unchanged(), "{text}");
                assert_eq!(Some(&read.hash), receipt.as_ref());
                assert!(read.journal.seq < record.seq, "{text}");
            }
            _ => {}
        }
    }
}

/// Field by field, so that a difference can be read.
pub(crate) fn assert_same(found: &Outcome, expected: &Outcome, context: &str) {
    assert_eq!(found.exit, expected.exit, "{context}");
    assert_eq!(found.phases, expected.phases, "{context}");
    assert_eq!(found.completed, expected.completed, "{context}");
    assert_eq!(found.rescues, expected.rescues, "{context}");
    assert_eq!(found.ledger, expected.ledger, "{context}");
    assert_eq!(found.report, expected.report, "{context}");
    assert_eq!(found.learned, expected.learned, "{context}");
    assert_eq!(found.tokens, expected.tokens, "{context}");
    assert_eq!(found.branches, expected.branches, "{context}");
}

/// What belongs to the user and must stay as it is.
#[derive(Debug, PartialEq)]
pub(crate) struct UsersOwn {
    index: Vec<u8>,
    head: String,
    branches: String,
    status: String,
}

impl UsersOwn {
    pub(crate) fn of(project: &Project) -> UsersOwn {
        let git_dir = project.root().join(".git");
        let format = "--format=%(refname) %(objectname)";
        let branches =
            project.git(&["for-each-ref", format, "refs/heads", "refs/tags", "refs/stash"]);
        let is_users = |line: &&str| !line.starts_with("refs/heads/autopilot/");
        UsersOwn {
            index: std::fs::read(git_dir.join("index")).unwrap(),
            head: std::fs::read_to_string(git_dir.join("HEAD")).unwrap(),
            branches: branches.lines().filter(is_users).collect(),
            status: project.git(&["--no-optional-locks", "status", "--porcelain=v2"]),
        }
    }
}

/// The newest run's name and events.
pub(crate) fn records(project: &Project) -> (String, Vec<Record<Event>>) {
    let folder = Folder::find(project.root()).unwrap().unwrap();
    let (run, journal) = journal_read::newest(&folder).unwrap().unwrap();
    (run.to_string(), journal.records)
}

pub(crate) fn state(project: &Project) -> RunState {
    journal_read::fold(records(project).1).unwrap().unwrap()
}

/// How often agents were really started: they count themselves.
pub(crate) fn starts(project: &Project) -> BTreeMap<String, u32> {
    let text = std::fs::read_to_string(project.cache().join("tally")).unwrap_or_default();
    count(text.lines().map(ToString::to_string))
}

fn count(words: impl Iterator<Item = String>) -> BTreeMap<String, u32> {
    let mut counted = BTreeMap::new();
    for word in words {
        *counted.entry(word).or_default() += 1;
    }
    counted
}

fn completed(records: &[Record<Event>]) -> BTreeMap<String, u32> {
    let mut orders = BTreeMap::new();
    let mut ended = Vec::new();
    for record in records {
        match &record.event {
            Event::StepStarted { attempt, effect: Effect::RunAgent(order) } => {
                let task = order.task.as_ref().map_or("-".to_string(), ToString::to_string);
                let words = format!("{} {} {task} {}", order.phase, order.role.name(), order.round);
                orders.insert(*attempt, words);
            }
            Event::StepCompleted { attempt, .. } | Event::StepFailed { attempt, .. } => {
                ended.push(orders[attempt].clone());
            }
            _ => {}
        }
    }
    count(ended.into_iter())
}

/// What attempts had told that were under way when autopilot died.
fn lost_tokens(records: &[Record<Event>]) -> u64 {
    let spends = records.iter().filter_map(|record| match &record.event {
        Event::AttemptLost { spend, .. } => spend.as_ref(),
        _ => None,
    });
    spends.map(|spend| spend.counted_tokens()).sum()
}

fn phase_words(status: &PhaseStatus) -> String {
    match status {
        PhaseStatus::Passed(result) => {
            format!(
                "{:?} {:?} {:?} {:?}",
                result.how, result.score, result.score_history, result.criteria
            )
        }
        other => format!("{other:?}"),
    }
}

fn ledger(project: &Project) -> Value {
    let text = std::fs::read_to_string(project.state().join("ledger.json")).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    strip(&mut value, &["at", "run", "checksum"]);
    value
}

/// Takes what differs from run to run out of a document.
fn strip(value: &mut Value, names: &[&str]) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !names.contains(&name.as_str()));
            fields.values_mut().for_each(|field| strip(field, names));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, names)),
        _ => {}
    }
}

fn report(project: &Project, state: &RunState) -> String {
    let Some(path) = &state.report else { return String::new() };
    let text = std::fs::read_to_string(project.root().join(path)).unwrap();
    // What lost attempts had spent counts, and there are others in every broken run.
    let differs = ["- started", "- took", "- branch", "- spent", "# Run"];
    let lines = text.lines().filter(|line| !differs.iter().any(|start| line.starts_with(start)));
    let lines = lines.filter(|line| line.matches('|').count() != SPENT_CELLS + 1);
    lines.map(without_tokens).collect::<Vec<_>>().join("\n")
}

/// The last cell of a row about a phase.
fn without_tokens(line: &str) -> &str {
    let is_of_phase = line.starts_with("| ") && line.matches('|').count() == PHASE_CELLS + 1;
    let cells = line.trim_end_matches('|');
    if is_of_phase { cells.rsplit_once('|').map_or(line, |(before, _)| before) } else { line }
}

/// In the report's table of phases.
const PHASE_CELLS: usize = 7;
/// In the report's table of who spent what.
const SPENT_CELLS: usize = 9;

fn learned(project: &Project, run: &str) -> (Vec<String>, usize) {
    let mut folders = vec![project.state().join("diagnostics"), project.state().join("traces")];
    let mut names = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => names.push(path.to_string_lossy().replace(run, "RUN")),
            }
        }
    }
    let root = project.state().to_string_lossy().into_owned();
    names.iter_mut().for_each(|name| *name = name.replace(&root, ""));
    names.sort();
    let figures = std::fs::read_to_string(project.state().join("archive/metrics.json"));
    let figures: Vec<Value> =
        serde_json::from_str(&figures.unwrap_or_default()).unwrap_or_default();
    (names, figures.len())
}

fn refs(project: &Project, below: &str, run: &str) -> Vec<String> {
    let listed = project.git(&["for-each-ref", "--format=%(refname)", below]);
    listed.lines().map(|name| name.replace(run, "RUN")).collect()
}

fn branches(
    project: &Project,
    run: &str,
) -> BTreeMap<String, (Vec<String>, BTreeMap<String, String>)> {
    let names = refs(project, "refs/heads/autopilot", run);
    let of = |name: &String| {
        let real = name.replace("RUN", run);
        let subjects = project.git(&["log", "--format=%s", &format!("main..{real}")]);
        let subjects = subjects.lines().map(ToString::to_string).collect();
        (name.clone(), (subjects, files(project, &real)))
    };
    names.iter().map(of).collect()
}

/// The files of a commit. Three of ours tell times and ids of commits; of them the rest is compared.
fn files(project: &Project, commit: &str) -> BTreeMap<String, String> {
    let listed = project.git(&["ls-tree", "-r", commit]);
    let entries = listed.lines().filter_map(|line| line.split_once('\t'));
    entries
        .map(|(object, path)| {
            let text = || project.git(&["show", &format!("{commit}:{path}")]);
            let content = if path.ends_with("/TRIAGE.json") {
                let mut value: Value = serde_json::from_str(&text()).unwrap_or(Value::Null);
                strip(&mut value, &["took_ms"]);
                value.to_string()
            } else if path.ends_with("/RECEIPT.json") {
                let mut value: Value = serde_json::from_str(&text()).unwrap_or(Value::Null);
                strip(&mut value, &["took_ms", "run", "base", "commit", "tree", "journal", "hash"]);
                value.to_string()
            } else if path.ends_with("/EXECUTION-LOG.md") {
                without_commits(&text())
            } else {
                object.to_string()
            };
            (path.to_string(), content)
        })
        .collect()
}

fn without_commits(text: &str) -> String {
    let is_commit = |word: &&str| word.len() == 8 && word.chars().all(|c| c.is_ascii_hexdigit());
    let words = text.split(' ').map(|word| if is_commit(&word) { "COMMIT" } else { word });
    words.collect::<Vec<_>>().join(" ")
}
