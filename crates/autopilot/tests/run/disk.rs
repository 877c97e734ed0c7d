//! Disks that fail while a run is on, and files of ours that somebody lost, edited or damaged while it was not.

use std::fs;
use std::os::unix::fs::FileExt;

use autopilot_testkit::built_command::{BuiltCommand, Ended};

use super::fault_points::{resume_to_the_end, small};
use super::outcome::{Outcome, UsersOwn, assert_same, records};
use super::project::Project;
use super::{KILLED, PROGRAM};

const ENVIRONMENT: i32 = 6;
/// A passing of the journal that is neither at the begin nor at the end.
const MIDDLE: u64 = 10;

/// Something a person does to the files of a run that was killed.
type Edit = fn(&Project);

/// What the small run comes to when nothing happens to it.
fn expected(base: &Project) -> Outcome {
    let project = base.copy();
    let before = UsersOwn::of(&project);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    Outcome::of(&project, &before, ended.code)
}

/// A copy that was killed in the middle.
fn killed(base: &Project) -> Project {
    let project = base.copy();
    let fault = format!("journal.sync.after:{MIDDLE}:kill");
    let ended = project.command().variable("AUTOPILOT_FAULT", &fault).run(&["run", "--complete"]);
    assert_eq!(ended.unwrap().code, KILLED);
    project
}

/// Every event that was shown is in the journal, byte for byte.
fn assert_kept(project: &Project, ended: &Ended) {
    let kept: Vec<serde_json::Value> = records(project)
        .1
        .iter()
        .map(|record| serde_json::to_value(&record.event).unwrap())
        .collect();
    for line in ended.stdout.lines() {
        let told: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(seq) = told["seq"].as_u64() else { continue };
        assert_eq!(kept[usize::try_from(seq).unwrap()], told["event"], "{line}");
    }
}

fn assert_clear(ended: &Ended) {
    assert_eq!(ended.code, ENVIRONMENT, "{ended:?}");
    let said = format!("{}{}", ended.stdout, ended.stderr);
    for part in [".autopilot/journal", "cannot go on without its journal", "autopilot resume"] {
        assert!(said.contains(part), "{part:?} is missing: {said}");
    }
}

#[test]
fn a_journal_that_cannot_be_synced_stops_the_run_and_loses_nothing() {
    let base = small();
    let expected = expected(&base);
    for nth in [2, MIDDLE, MIDDLE + 5] {
        let project = base.copy();
        let before = UsersOwn::of(&project);
        let fault = format!("journal.sync.before:{nth}:error");
        let failed = project.command().variable("AUTOPILOT_FAULT", &fault);
        let failed = failed.run(&["run", "--complete", "--json"]).unwrap();
        assert_clear(&failed);
        assert_kept(&project, &failed);
        let exit = resume_to_the_end(&project, &fault);
        assert_same(&Outcome::of(&project, &before, exit), &expected, &fault);
    }
}

#[test]
fn a_file_that_may_not_grow_stops_the_run_and_loses_nothing() {
    let base = small();
    let expected = expected(&base);
    let project = base.copy();
    let before = UsersOwn::of(&project);
    let home = project.around().to_str().unwrap();
    let line = format!("ulimit -f 16; exec {PROGRAM} run --complete --json");
    let failed = BuiltCommand::new("sh", project.root())
        .variable("HOME", home)
        .variable("XDG_STATE_HOME", &format!("{home}/state"))
        .run(&["-c", &line])
        .unwrap();
    assert_clear(&failed);
    assert_kept(&project, &failed);
    let exit = resume_to_the_end(&project, "ulimit");
    assert_same(&Outcome::of(&project, &before, exit), &expected, "in the end");
}

#[test]
fn a_run_goes_on_without_its_picture_and_in_spite_of_edits() {
    let base = small();
    let expected = expected(&base);
    let edits: [(&str, Edit); 3] = [
        ("deleted", |project| {
            let _ = fs::remove_file(project.state().join("state.json"));
            let _ = fs::remove_file(project.state().join("state.json.backup"));
        }),
        ("edited", |project| {
            let path = project.state().join("state.json");
            let text = fs::read_to_string(&path).unwrap_or("{\"_meta\": {}}".to_string());
            fs::write(&path, text.replacen('{', "{\"mine\": true, ", 1)).unwrap();
        }),
        ("garbage", |project| {
            fs::write(project.state().join("state.json"), [0, 159, 146]).unwrap()
        }),
    ];
    for (name, edit) in edits {
        let project = killed(&base);
        let before = UsersOwn::of(&project);
        edit(&project);
        let exit = resume_to_the_end(&project, name);
        assert_same(&Outcome::of(&project, &before, exit), &expected, name);
        let kept = fs::read_dir(project.state().join("damaged")).into_iter().flatten().count();
        assert_eq!(kept > 0, name != "deleted", "{name}: what a person wrote is kept aside");
    }
}

#[test]
fn a_torn_last_line_is_cut_and_kept_aside() {
    let base = small();
    let expected = expected(&base);
    let project = killed(&base);
    let before = UsersOwn::of(&project);
    let whole = fs::read(project.journal()).unwrap();
    let last = whole.strip_suffix(b"\n").unwrap().rsplit(|byte| *byte == b'\n').next().unwrap();
    fs::write(project.journal(), [&whole[..], &last[..last.len() / 2]].concat()).unwrap();
    let verified = project.run(&["journal", "verify"]);
    assert!(verified.stdout.contains("half written"), "{verified:?}");
    let exit = resume_to_the_end(&project, "torn");
    assert_same(&Outcome::of(&project, &before, exit), &expected, "in the end");
    assert_eq!(fs::read_dir(project.state().join("damaged")).unwrap().count(), 1);
}

/// Only the first lines of a run's beginning reached the disk: nothing was done for it yet, so nobody waits for it.
#[test]
fn a_run_whose_beginning_is_torn_is_put_away() {
    let base = small();
    let expected = expected(&base);
    for lines in [0, 1, 2] {
        let project = base.copy();
        let before = UsersOwn::of(&project);
        let killed = project.command().variable("AUTOPILOT_FAULT", "journal.write.after:1:kill");
        assert_eq!(killed.run(&["run", "--complete"]).unwrap().code, KILLED);
        let text = fs::read_to_string(project.journal()).unwrap();
        let first: Vec<&str> = text.split_inclusive('\n').take(lines).collect();
        fs::write(project.journal(), first.concat()).unwrap();
        let ended = project.run(&["run", "--complete"]);
        assert_eq!(ended.code, 0, "{lines} lines: {ended:?}");
        assert_same(
            &Outcome::of(&project, &before, ended.code),
            &expected,
            &format!("{lines} lines"),
        );
    }
}

#[test]
fn a_flipped_byte_is_refused_and_its_place_is_told() {
    let project = killed(&small());
    let path = project.journal();
    let whole = fs::read(&path).unwrap();
    let line = 6;
    let starts = whole.split_inclusive(|byte| *byte == b'\n').take(line - 1).map(<[u8]>::len);
    let at = starts.sum::<usize>() + 40;
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_at(&[whole[at] ^ 1], at as u64).unwrap();
    for words in [&["resume"][..], &["run"], &["journal", "verify"]] {
        let refused = project.run(words);
        assert_eq!(refused.code, ENVIRONMENT, "{words:?} {refused:?}");
        assert!(refused.stderr.contains(&format!("line {line}")), "{words:?} {refused:?}");
    }
    file.write_at(&[whole[at]], at as u64).unwrap();
    assert_eq!(fs::read(&path).unwrap(), whole, "nobody touched it");
    resume_to_the_end(&project, "mended");
}
