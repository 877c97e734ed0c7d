//! Programs planted by an agent, in its own files and in the repository's git folder. Each trap is real: after it was shown
//! that nothing of ours runs it, a plain git command in the same place does.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::fixture::{Fixture, RUN, paths, write};
use super::{CommitOrder, LeftOutWhy, Outcome, Slot};
use crate::fake_programs::write_executable;
use crate::run_branch::{self, Forwarded};

struct Trapped {
    fixture: Fixture,
    slot: Slot,
    mark: PathBuf,
    trap: String,
}

impl Trapped {
    fn new() -> Self {
        let fixture = Fixture::new();
        let slot = fixture.begun();
        let mark = fixture.fake.home().join("mark");
        let body = format!("echo \"$0 $*\" >> '{}'; cat", mark.display());
        let trap = fixture.fake.script("trap", &body).display().to_string();
        Trapped { fixture, slot, mark, trap }
    }

    fn git_folder(&self) -> PathBuf {
        self.fixture.root().join(".git")
    }

    /// Adds to a settings file, `TRAP` standing for the program.
    fn settings(&self, file: &Path, text: &str) {
        let old = std::fs::read_to_string(file).unwrap_or_default();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, old + &text.replace("TRAP", &self.trap) + "\n").unwrap();
    }

    fn hooks(&self, folder: &Path) {
        std::fs::create_dir_all(folder).unwrap();
        let hooks = "applypatch-msg pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-merge \
                     post-index-change reference-transaction post-rewrite pre-auto-gc fsmonitor-watchman";
        for hook in hooks.split_whitespace() {
            write_executable(
                &folder.join(hook),
                &format!("#!/bin/sh\necho {hook} >> '{}'\n", self.mark.display()),
            );
        }
    }

    /// Everything a run does with a slot, on files that make filters, merges and differences tempting.
    fn everything(&self, name: &str) {
        let Trapped { fixture, slot, .. } = self;
        let checkout = fixture.checkout();
        let (branch, base) = (fixture.branch(), fixture.head());
        let user = fixture.plain_user_refs();
        write(slot.folder(), "src/main.rs", "changed\n");
        write(slot.folder(), "new.txt", "new\n");
        run_branch::create(&checkout, &fixture.names, &base, &paths(&[])).unwrap();
        let slot = Slot::open(&checkout, &fixture.names, slot.folder()).unwrap();
        slot.head(&branch, &base).unwrap();
        slot.fold(&branch, &base, "fold").unwrap();
        slot.rescue("before").unwrap().unwrap();
        assert!(!slot.changes(&base).unwrap().files.is_empty(), "{name}");
        let (commit, files) = fixture.made(&slot, &fixture.order("key-1"));
        assert!(files.contains(&"src/main.rs".into()), "{name}: {files:?}");
        let moved = run_branch::fast_forward(&checkout, &fixture.names, &base, &commit).unwrap();
        assert_eq!(moved, Forwarded::Moved, "{name}");
        write(slot.folder(), "src/main.rs", "again\n");
        slot.begin(&branch, &base, "begin").unwrap();
        write(slot.folder(), "src/main.rs", "and again\n");
        slot.reset(&branch, &commit, "reset").unwrap();
        let text = std::fs::read_to_string(slot.folder().join("src/main.rs")).unwrap();
        assert_eq!(text, "changed\n", "{name}");
        crate::git::user_tree::look(&checkout).unwrap();
        let ran = std::fs::read_to_string(&self.mark).unwrap_or_default();
        assert_eq!(ran, "", "{name} ran");
        assert_eq!(fixture.plain_user_refs(), user, "{name}");
    }

    /// A plain command steps into the trap, or it is none.
    fn springs(&self, name: &str, folder: &Path, line: &str) {
        let _ = std::fs::remove_file(&self.mark);
        let (_, said) = self.fixture.attempt_in(folder, line);
        assert!(self.mark.exists(), "{name}: not a trap: {said}");
    }
}

impl Fixture {
    fn begun_again(&self) -> Slot {
        let slot = self.slot();
        slot.begin(&self.branch(), &self.head(), "again").unwrap();
        slot
    }

    /// Read from the files: a git command would step into the traps.
    fn plain_user_refs(&self) -> String {
        self.plain("cat .git/HEAD .git/refs/heads/trunk")
    }
}

/// In the repository's settings: a name, the text, attributes for all files, and the command that springs it.
const SETTINGS: [(&str, &str, &str, &str); 13] = [
    ("fsmonitor", "[core]\nfsmonitor = TRAP", "", "git status"),
    (
        "filter clean",
        "[filter \"a=b.c\"]\nclean = TRAP\nrequired = true",
        "filter=a=b.c",
        "touch README.md; echo x >> README.md; git add README.md",
    ),
    (
        "filter smudge",
        "[filter \"s\"]\nsmudge = TRAP\nrequired = true",
        "filter=s",
        "rm README.md; git checkout README.md",
    ),
    (
        "filter process",
        "[filter \"p\"]\nprocess = TRAP",
        "filter=p",
        "echo x >> README.md; git add README.md",
    ),
    ("external diff", "[diff]\nexternal = TRAP", "", "echo x >> README.md; git diff"),
    ("diff driver", "[diff \"d\"]\ncommand = TRAP", "diff=d", "echo x >> README.md; git diff"),
    ("textconv", "[diff \"t\"]\ntextconv = TRAP", "diff=t", "echo x >> README.md; git diff"),
    (
        "merge driver",
        "[merge \"m\"]\ndriver = TRAP",
        "merge=m",
        "git checkout -q --detach; echo a > README.md; git commit -qam a; git tag a; git checkout -q HEAD^; echo b > README.md; git commit -qam b; git merge a",
    ),
    (
        "signing",
        "[commit]\ngpgSign = true\n[gpg]\nprogram = TRAP",
        "",
        "git commit --allow-empty -m x",
    ),
    ("editor", "[core]\neditor = TRAP", "", "git commit --allow-empty"),
    ("ssh", "[core]\nsshCommand = TRAP </dev/null", "", "git fetch ssh://example.invalid/x"),
    (
        "trailer",
        "[trailer \"Autopilot-Key\"]\ncommand = TRAP",
        "",
        "git commit --allow-empty -m x --trailer Autopilot-Key=x",
    ),
    ("alias and pager", "[core]\npager = TRAP\n[alias]\nx = !TRAP", "", "git x"),
];

#[test]
fn no_program_in_the_repositorys_settings_runs() {
    let trapped = Trapped::new();
    let config = trapped.git_folder().join("config");
    let untouched = std::fs::read_to_string(&config).unwrap();
    let attributes = |pattern: &str, wanted: &dyn Fn(&str) -> bool| {
        let lines =
            SETTINGS.iter().filter(|(name, _, attribute, _)| wanted(name) && !attribute.is_empty());
        lines.map(|(_, _, attribute, _)| format!("{pattern} {attribute}\n")).collect::<String>()
    };
    // A file can go through one filter only, so the three are on three kinds of files.
    let filter = |pattern: &str, name: &str| attributes(pattern, &|found| found == name);
    let all = filter("*.rs", "filter clean")
        + &filter("*.md", "filter smudge")
        + &filter("*.txt", "filter process");
    let all = all + &attributes("*", &|name| !name.starts_with("filter"));
    for (_, text, _, _) in SETTINGS {
        trapped.settings(&config, text);
    }
    write(trapped.slot.folder(), ".gitattributes", all);
    write(trapped.slot.folder(), "README.md", "changed\n");
    trapped.everything("settings");
    for (name, text, _, springs) in SETTINGS {
        std::fs::write(&config, &untouched).unwrap();
        let slot = trapped.fixture.begun_again();
        trapped.settings(&config, text);
        write(slot.folder(), ".gitattributes", filter("*.md", name));
        trapped.springs(name, slot.folder(), springs);
    }
}

#[test]
fn no_hook_runs_wherever_it_lies() {
    let trapped = Trapped::new();
    trapped.hooks(&trapped.git_folder().join("hooks"));
    trapped.everything("hooks");
    trapped.springs("hooks", trapped.slot.folder(), "git commit --allow-empty -m x");
    let trapped = Trapped::new();
    let elsewhere = trapped.slot.folder().join("target/hooks");
    trapped.hooks(&elsewhere);
    let text = format!("[core]\nhooksPath = {}", elsewhere.display());
    trapped.settings(&trapped.git_folder().join("config"), &text);
    trapped.everything("hooks path");
    trapped.springs("hooks path", trapped.slot.folder(), "git commit --allow-empty -m x");
}

#[test]
fn settings_in_other_files_run_nothing_either() {
    let traps = "[core]\nfsmonitor = TRAP\n[filter \"f\"]\nclean = TRAP\nsmudge = TRAP";
    let including = [
        ("include", "[include]\npath = evil".to_owned()),
        ("include on a branch", "[includeIf \"onbranch:autopilot/**\"]\npath = evil".to_owned()),
        ("include in a folder", "[includeIf \"gitdir:**\"]\npath = evil".to_owned()),
    ];
    for (name, text) in including {
        let trapped = Trapped::new();
        trapped.settings(&trapped.git_folder().join("evil"), traps);
        trapped.settings(&trapped.git_folder().join("config"), &text);
        write(trapped.slot.folder(), ".gitattributes", "* filter=f\n");
        trapped.everything(name);
        trapped.springs(name, trapped.slot.folder(), "git status");
    }
    let trapped = Trapped::new();
    let config = trapped.git_folder().join("config");
    trapped.settings(&config, "[extensions]\nworktreeConfig = true");
    trapped.settings(&trapped.slot.git_dir.join("config.worktree"), traps);
    write(trapped.slot.folder(), ".gitattributes", "* filter=f\n");
    trapped.everything("worktree settings");
    trapped.springs("worktree settings", trapped.slot.folder(), "git status");
    // A file that comes into being between two of our commands, where the settings already pointed.
    let trapped = Trapped::new();
    trapped.settings(&config_of(&trapped), "[include]\npath = later");
    trapped.slot.changes(&trapped.fixture.head()).unwrap();
    trapped.settings(&trapped.git_folder().join("later"), traps);
    write(trapped.slot.folder(), ".gitattributes", "* filter=f\n");
    trapped.everything("a file that came later");
}

fn config_of(trapped: &Trapped) -> PathBuf {
    trapped.git_folder().join("config")
}

#[test]
fn a_git_folder_in_place_of_the_pointer_is_not_believed() {
    let plant = |trapped: &Trapped, at: &Path| {
        trapped.fixture.plain_in(
            trapped.slot.folder(),
            &format!(
                "git init --quiet --bare '{0}' && git -C '{0}' config core.bare false",
                at.display()
            ),
        );
        trapped.settings(&at.join("config"), "[core]\nfsmonitor = TRAP\nworktree = ..");
        trapped.hooks(&at.join("hooks"));
    };
    let trapped = Trapped::new();
    let pointer = trapped.slot.folder().join(".git");
    std::fs::remove_file(&pointer).unwrap();
    plant(&trapped, &pointer);
    trapped.springs("a folder", trapped.slot.folder(), "git status");
    std::fs::remove_file(&trapped.mark).unwrap();
    trapped.everything("a folder");
    assert!(pointer.is_file());
    // A file that points elsewhere, and a link.
    let trapped = Trapped::new();
    let evil = trapped.slot.folder().join("target/evil");
    plant(&trapped, &evil);
    write(trapped.slot.folder(), ".git", format!("gitdir: {}\n", evil.display()));
    trapped.springs("a pointer", trapped.slot.folder(), "git status");
    std::fs::remove_file(&trapped.mark).unwrap();
    trapped.everything("a pointer");
    let trapped = Trapped::new();
    let evil = trapped.slot.folder().join("target/evil");
    plant(&trapped, &evil);
    let pointer = trapped.slot.folder().join(".git");
    std::fs::remove_file(&pointer).unwrap();
    symlink(&evil, &pointer).unwrap();
    trapped.everything("a link");
    assert!(std::fs::symlink_metadata(&pointer).unwrap().is_file());
    assert!(evil.join("config").exists(), "what the link led to is ignored and stays");
    // The same one level deeper: what the worktree's git folder calls the common one.
    let trapped = Trapped::new();
    let evil = trapped.fixture.fake.home().join("evil");
    plant(&trapped, &evil);
    write(&trapped.slot.git_dir, "commondir", format!("{}\n", evil.display()));
    trapped.springs("the common folder", trapped.slot.folder(), "git status");
    std::fs::remove_file(&trapped.mark).unwrap();
    trapped.everything("the common folder");
}

#[test]
fn repositories_among_the_files_run_nothing_and_are_left_out() {
    let trapped = Trapped::new();
    let folder = trapped.slot.folder();
    trapped.fixture.plain_in(
        folder,
        "git init --quiet inner && cd inner && echo 1 > a && git add a && git commit --quiet -m inner",
    );
    trapped.settings(&folder.join("inner/.git/config"), "[core]\nfsmonitor = TRAP");
    trapped.hooks(&folder.join("inner/.git/hooks"));
    write(
        folder,
        ".gitmodules",
        "[submodule \"inner\"]\n\tpath = inner\n\turl = ./inner\n\tupdate = !false\n",
    );
    trapped.fixture.plain_in(folder, "git init --quiet --bare bare.git");
    trapped.settings(
        &folder.join("bare.git/config"),
        "[core]\nbare = false\nworktree = ..\nfsmonitor = TRAP",
    );
    write(folder, "a.txt", "a\n");
    let outcome = trapped.slot.commit(&trapped.fixture.order("key-0")).unwrap();
    let Outcome::Made { left_out, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(left_out.len(), 1);
    assert_eq!(
        (left_out[0].path.as_path(), &left_out[0].why),
        (Path::new("inner/"), &LeftOutWhy::Repository)
    );
    let branch = trapped.fixture.branch();
    let base = trapped.fixture.head();
    trapped.slot.begin(&branch, &base, "begin").unwrap();
    assert!(!folder.join("inner").exists() && !folder.join("bare.git").exists());
    assert!(!trapped.mark.exists());
    // Below a folder with tracked files there is no whole folder to remove; it still runs nothing.
    trapped.fixture.plain_in(folder, "git init --quiet src");
    trapped.settings(&folder.join("src/.git/config"), "[core]\nfsmonitor = TRAP");
    trapped.hooks(&folder.join("src/.git/hooks"));
    trapped.everything("a repository around tracked files");
    trapped.springs("a repository around tracked files", &folder.join("src"), "git status");
}

#[test]
fn links_lead_nobody_out_of_the_slot() {
    let trapped = Trapped::new();
    let Trapped { fixture, slot, .. } = &trapped;
    let outside = fixture.fake.home().join("outside");
    write(&outside, "main.rs", "not ours\n");
    write(&outside, "other.txt", "not ours\n");
    let (branch, base) = (fixture.branch(), fixture.head());
    std::fs::remove_dir_all(slot.folder().join("src")).unwrap();
    symlink(&outside, slot.folder().join("src")).unwrap();
    let changes = slot.changes(&base).unwrap();
    let changed: Vec<_> = changes.files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(changed, paths(&["src", "src/main.rs"]));
    slot.reset(&branch, &base, "reset").unwrap();
    let text = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    assert_eq!(
        text(outside.join("main.rs")) + &text(outside.join("other.txt")),
        "not ours\nnot ours\n"
    );
    assert_eq!(text(slot.folder().join("src/main.rs")), "fn main() {}\n");
    // The slot itself as a link is refused, whatever is asked.
    let aside = slot.folder().with_file_name("aside");
    std::fs::rename(slot.folder(), &aside).unwrap();
    symlink(&outside, slot.folder()).unwrap();
    let order = CommitOrder { base: base.clone(), ..fixture.order("key-1") };
    let refusals = [
        slot.begin(&branch, &base, "x").unwrap_err(),
        slot.reset(&branch, &base, "x").unwrap_err(),
        slot.rescue("x").unwrap_err(),
        slot.changes(&base).unwrap_err(),
        slot.commit(&order).unwrap_err(),
        Slot::open(&fixture.checkout(), &fixture.names, slot.folder()).unwrap_err(),
    ];
    for refusal in refusals {
        assert!(refusal.to_string().contains("symbolic link"), "{refusal}");
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 2);
}

#[test]
fn a_head_that_points_at_the_users_branch_does_not_move_it() {
    let trapped = Trapped::new();
    let Trapped { fixture, slot, .. } = &trapped;
    let (branch, base) = (fixture.branch(), fixture.head());
    write(slot.folder(), "a.txt", "a\n");
    let (commit, _) = fixture.made(slot, &fixture.order("key-1"));
    std::fs::write(slot.git_dir.join("HEAD"), "ref: refs/heads/trunk\n").unwrap();
    slot.reset(&branch, &commit, "reset").unwrap();
    std::fs::write(slot.git_dir.join("HEAD"), "ref: refs/heads/trunk\n").unwrap();
    slot.begin(&branch, &base, "begin").unwrap();
    // The run's branch as another name for the user's.
    fixture.plain(&format!("git symbolic-ref refs/heads/autopilot/{RUN}-phase-3 refs/heads/trunk"));
    slot.begin(&branch, &commit, "begin").unwrap();
    assert_eq!((fixture.id("refs/heads/trunk"), fixture.id(&branch.full())), (base, commit));
}
