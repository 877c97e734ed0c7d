//! Repositories as people also have them. Each either takes a run to its end, with the user's tree untouched and every object whole,
//! or is refused before an agent is started, in three parts and with the exit code that says whose turn it is. Kinds that git itself is
//! asked about one by one are `fit_tests.rs` of the engine; what a merge needs is `landing.rs`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use autopilot_testkit::built_command::{BuiltCommand, Ended};
use autopilot_testkit::temporary_project::TemporaryProject;

use super::PROGRAM;
use super::landing::{assert_whole, run_branch, status};
use super::outcome::{UsersOwn, starts};
use super::project::Project;
use super::script::{entry, executed, reviewed, write};

const USAGE: i32 = 2;
const GATE_NOT_MET: i32 = 5;
const ENVIRONMENT: i32 = 6;

fn work() -> Vec<serde_json::Value> {
    let done = vec![write("lib/1", "base\n"), executed("1-01-1")];
    vec![
        entry("1", "execute", Some("1-01-1"), 1, done),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ]
}

fn put(project: &Project, path: &str, text: &str) -> PathBuf {
    let path = project.root().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

fn commit(project: &Project) {
    project.git(&["add", "--all"]);
    project.git(&["commit", "--quiet", "-m", "as it was"]);
}

/// A program that leaves a trace beside the project when somebody starts it, and then does as told.
fn trap(project: &Project, path: &str, then: &str) -> (PathBuf, PathBuf) {
    let trace = project.around().join("started");
    let text = format!("#!/bin/sh\ntouch '{}'\n{then}\n", trace.display());
    let program = put(project, path, &text);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    (program, trace)
}

/// The phase passes, and nothing of the user's has changed.
fn assert_works(project: &Project, name: &str) {
    let before = UsersOwn::of(project);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{name}: {ended:?}");
    assert_eq!(UsersOwn::of(project), before, "{name}");
    assert_eq!(starts(project).len(), 2, "{name}");
    let written = project.git(&["show", &format!("{}:lib/1", run_branch(project))]);
    assert_eq!(written, "base\n", "{name}");
    assert_whole(project, name);
}

/// Nobody was asked to do anything, and the answer has its three parts.
fn assert_refused(ended: &Ended, project: &Project, (code, what, fix): (i32, &str, &str)) {
    assert_eq!(ended.code, code, "{ended:?}");
    let words = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let places = ["error: ", "why: ", "fix: "].map(|part| words.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{words}");
    let said = words.split("fix: ").collect::<Vec<_>>();
    assert!(said[0].contains(what) && said[1].contains(fix), "{words}");
    assert_eq!(starts(project).len(), 0, "{what}");
    assert!(!project.slot(1).exists(), "{what}: there is nothing to work in yet");
}

#[test]
fn what_a_run_cannot_work_with_is_refused_before_an_agent_is_started() {
    let check = |prepare: &dyn Fn(&Project), code: i32, what: &str, fix: &str| {
        let project = Project::small(work());
        prepare(&project);
        let refused = project.run(&["run", "--complete"]);
        assert_refused(&refused, &project, (code, what, fix));
        assert_whole(&project, what);
    };
    check(
        &submodule,
        ENVIRONMENT,
        "has submodules, \"vendor/inner\" among them",
        "inside the submodule",
    );
    check(
        &|project| {
            put(project, "docs/a", "a\n");
            commit(project);
            project.git(&["sparse-checkout", "set", "lib", ".planning"]);
        },
        ENVIRONMENT,
        "only a part of the repository is checked out",
        "git sparse-checkout disable",
    );
    check(&large_files, ENVIRONMENT, "kept in Git LFS", "take filter=lfs out of .gitattributes");
    check(
        &|project| {
            project.git(&["config", "--unset", "user.name"]);
            project.git(&["config", "--unset", "user.email"]);
        },
        ENVIRONMENT,
        "git has no name and email for you",
        "git config --global user.name",
    );
}

fn submodule(project: &Project) {
    let inner = project.around().join("inner");
    let at = ["-C", inner.to_str().unwrap()];
    project.git(&["init", "--quiet", inner.to_str().unwrap()]);
    let identity = ["-c", "user.name=B", "-c", "user.email=b@example.org"];
    let first = ["commit", "--quiet", "--allow-empty", "-m", "inner"];
    project.git(&[&at[..], &identity, &first].concat());
    let allowed = ["-c", "protocol.file.allow=always"];
    let add = ["submodule", "--quiet", "add", inner.to_str().unwrap(), "vendor/inner"];
    project.git(&[&allowed[..], &add].concat());
    commit(project);
}

/// As they lie where `git-lfs` is not installed.
fn large_files(project: &Project) {
    put(project, ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    let pointer = "version https://git-lfs.github.com/spec/v1\n\
                   oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    put(project, "large.bin", pointer);
    commit(project);
}

#[test]
fn files_in_git_lfs_are_refused_without_starting_it_where_it_is_installed() {
    let project = Project::small(work());
    large_files(&project);
    let (program, trace) = trap(&project, ".git/git-lfs", "exec sleep 300");
    for (name, value) in [("clean", ""), ("smudge", ""), ("process", " filter-process")] {
        let line = format!("{}{value}", program.display());
        project.git(&["config", &format!("filter.lfs.{name}"), &line]);
    }
    project.git(&["config", "filter.lfs.required", "true"]);
    // It looks changed, so that git would ask the filter what is in it.
    put(&project, "large.bin", "now the file itself\n");
    let refused = project.run(&["run", "--complete"]);
    assert_refused(&refused, &project, (ENVIRONMENT, "kept in Git LFS", "git lfs pull"));
    assert!(!trace.exists(), "the filter was started");
}

#[test]
fn a_project_in_a_folder_of_a_repository_is_refused_with_the_place_to_go() {
    let project = Project::small(work());
    let root = project.root().to_path_buf();
    std::fs::remove_dir_all(root.join(".git")).unwrap();
    let top = project.around().to_path_buf();
    let in_top = |words: &[&str]| {
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        project.git(&[&["-C", top.to_str().unwrap()][..], &identity, words].concat())
    };
    in_top(&["init", "--quiet", "--initial-branch=main"]);
    in_top(&["add", "way"]);
    in_top(&["commit", "--quiet", "-m", "all of it"]);
    let refused = project.run(&["run", "--complete"]);
    let place = top.canonicalize().unwrap();
    let what = format!("the project is a folder of the repository {}", place.display());
    assert_refused(&refused, &project, (ENVIRONMENT, &what, "move .planning to"));
    assert_eq!(in_top(&["status", "--porcelain", "--", "way"]), "");
}

#[test]
fn commit_signing_and_hooks_of_the_user_are_neither_used_nor_in_the_way() {
    let signing = |project: &Project| {
        let (program, trace) = trap(project, ".git/sign", "exec sleep 300");
        for (name, value) in [
            ("commit.gpgSign", "true"),
            ("tag.gpgSign", "true"),
            ("user.signingKey", "ABCDEF"),
            ("gpg.program", program.to_str().unwrap()),
            ("gpg.ssh.program", program.to_str().unwrap()),
            ("log.showSignature", "true"),
        ] {
            project.git(&["config", name, value]);
        }
        trace
    };
    let husky = |project: &Project| {
        let (pre_commit, trace) = trap(project, ".husky/pre-commit", "exit 1");
        for name in ["commit-msg", "post-commit", "post-checkout", "reference-transaction"] {
            std::fs::copy(&pre_commit, pre_commit.with_file_name(name)).unwrap();
        }
        commit(project);
        let _committed_by_nobody = std::fs::remove_file(&trace);
        project.git(&["config", "core.hooksPath", ".husky"]);
        trace
    };
    let check = |name: &str, prepare: &dyn Fn(&Project) -> PathBuf| {
        let project = Project::small(work());
        let trace = prepare(&project);
        assert_works(&project, name);
        let merged = project.run(&["merge"]);
        assert_eq!(merged.code, 0, "{name}: {merged:?}");
        assert!(!trace.exists(), "{name}: a program of the user's was started");
    };
    check("signing", &signing);
    check("husky", &husky);
}

#[test]
fn a_shallow_clone_is_worked_in_and_merged() {
    let origin = Project::small(work());
    origin.git(&["commit", "--quiet", "--allow-empty", "-m", "second"]);
    let clone = TemporaryProject::named("way").unwrap();
    let from = format!("file://{}", origin.root().display());
    let to = clone.root().to_str().unwrap();
    origin.git(&["clone", "--quiet", "--depth=1", &from, to]);
    let clone = clone.file("new", "with a commit of its own\n").unwrap();
    let project = Project::committed(clone, &super::script::script(work()));
    assert!(project.root().join(".git/shallow").exists());
    assert_works(&project, "shallow");
    let merged = project.run(&["merge"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    assert_whole(&project, "shallow and merged");
}

/// A worktree the user made, on a branch of its own, beside the one that has `main`.
#[test]
fn a_run_in_a_linked_worktree_moves_its_branch_and_no_other() {
    let project = Project::small(work());
    let linked = project.around().join("linked");
    project.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let seen = || (project.git(&["rev-parse", "main", "HEAD"]), status(&project));
    let before = seen();
    let ended = in_folder(&project, &linked).run(&["run", "--complete", "--merge"]).unwrap();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(std::fs::read_to_string(linked.join("lib/1")).unwrap(), "base\n");
    assert_eq!(project.git(&["-C", linked.to_str().unwrap(), "status", "--porcelain"]), "");
    assert_eq!(seen(), before);
    assert_whole(&project, "linked");
}

fn in_folder(project: &Project, folder: &Path) -> BuiltCommand {
    let around = project.around().to_str().unwrap();
    let command = BuiltCommand::new(PROGRAM, folder).variable("HOME", around);
    command.variable("XDG_STATE_HOME", &format!("{around}/state"))
}

#[test]
fn a_branch_that_is_checked_out_twice_is_worked_from_and_left_where_it_is() {
    let project = Project::small(work());
    let twin = project.around().join("twin");
    project.git(&["worktree", "add", "--quiet", "--force", twin.to_str().unwrap(), "main"]);
    let (before, head) = (UsersOwn::of(&project), project.git(&["rev-parse", "main"]));
    let ended = project.run(&["run", "--complete", "--merge"]);
    assert_eq!(ended.code, 3, "the work is done, the merge is a person's: {ended:?}");
    let words = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("not merged: ") && words.contains("twin"), "{words}");
    assert_eq!((UsersOwn::of(&project), project.git(&["rev-parse", "main"])), (before, head));
    assert_whole(&project, "checked out twice");
}

#[test]
fn a_red_baseline_ends_the_run_before_an_agent_is_started() {
    let project = Project::small(work());
    put(&project, "tests/red.sh", "exit 1\n");
    commit(&project);
    let before = UsersOwn::of(&project);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, GATE_NOT_MET, "{ended:?}");
    let words = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("halted before any work: test does not hold on your commit"), "{words}");
    assert!(words.contains("test is red: sh test.sh"), "{words}");
    assert!(words.contains("mend it, or run with --accept-red"), "{words}");
    assert_eq!((starts(&project).len(), UsersOwn::of(&project)), (0, before));
    assert_whole(&project, "red baseline");
}

#[test]
fn a_test_that_is_flaky_on_the_users_commit_does_not_end_the_run() {
    let looked = "[ -e \"$TMPDIR/looked\" ] || { touch \"$TMPDIR/looked\"; exit 1; }\n";
    let project = Project::with_test(looked, work());
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("baseline: test FLAKY"), "{}", ended.stdout);
    assert_whole(&project, "flaky");
}

const COPIES: &str = r#"{
  "project": {"commands": {"compile": null, "test": "sh test.sh", "lint": null, "build": null}},
  "autopilot": {"agent": "scripted", "script": "../script.json", "min_phase_time": 0, "min_verify_time": 0,
                "worktree_copy": [".env"]}
}
"#;

/// A project whose tests need a package that npm brings in and a key that only the user has.
fn with_key(config: &str, ignored: &str) -> Project {
    let lock = r#"{"name": "way", "version": "1.0.0", "lockfileVersion": 3, "packages": {
        "": {"name": "way", "version": "1.0.0", "dependencies": {"part": "file:part"}},
        "node_modules/part": {"resolved": "part", "link": true}, "part": {"version": "1.0.0"}}}"#;
    let project = TemporaryProject::named("way").unwrap();
    let project = project
        .file("package-lock.json", lock)
        .and_then(|it| {
            it.file(
                "package.json",
                r#"{"name": "way", "version": "1.0.0", "dependencies": {"part": "file:part"}}"#,
            )
        })
        .and_then(|it| it.file("part/package.json", r#"{"name": "part", "version": "1.0.0"}"#))
        .and_then(|it| {
            it.file(
                "tests/package.sh",
                "[ -e node_modules/part/package.json ] && [ ! -e node_modules/mine ]\n",
            )
        })
        .and_then(|it| it.file("tests/key.sh", "grep -q KEY=1 .env\n"))
        .and_then(|it| it.file(".gitignore", ignored))
        .unwrap();
    let project = Project::small_in(project, config, work());
    put(&project, ".env", "KEY=1\n");
    project
}

#[test]
fn ignored_packages_are_installed_anew_and_an_ignored_file_is_copied_where_it_is_named() {
    let project = with_key(COPIES, "node_modules\n.env\n");
    put(&project, "node_modules/mine", "of the user's own installation\n");
    assert_works(&project, "ignored");
    let listed = project.git(&["ls-tree", "-r", "--name-only", &run_branch(&project)]);
    assert!(!listed.contains(".env") && !listed.contains("node_modules"), "{listed}");
    assert!(project.root().join("node_modules/mine").exists());
}

#[test]
fn packages_that_nobody_ignores_are_still_no_work_and_stay_for_the_next_check() {
    let project = with_key(COPIES, ".env\n");
    assert_works(&project, "not ignored");
    let listed = project.git(&["ls-tree", "-r", "--name-only", &run_branch(&project)]);
    assert!(!listed.contains("node_modules"), "{listed}");
}

#[test]
fn a_file_that_is_not_named_is_not_copied_and_one_that_is_not_ignored_is_refused() {
    let without = COPIES.replace(r#""worktree_copy": [".env"]"#, r#""worktree_copy": []"#);
    let project = with_key(&without, "node_modules\n.env\n");
    let ended = project.run(&["run", "--complete"]);
    assert_eq!((ended.code, starts(&project).len()), (GATE_NOT_MET, 0), "{ended:?}");
    let project = with_key(COPIES, "node_modules\n");
    let refused = project.run(&["run", "--complete", "--allow-dirty"]);
    let said =
        (USAGE, "worktree_copy names \".env\", which git does not ignore", "add it to .gitignore");
    assert_refused(&refused, &project, said);
}
