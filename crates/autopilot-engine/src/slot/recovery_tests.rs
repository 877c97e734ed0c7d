//! What kills, clean-ups and agents do to a slot, and that the next run mends it. And how many processes each step takes.

use std::ffi::OsStr;

use super::fixture::{Fixture, RUN, paths, write};
use super::{CommitOrder, Outcome, Slot, beside};
use crate::fake_programs::write_executable;
use crate::git::{Checkout, Git, GitError};
use crate::machine::Machine;
use crate::run_branch;

/// The slot is in order again: on the branch, clean, and a commit can be made.
fn works(fixture: &Fixture, name: &str) -> Slot {
    let slot = fixture.slot();
    slot.begin(&fixture.branch(), &fixture.head(), "begin").unwrap();
    let seen = fixture.plain_in(slot.folder(), "git status --porcelain --branch; cat README.md");
    assert_eq!(seen, format!("## autopilot/{RUN}-phase-3\none\ntwo\nthree\n"), "{name}");
    write(slot.folder(), "new.txt", name);
    fixture.made(&slot, &fixture.order(name));
    let list = fixture.plain("git worktree list --porcelain");
    assert!(list.contains("\nlocked autopilot works here"), "{name}: {list}");
    assert_eq!(list.matches("worktree ").count(), 2, "{name}: {list}");
    slot
}

#[test]
fn a_slot_is_mended_whatever_was_done_to_it() {
    let fixture = Fixture::new();
    let folder = works(&fixture, "new").folder().to_path_buf();
    let known = fixture.root().join(".git/worktrees/slot-1");
    let git_dir = |name: &str| known.join(name);
    let broken: [(&str, &dyn Fn()); 12] = [
        ("nothing", &|| {}),
        ("folder deleted", &|| std::fs::remove_dir_all(&folder).unwrap()),
        ("forgotten by git", &|| std::fs::remove_dir_all(&known).unwrap()),
        ("removed by the user", &|| {
            fixture.plain(&format!("git worktree remove -f -f '{}'", folder.display()));
        }),
        ("pointer deleted", &|| std::fs::remove_file(folder.join(".git")).unwrap()),
        ("index cut short", &|| std::fs::write(beside(&folder, ".index"), b"DIRC").unwrap()),
        ("index deleted", &|| std::fs::remove_file(beside(&folder, ".index")).unwrap()),
        ("HEAD destroyed", &|| std::fs::write(git_dir("HEAD"), b"\0\0").unwrap()),
        ("locks left by a killed git", &|| {
            for file in ["index.lock", "HEAD.lock"] {
                std::fs::write(git_dir(file), "").unwrap();
            }
            std::fs::write(beside(&folder, ".index.lock"), "").unwrap();
            std::fs::write(beside(&folder, ".index-next.lock"), "").unwrap();
            let branch = format!(".git/{}.lock", fixture.branch().full());
            write(&fixture.root(), &branch, "");
        }),
        ("half made", &|| {
            std::fs::remove_file(git_dir("HEAD")).unwrap();
            std::fs::remove_file(folder.join(".git")).unwrap();
        }),
        ("the project made anew in its place", &|| {
            std::fs::remove_dir_all(fixture.root().join(".git")).unwrap();
            fixture.plain("git init --quiet --initial-branch=trunk");
            fixture.plain("git add -A && git commit --quiet -m anew");
        }),
        ("killed while the files lay aside", &|| {
            std::fs::rename(&folder, beside(&folder, ".aside")).unwrap();
            std::fs::create_dir(&folder).unwrap();
            write(&folder, ".git", "gitdir: nowhere\n");
        }),
    ];
    for (name, breaks) in broken {
        breaks();
        works(&fixture, name);
    }
}

#[test]
fn build_caches_outlive_a_clean_up_of_gits_own_knowledge() {
    let fixture = Fixture::new();
    let slot = fixture.begun();
    write(slot.folder(), "target/cache", "expensive\n");
    std::fs::remove_dir_all(&slot.git_dir).unwrap();
    let slot = works(&fixture, "again");
    assert_eq!(std::fs::read(slot.folder().join("target/cache")).unwrap(), b"expensive\n");
    // Uncommitted work outlives it too.
    write(slot.folder(), "work.txt", "work\n");
    std::fs::remove_dir_all(&slot.git_dir).unwrap();
    let slot = fixture.slot();
    let kept = slot.begin(&fixture.branch(), &fixture.head(), "kept").unwrap();
    let last = &kept.last().unwrap().name;
    assert_eq!(fixture.plain(&format!("git show {last}:work.txt")), "work\n");
}

/// A git for us alone: what the test itself types is the real one.
fn other_git(fixture: &Fixture, body: &str) -> Git {
    let folder = fixture.fake.home().join("bin");
    std::fs::create_dir(&folder).unwrap();
    write_executable(&folder.join("git"), &format!("#!/bin/sh\n{body}\n"));
    let mut variables = fixture.fake.machine().variables().clone();
    let folders =
        std::iter::once(folder).chain(std::env::split_paths(&variables[OsStr::new("PATH")]));
    let path = std::env::join_paths(folders).unwrap();
    variables.insert("PATH".into(), path);
    Git::find(&Machine::with_variables(variables)).unwrap()
}

/// Git is killed at each of its calls in turn: before it did anything, with the lock a killed git leaves, and after it did
/// everything, when nobody hears of it any more.
fn costs_nothing(when: &str) {
    let fixture = Fixture::new();
    let real = crate::process::find_program("git", fixture.fake.machine().path()).unwrap();
    let state = fixture.fake.home().join("state");
    let body = format!(
        "read left when < '{0}'; left=$((left - 1)); echo $left $when > '{0}'\n\
         [ $left = 0 ] || exec {1} \"$@\"\n\
         if [ $when = before ]; then [ -z \"$GIT_INDEX_FILE\" ] || : > \"$GIT_INDEX_FILE.lock\"; \
         else {1} \"$@\" > '{0}.said'; fi; kill -9 $$",
        state.display(),
        real.display()
    );
    let git = other_git(&fixture, &body);
    let (base, order, branch) = (fixture.head(), fixture.order("key-1"), fixture.branch());
    let perform = || -> Result<(), GitError> {
        let checkout = Checkout::find(&git, &fixture.root())?;
        run_branch::create(&checkout, &fixture.names, &base, &[])?;
        let slot = Slot::open(&checkout, &fixture.names, &fixture.folder())?;
        let found = slot.commit(&order);
        if !matches!(found, Ok(Outcome::Found { .. })) {
            slot.begin(&branch, &base, "begin")?;
            write(slot.folder(), "a.txt", "a\n");
            std::fs::remove_file(slot.folder().join("README.md")).unwrap();
            slot.commit(&order)?;
        }
        let tip = run_branch::tip(&checkout, &branch)?.unwrap();
        run_branch::fast_forward(&checkout, &fixture.names, &base, &tip)?;
        Ok(())
    };
    let run = fixture.names.branch();
    let done = format!("git log --format=%s {0} && git ls-tree -r --name-only {0}", run.short());
    let forget = format!(
        "git update-ref -d {}; git -C '{2}' checkout --quiet --detach && git update-ref -d {} && \
         git worktree remove -f -f '{2}'",
        run.full(),
        branch.full(),
        fixture.folder().display(),
    );
    let mut calls = 0;
    for call in 1..100 {
        std::fs::write(&state, format!("{call} {when}\n")).unwrap();
        let first = perform();
        let left = std::fs::read_to_string(&state).unwrap();
        std::fs::write(&state, "0 never\n").unwrap();
        perform().unwrap();
        let expected = "feat: key-1\nfirst\n.gitignore\na.txt\nsrc/main.rs\n";
        assert_eq!(fixture.plain(&done), expected, "killed {when} call {call}");
        fixture.plain(&forget);
        if first.is_ok() && !left.starts_with(['0', '-']) {
            break;
        }
        calls = call;
    }
    assert!((20..99).contains(&calls), "{calls}");
}

#[test]
fn a_git_killed_before_any_call_costs_nothing() {
    costs_nothing("before");
}

#[test]
fn a_git_killed_after_any_call_costs_nothing() {
    costs_nothing("after");
}

#[test]
fn each_step_takes_as_many_processes_as_it_says() {
    let fixture = Fixture::new();
    let count = fixture.fake.home().join("count");
    let real = crate::process::find_program("git", fixture.fake.machine().path()).unwrap();
    let body = format!("echo >> '{}'; exec {} \"$@\"", count.display(), real.display());
    let git = other_git(&fixture, &body);
    let counted = |name: &str, expected: usize, step: &mut dyn FnMut()| {
        let _ = std::fs::remove_file(&count);
        step();
        let started = std::fs::read_to_string(&count).map_or(0, |text| text.lines().count());
        assert_eq!(started, expected, "{name}");
    };
    counted("fit", 15, &mut || {
        assert_eq!(crate::git::repository_fit(&git, &fixture.root()).unwrap(), []);
    });
    let mut found = None;
    counted("find", 4, &mut || found = Some(Checkout::find(&git, &fixture.root()).unwrap()));
    let checkout = found.unwrap();
    let (names, branch, base) = (&fixture.names, fixture.branch(), fixture.head());
    counted("look", 1, &mut || drop(crate::git::user_tree::look(&checkout).unwrap()));
    let create = || run_branch::create(&checkout, names, &base, &paths(&[])).unwrap();
    counted("create", 2, &mut || drop(create()));
    let mut slot = None;
    let open = || Slot::open(&checkout, names, &fixture.folder()).unwrap();
    counted("open new", 1, &mut || slot = Some(open()));
    counted("open again", 0, &mut || slot = Some(open()));
    let slot = slot.unwrap();
    counted("begin new", 8, &mut || drop(slot.begin(&branch, &base, "begin").unwrap()));
    counted("begin again", 1, &mut || drop(slot.begin(&branch, &base, "begin").unwrap()));
    counted("head", 1, &mut || drop(slot.head(&branch, &base).unwrap()));
    counted("fold nothing", 1, &mut || drop(slot.fold(&branch, &base, "fold").unwrap()));
    counted("rescue nothing", 1, &mut || drop(slot.rescue("x").unwrap()));
    write(slot.folder(), "a.txt", "a\n");
    counted("rescue", 7, &mut || drop(slot.rescue("x").unwrap()));
    counted("changes", 4, &mut || drop(slot.changes(&base).unwrap()));
    let order: CommitOrder = fixture.order("key-1");
    counted("commit", 6, &mut || drop(slot.commit(&order).unwrap()));
    counted("commit found", 2, &mut || drop(slot.commit(&order).unwrap()));
    counted("changes committed", 3, &mut || drop(slot.changes(&base).unwrap()));
    let tip = fixture.id(&branch.full());
    write(slot.folder(), "a.txt", "b\n");
    counted("reset", 3, &mut || drop(slot.reset(&branch, &tip, "x").unwrap()));
    fixture.plain_in(slot.folder(), "git commit --quiet --allow-empty -m 'by the agent'");
    counted("fold", 6, &mut || drop(slot.fold(&branch, &tip, "fold").unwrap()));
    write(slot.folder(), "a.txt", "c\n");
    counted("begin with rescue", 9, &mut || drop(slot.begin(&branch, &tip, "y").unwrap()));
    let forward = || drop(run_branch::fast_forward(&checkout, names, &base, &tip).unwrap());
    counted("forward", 3, &mut || forward());
    counted("forward again", 1, &mut || forward());
    counted("next phase", 4, &mut || {
        drop(slot.begin(&names.phase_branch("4").unwrap(), &tip, "begin").unwrap())
    });
}

#[test]
fn a_branch_that_stands_elsewhere_too_is_refused_also_when_nothing_is_to_be_done() {
    let fixture = Fixture::new();
    let slot = fixture.begun();
    let (branch, head) = (fixture.branch(), fixture.head());
    assert_eq!(slot.reset(&branch, &head, "again").unwrap(), []);
    let elsewhere = format!("git worktree add --quiet --force ../zz {}", branch.short());
    fixture.plain(&elsewhere);
    let refused = slot.reset(&branch, &head, "again");
    assert!(matches!(refused, Err(GitError::BranchInUse { .. })), "{refused:?}");
    fixture.plain("git worktree remove ../zz");
    assert_eq!(slot.reset(&branch, &head, "again").unwrap(), []);
}
