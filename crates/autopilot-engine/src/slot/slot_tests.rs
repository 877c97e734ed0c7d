//! What a run does with a slot, with real git.

use std::os::unix::fs::symlink;

use super::fixture::{Fixture, RUN, paths, write};
use super::*;
use crate::git::ObjectId;
use crate::run_branch::{self, Created, Forwarded};

fn kept_names(kept: &[Rescue]) -> Vec<&str> {
    let prefix = "refs/autopilot/20260102-0304/rescue/";
    kept.iter().map(|rescue| rescue.name.strip_prefix(prefix).unwrap()).collect()
}

#[test]
fn a_phase_is_worked_on_committed_and_merged_without_touching_the_users_tree() {
    let fixture = Fixture::new();
    write(&fixture.root(), ".planning/ROADMAP.md", "# Roadmap\n");
    write(&fixture.root(), "README.md", "staged\n");
    fixture.plain("git add README.md");
    write(&fixture.root(), "src/main.rs", "changed by the user\n");
    let before = fixture.of_the_user();
    let checkout = fixture.checkout();
    let tree = crate::git::user_tree::look(&checkout).unwrap();
    assert_eq!(tree.dirty, paths(&["README.md", "src/main.rs"]));
    let base = tree.head.unwrap();
    let created =
        run_branch::create(&checkout, &fixture.names, &base, &tree.planning_changes).unwrap();
    let start = created.commit().clone();
    let slot = fixture.slot();
    assert_eq!(slot.begin(&fixture.branch(), &start, "begin").unwrap(), []);
    assert_eq!(std::fs::read(slot.folder().join("README.md")).unwrap(), b"one\ntwo\nthree\n");
    assert_eq!(std::fs::read(slot.folder().join(".planning/ROADMAP.md")).unwrap(), b"# Roadmap\n");
    write(slot.folder(), "src/lib.rs", "pub fn new() {}\n");
    write(slot.folder(), "target/cache", "kept\n");
    write(slot.folder(), ".planning/phases/3/LOG.md", "not yet\n");
    std::fs::remove_file(slot.folder().join("README.md")).unwrap();
    let order = CommitOrder {
        base: start.clone(),
        exclude: paths(&[".planning/phases/3"]),
        ..fixture.order("key-1")
    };
    let (commit, files) = fixture.made(&slot, &order);
    assert_eq!(files, paths(&["README.md", "src/lib.rs"]));
    assert_eq!(
        fixture.plain(&format!("git show --name-status --format='%an <%ae> %P%n%B' {commit}")),
        format!(
            "Ada Lovelace <ada@example.com> {start}\nfeat: key-1\n\nWith a body.\n\n\
             Autopilot-Run: {RUN}\nAutopilot-Phase: 3\nAutopilot-Key: key-1\n\n\n\
             D\tREADME.md\nA\tsrc/lib.rs\n"
        )
    );
    // An agent that looks sees what is true.
    let seen = fixture.plain_in(slot.folder(), "git status --porcelain --branch -uall");
    assert_eq!(seen, format!("## autopilot/{RUN}-phase-3\n?? .planning/phases/3/LOG.md\n"));
    let forward = || run_branch::fast_forward(&checkout, &fixture.names, &start, &commit).unwrap();
    assert_eq!((forward(), forward()), (Forwarded::Moved, Forwarded::AlreadyThere));
    assert_eq!(fixture.id(&format!("refs/heads/autopilot/{RUN}")), commit);
    slot.rescue("end").unwrap().unwrap();
    slot.reset(&fixture.branch(), &start, "reset").unwrap();
    assert_eq!(fixture.of_the_user(), before);
}

#[test]
fn begin_makes_a_clean_tree_keeps_caches_and_loses_nothing() {
    let fixture = Fixture::new();
    let slot = fixture.begun();
    let base = fixture.head();
    write(slot.folder(), "src/lib.rs", "1\n");
    let (first, _) = fixture.made(&slot, &fixture.order("key-1"));
    write(slot.folder(), "src/lib.rs", "dirty\n");
    write(slot.folder(), "notes.txt", "untracked\n");
    write(slot.folder(), "target/cache", "kept\n");
    let kept = slot.begin(&fixture.branch(), &base, "again").unwrap();
    assert_eq!(kept_names(&kept), ["again", "again-files"]);
    assert_eq!(kept[0].commit, first);
    let shown = |file: &str| fixture.plain(&format!("git show {}:{file}", kept[1].name));
    assert_eq!(shown("src/lib.rs") + &shown("notes.txt"), "dirty\nuntracked\n");
    assert_eq!(fixture.id(&format!("{}^", kept[1].name)), first);
    let status = "git status --porcelain --branch --ignored; cat target/cache";
    assert_eq!(
        fixture.plain_in(slot.folder(), status),
        format!("## autopilot/{RUN}-phase-3\n!! target/\nkept\n")
    );
    assert_eq!(fixture.id(&fixture.branch().full()), base);
    assert!(
        !slot.folder().join("src/lib.rs").exists() && !slot.folder().join("notes.txt").exists()
    );
}

#[test]
fn every_effect_performed_twice_leaves_the_same_refs_and_files() {
    let fixture = Fixture::new();
    let (checkout, names, branch) = (fixture.checkout(), &fixture.names, fixture.branch());
    write(&fixture.root(), ".planning/a.md", "a\n");
    let planning = paths(&[".planning/a.md"]);
    let slot = fixture.slot();
    let run = format!("refs/heads/autopilot/{RUN}");
    let start = || fixture.id(&format!("{run}^{{/^planning:}}"));
    let tip = || fixture.id(&branch.full());
    let dirty = || write(slot.folder(), "new.txt", "new\n");
    let twice = |name: &str, effect: &dyn Fn()| {
        effect();
        let once = fixture.of_the_run();
        effect();
        assert_eq!(fixture.of_the_run(), once, "{name}");
    };
    twice("create", &|| {
        run_branch::create(&checkout, names, &fixture.head(), &planning).unwrap();
    });
    twice("begin", &|| drop(slot.begin(&branch, &start(), "begin").unwrap()));
    dirty();
    twice("rescue", &|| assert!(slot.rescue("task-1").unwrap().is_some()));
    twice("commit", &|| {
        let outcome = slot.commit(&CommitOrder { base: start(), ..fixture.order("key-1") });
        assert!(matches!(outcome, Ok(Outcome::Made { .. } | Outcome::Found { .. })));
    });
    let made = tip();
    twice("forward", &|| {
        run_branch::fast_forward(&checkout, names, &start(), &made).unwrap();
        assert_eq!(fixture.id(&run), made);
    });
    fixture.plain_in(slot.folder(), "git commit --quiet --allow-empty -m 'by the agent'");
    let by_agent = tip();
    twice("fold", &|| drop(slot.fold(&branch, &made, "fold").unwrap()));
    twice("reset", &|| {
        dirty();
        write(slot.folder(), "src/main.rs", "x");
        slot.reset(&branch, &start(), "reset").unwrap();
    });
    let rescued = |label: &str| fixture.id(&format!("refs/autopilot/{RUN}/rescue/{label}"));
    assert_eq!((rescued("fold"), rescued("reset"), tip()), (by_agent, made, start()));
}

#[test]
fn a_commit_is_made_once_found_afterwards_and_refused_when_there_is_nothing() {
    let fixture = Fixture::new();
    let slot = fixture.begun();
    let order = fixture.order("key-1");
    let nothing = Outcome::NothingToCommit { left_out: Vec::new() };
    assert_eq!(slot.commit(&order).unwrap(), nothing);
    write(slot.folder(), "a.txt", "a\n");
    let (commit, _) = fixture.made(&slot, &order);
    write(slot.folder(), "b.txt", "b\n");
    assert_eq!(slot.commit(&order).unwrap(), Outcome::Found { commit: commit.clone() });
    // A message cannot pass for a key.
    let forged = CommitOrder {
        message: "feat: b\n\nAutopilot-Key: key-3\n".into(),
        trailers: vec![("Autopilot-Task".into(), "1\nAutopilot-Key: key-3".into())],
        ..fixture.order("key-2")
    };
    let (second, _) = fixture.made(&slot, &forged);
    write(slot.folder(), "c.txt", "c\n");
    let (third, _) = fixture.made(&slot, &fixture.order("key-3"));
    assert_eq!(fixture.id(&format!("{third}^")), second);
    // A key in a commit the branch began with is not this run's.
    let later = CommitOrder { base: third, ..order };
    assert_eq!(slot.commit(&later).unwrap(), nothing);
}

#[test]
fn what_an_agent_commits_is_seen_and_folded_into_plain_changes() {
    let fixture = Fixture::new();
    let slot = fixture.begun();
    let (base, branch) = (fixture.head(), fixture.branch());
    assert_eq!(slot.head(&branch, &base).unwrap(), Head::InPlace);
    write(slot.folder(), "a.txt", "a\n");
    fixture.plain_in(slot.folder(), "git add -A && git commit --quiet -m 'by the agent'");
    let by_agent = fixture.id(&branch.full());
    let commits = vec![ForeignCommit { commit: by_agent.clone(), subject: "by the agent".into() }];
    let moved = |branch: Option<&str>, commit: &ObjectId, commits: &[ForeignCommit]| Head::Moved {
        branch: branch.map(str::to_owned),
        commit: Some(commit.clone()),
        commits: commits.to_vec(),
    };
    assert_eq!(
        slot.head(&branch, &base).unwrap(),
        moved(Some(branch.short()), &by_agent, &commits)
    );
    let folded = slot.fold(&branch, &base, "by-agent").unwrap();
    assert_eq!((folded.commits, kept_names(&folded.kept)), (commits, vec!["by-agent"]));
    assert_eq!(folded.kept[0].commit, by_agent);
    let (commit, files) = fixture.made(&slot, &fixture.order("key-1"));
    assert_eq!(files, paths(&["a.txt"]));
    assert_eq!(fixture.id(&format!("{commit}^")), base);
    // Switching away is seen too, and the user's branch is not moved by what follows.
    fixture.plain_in(slot.folder(), "git switch --quiet --detach");
    assert_eq!(slot.head(&branch, &commit).unwrap(), moved(None, &commit, &[]));
    let head = slot.git_dir.join("HEAD");
    std::fs::write(head, "ref: refs/heads/trunk\n").unwrap();
    assert_eq!(slot.head(&branch, &commit).unwrap(), moved(Some("trunk"), &base, &[]));
    write(slot.folder(), "b.txt", "b\n");
    let refused = slot.commit(&fixture.order("key-2")).unwrap_err();
    assert!(matches!(refused, GitError::HeadElsewhere { .. }), "{refused}");
    slot.fold(&branch, &commit, "by-agent").unwrap();
    fixture.made(&slot, &fixture.order("key-2"));
    assert_eq!(fixture.id("refs/heads/trunk"), base);
}

#[test]
fn the_agents_index_has_no_say_in_what_is_committed() {
    let fixture = Fixture::new();
    let slot = fixture.begun();
    fixture.plain_in(
        slot.folder(),
        "git update-index --assume-unchanged src/main.rs && git update-index --skip-worktree README.md",
    );
    write(slot.folder(), "src/main.rs", "hidden\n");
    write(slot.folder(), "README.md", "hidden\n");
    write(slot.folder(), "staged.txt", "staged\n");
    fixture.plain_in(slot.folder(), "git add staged.txt && rm staged.txt");
    let (_, files) = fixture.made(&slot, &fixture.order("key-1"));
    assert_eq!(files, paths(&["README.md", "src/main.rs"]));
    // Also not when time stands still: same size, same time of change.
    let path = slot.folder().join("README.md");
    let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
    std::fs::write(&path, "HIDDEN\n").unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    let (_, files) = fixture.made(&slot, &fixture.order("key-2"));
    assert_eq!(files, paths(&["README.md"]));
}

#[test]
fn changes_tell_every_kind_and_count_lines() {
    let fixture = Fixture::new();
    let slot = fixture.begun();
    let base = fixture.head();
    let unchanged = slot.changes(&base).unwrap();
    assert_eq!((unchanged.files, unchanged.tree), (Vec::new(), fixture.id("HEAD^{tree}")));
    write(slot.folder(), "long.txt", "1\n2\n3\n4\n5\n6\n7\n8\n");
    fixture.made(&slot, &fixture.order("key-1"));
    let middle = fixture.id(&fixture.branch().full());
    std::fs::rename(slot.folder().join("long.txt"), slot.folder().join("-moved\n.txt")).unwrap();
    write(slot.folder(), "README.md", "one\nzwei\nthree\nfour\n");
    std::fs::remove_file(slot.folder().join("src/main.rs")).unwrap();
    write(slot.folder(), "bytes.bin", [0, 1, 2]);
    write(slot.folder(), "target/ignored", "x\n");
    let change = |path: &str, kind, added_lines, removed_lines| Change {
        path: path.into(),
        kind,
        added_lines,
        removed_lines,
    };
    let changes = slot.changes(&middle).unwrap();
    let renamed = ChangeKind::Renamed { from: "long.txt".into() };
    assert_eq!(
        changes.files,
        [
            change("-moved\n.txt", renamed, 0, 0),
            change("README.md", ChangeKind::Modified, 2, 1),
            change("bytes.bin", ChangeKind::Added, 0, 0),
            change("src/main.rs", ChangeKind::Deleted, 0, 1),
        ]
    );
    assert_eq!((changes.added_lines(), changes.removed_lines()), (2, 2));
    // Looking changed nothing, and what was looked at is what is committed.
    let (commit, _) = fixture.made(&slot, &fixture.order("key-2"));
    assert_eq!(fixture.checkout().tree_of(&commit).unwrap(), changes.tree);
    assert_eq!(slot.changes(&middle).unwrap(), changes);
}

#[test]
fn what_does_not_belong_into_a_commit_is_left_out_by_name() {
    let fixture = Fixture::new();
    let slot = fixture.begun();
    let folder = slot.folder();
    fixture.plain_in(folder, "git init --quiet empty && git init --quiet full && mkfifo pipe");
    fixture.plain_in(folder, "cd full && git commit --quiet --allow-empty -m inner");
    fixture.plain_in(folder, "rm README.md && mkfifo README.md");
    write(folder, ".GIT/config", "x\n");
    write(folder, "sub/git~1", "x\n");
    std::fs::File::create(folder.join("huge")).unwrap().set_len(1 << 40).unwrap();
    symlink("/etc/passwd", folder.join("link")).unwrap();
    write(folder, "good.txt", "good\n");
    let outcome = slot.commit(&fixture.order("key-1")).unwrap();
    let Outcome::Made { commit, files, left_out } = outcome else { panic!("{outcome:?}") };
    assert_eq!(files, paths(&["good.txt", "link"]));
    let expected = [
        ("README.md", LeftOutWhy::NotAFile),
        (".GIT/config", LeftOutWhy::ForbiddenName),
        ("empty/", LeftOutWhy::Repository),
        ("full/", LeftOutWhy::Repository),
        ("huge", LeftOutWhy::TooLarge { bytes: 1 << 40 }),
        ("sub/git~1", LeftOutWhy::ForbiddenName),
    ];
    let expected = expected.map(|(path, why)| LeftOut { path: path.into(), why });
    assert_eq!(left_out, expected);
    let listed =
        fixture.plain(&format!("git ls-tree -r {commit} | cut -f2; git show {commit}:link"));
    assert_eq!(listed, ".gitignore\nREADME.md\ngood.txt\nlink\nsrc/main.rs\n/etc/passwd");
    let rescue = slot.rescue("rest").unwrap();
    assert_eq!(rescue, None, "nothing but what is left out differs");
    slot.reset(&fixture.branch(), &commit, "reset").unwrap();
    assert_eq!(
        fixture.plain_in(folder, "git status --porcelain; cat README.md"),
        "one\ntwo\nthree\n"
    );
    assert!(!folder.join("full").exists() && !folder.join("huge").exists());
}

#[test]
fn a_rescue_leaves_out_what_is_too_large_and_says_so() {
    let fixture = Fixture::new();
    let slot = fixture.begun();
    assert_eq!(slot.rescue("clean").unwrap(), None);
    let before = fixture.of_the_run();
    write(slot.folder(), "small.txt", "small\n");
    let bytes = autopilot_core::limits::RESCUE_FILE_BYTES_MAX + 1;
    std::fs::File::create(slot.folder().join("large")).unwrap().set_len(bytes).unwrap();
    let rescue = slot.rescue("task-1").unwrap().unwrap();
    let large = LeftOut { path: "large".into(), why: LeftOutWhy::TooLarge { bytes } };
    assert_eq!(rescue.left_out, [large]);
    assert_eq!(kept_names(std::slice::from_ref(&rescue)), ["task-1"]);
    assert_eq!(fixture.plain(&format!("git show {}:small.txt", rescue.name)), "small\n");
    assert_eq!(slot.head(&fixture.branch(), &fixture.head()).unwrap(), Head::InPlace);
    write(slot.folder(), "small.txt", "other\n");
    let second = slot.rescue("task-1").unwrap().unwrap();
    assert_eq!(kept_names(&[second]), ["task-1.2"]);
    slot.reset(&fixture.branch(), &fixture.head(), "reset").unwrap();
    let after = fixture.of_the_run();
    let added = after.lines().filter(|line| !before.contains(line)).count();
    assert_eq!(added, 2, "two refs and nothing else: {after}");
}

#[test]
fn unusual_names_go_through_unchanged() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let fixture = Fixture::new();
    let slot = fixture.begun();
    let names: [&[u8]; 8] = [
        b"line\nbreak",
        b"\"quoted\"",
        b"-rf",
        b"not \xff\xfe utf-8",
        b" blank ",
        b"tab\there",
        b":(glob)**",
        b"back\\slash*?[a]",
    ];
    for name in names {
        std::fs::write(slot.folder().join(OsStr::from_bytes(name)), name).unwrap();
    }
    let changes = slot.changes(&fixture.head()).unwrap();
    let (commit, mut files) = fixture.made(&slot, &fixture.order("key-1"));
    let mut expected: Vec<PathBuf> =
        names.iter().map(|name| PathBuf::from(OsStr::from_bytes(name))).collect();
    expected.sort();
    files.sort();
    let mut changed: Vec<PathBuf> = changes.files.into_iter().map(|change| change.path).collect();
    changed.sort();
    assert_eq!((&files, &changed), (&expected, &expected));
    slot.reset(&fixture.branch(), &fixture.head(), "reset").unwrap();
    assert!(expected.iter().all(|path| !slot.folder().join(path).exists()));
    slot.begin(&fixture.branch(), &commit, "begin").unwrap();
    for name in names {
        assert_eq!(std::fs::read(slot.folder().join(OsStr::from_bytes(name))).unwrap(), name);
    }
}

#[test]
fn slots_lie_outside_the_repository_under_a_readable_name() {
    let fixture = Fixture::new();
    let folder = fixture.folder();
    let state = fixture.fake.home().join(".local/state/autopilot");
    let key = folder.parent().unwrap().strip_prefix(&state).unwrap().to_str().unwrap();
    assert!(key.starts_with("project.") && key.len() == "project.".len() + 8, "{key}");
    assert!(folder.ends_with("slot-1"));
    assert_eq!(project_key(Path::new("/a/b c")), project_key(Path::new("/a/b c")));
    assert_ne!(project_key(Path::new("/a/app")), project_key(Path::new("/b/app")));
    assert!(project_key(Path::new("/a/../ü\n")).starts_with("--."));
}

#[test]
fn a_found_branch_of_a_run_is_left_as_it_is() {
    let fixture = Fixture::new();
    let checkout = fixture.checkout();
    let create = || run_branch::create(&checkout, &fixture.names, &fixture.head(), &[]).unwrap();
    assert_eq!(create(), Created::At(fixture.head()));
    fixture.plain("git commit --quiet --allow-empty -m later");
    assert_eq!(create(), Created::Found(fixture.id("HEAD^")));
}
