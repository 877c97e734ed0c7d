//! A whole run on a disk that is nearly full, or that becomes read-only: the project, the journal, git's objects and the slot all
//! lie on a small disk of the test's own, in a mount namespace that ends with the test.

use std::fs;
use std::path::Path;

use autopilot_testkit::built_command::{BuiltCommand, Ended};

use super::PROGRAM;
use super::fault_points::small;
use super::outcome::{Outcome, UsersOwn, assert_same};
use super::project::Project;

const ENVIRONMENT: i32 = 6;
/// Kilobytes that are free when the run starts: from none at all to enough for the whole run.
const ROOMS: [u32; 12] = [0, 8, 16, 32, 48, 64, 80, 96, 120, 144, 168, 1024];

/// Runs shell lines with the project on a disk of its own that has `room` kilobytes left, and brings everything back. For a moment
/// after the end of a fenced child the kernel holds its folders, and no disk becomes read-only while it holds one that was removed:
/// `frozen` tries again, for no longer than the whole command may take.
fn on_a_small_disk(project: &Project, room: u32, lines: &str) -> Ended {
    let around = project.around();
    let kept = tempfile::tempdir().unwrap();
    let script = format!(
        "cp -a \"$AROUND/.\" \"$KEPT/\"; mount -t tmpfs -o size=64m none \"$AROUND\"; touch \"$KEPT.mounted\"; \
         cp -a \"$KEPT/.\" \"$AROUND/\"; used=$(df -k --output=used \"$AROUND\" | tail -1); \
         small() {{ mount -o remount,rw,size=$((used + {room}))k \"$AROUND\"; }}; \
         large() {{ mount -o remount,rw,size=64m \"$AROUND\"; }}; \
         frozen() {{ until mount -o remount,ro \"$AROUND\" 2> \"$KEPT.busy\"; do sleep 0.02; done; }}; \
         cd \"$AROUND/way\"; {lines}; \
         cd /; find \"$KEPT\" -mindepth 1 -delete; cp -a \"$AROUND/.\" \"$KEPT/\""
    );
    let ended = BuiltCommand::new("unshare", Path::new("/"))
        .variable("AROUND", around.to_str().unwrap())
        .variable("KEPT", kept.path().to_str().unwrap())
        .variable("PROGRAM", PROGRAM)
        // How it goes is the question, not whether it should be tried.
        .variable("AUTOPILOT_MIN_FREE_DISK", "0")
        .variable("HOME", around.to_str().unwrap())
        .variable("XDG_STATE_HOME", &format!("{}/state", around.display()))
        .variable("GIT_CONFIG_NOSYSTEM", "1")
        .run(&["--map-root-user", "--mount", "sh", "-ec", &script])
        .unwrap();
    let _ = fs::remove_file(format!("{}.busy", kept.path().display()));
    let mounted = format!("{}.mounted", kept.path().display());
    assert!(
        fs::remove_file(&mounted).is_ok(),
        "this test mounts a small disk of its own, for which it needs the program unshare (util-linux) and user \
         namespaces; allow them with: sysctl kernel.unprivileged_userns_clone=1 \
         kernel.apparmor_restrict_unprivileged_userns=0, or run the tests as root. It said: {ended:?}"
    );
    let emptied = BuiltCommand::new("find", Path::new("/"))
        .run(&[around.to_str().unwrap(), "-mindepth", "1", "-delete"])
        .unwrap();
    assert_eq!(emptied.code, 0, "{emptied:?}");
    let from = format!("{}/.", kept.path().display());
    let back =
        BuiltCommand::new("cp", Path::new("/")).run(&["-a", &from, around.to_str().unwrap()]);
    assert_eq!(back.unwrap().code, 0);
    ended
}

/// What the shell lines noted as `name code`.
fn code(ended: &Ended, name: &str) -> i32 {
    let noted = ended.stdout.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    noted.unwrap_or_else(|| panic!("{name} was not reached: {ended:?}")).parse().unwrap()
}

fn expected(base: &Project) -> Outcome {
    let project = base.copy();
    let before = UsersOwn::of(&project);
    let ended = project.run(&["run", "--complete"]);
    Outcome::of(&project, &before, ended.code)
}

/// Every failure says what it is about; none is a panic of ours.
fn assert_told(ended: &Ended, context: &str) {
    let said = format!("{} {}", ended.stdout, ended.stderr);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!said.contains("panicked"), "{context}: {said}");
    // The last but one is all that git says of a ref it cannot write.
    let is_told =
        ["No space left on device", "unable to write", "couldn't write", "Read-only file system"];
    assert!(is_told.iter().any(|words| said.contains(words)), "{context}: {said}");
}

#[test]
fn a_full_disk_stops_a_run_and_loses_nothing() {
    let base = small();
    let expected = expected(&base);
    let mut stopped = 0;
    for room in ROOMS {
        let project = base.copy();
        let before = UsersOwn::of(&project);
        // Where not even the beginning was written down there is nothing to resume.
        let ended = on_a_small_disk(
            &project,
            room,
            "small; code=0; \"$PROGRAM\" run --complete || code=$?; echo \"first $code\"; large; \
             code=0; \"$PROGRAM\" run --complete || code=$?; echo \"then $code\"",
        );
        let context = format!("{room} kB");
        match code(&ended, "first") {
            0 => assert!(!ended.stdout.contains("halted"), "{context}: {ended:?}"),
            ENVIRONMENT => {
                stopped += 1;
                assert_told(&ended, &context);
                assert_eq!(code(&ended, "then"), 0, "{context}: {ended:?}");
            }
            other => panic!("{context}: exit {other}: {ended:?}"),
        }
        let mut outcome = Outcome::of(&project, &before, 0);
        // A slot that was filled half is kept like anything that lay in it.
        let half = ["/rescue/left-in-slot", "/rescue/phase-1"];
        outcome.rescues.retain(|name| !half.iter().any(|end| name.ends_with(end)));
        assert_same(&outcome, &expected, &context);
    }
    assert!((4..ROOMS.len()).contains(&stopped), "{stopped} runs met a full disk");
}

#[test]
fn a_disk_that_became_read_only_stops_a_run_and_loses_nothing() {
    let base = small();
    let expected = expected(&base);
    let project = base.copy();
    let before = UsersOwn::of(&project);
    let ended = on_a_small_disk(
        &project,
        0,
        "frozen; code=0; \"$PROGRAM\" run --complete || code=$?; echo \"first $code\"; large; \
         AUTOPILOT_FAULT=journal.sync.after:10:kill \"$PROGRAM\" run --complete || true; frozen; \
         code=0; \"$PROGRAM\" resume || code=$?; echo \"second $code\"; large; \
         code=0; \"$PROGRAM\" resume || code=$?; echo \"then $code\"",
    );
    assert_told(&ended, "read-only");
    let codes = ["first", "second", "then"].map(|name| code(&ended, name));
    assert_eq!(codes, [ENVIRONMENT, ENVIRONMENT, 0], "{ended:?}");
    assert_same(&Outcome::of(&project, &before, 0), &expected, "read-only");
}
