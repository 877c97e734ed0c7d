//! The user's folder is lent and comes back as it was, whatever happened in between.

use super::super::fixture::{Fixture, write};
use super::InPlace;

fn said(repository: &Fixture, line: &str) -> String {
    repository.plain(line).trim().to_string()
}

#[test]
fn a_lent_folder_comes_back_as_it_was_to_the_byte() {
    let repository = Fixture::new();
    write(&repository.root(), "target/cache", "the user's cache");
    let before = repository.of_the_user();
    let slot = repository.begun();
    let lent = InPlace::of(&slot);
    assert_eq!(
        lent.put(&repository.branch(), &repository.head(), None, Some("trunk")).unwrap(),
        []
    );
    write(&repository.root(), "src/main.rs", "fn main() { work() }\n");
    write(&repository.root(), "src/new.rs", "fn work() {}\n");
    std::fs::remove_file(repository.root().join("README.md")).unwrap();
    let work = lent.slot().keep_work(&repository.branch(), &repository.head(), &|_| false).unwrap();
    assert_eq!(work.work.unwrap().files, 3);
    assert_eq!(lent.give_back().unwrap(), [], "the work is kept already");
    let (_, after) = repository.of_the_user();
    assert_eq!(after, before.1);
    assert_eq!(lent.give_back().unwrap(), [], "a second time there is nothing to do");
    assert_eq!(said(&repository, "git for-each-ref refs/autopilot/*/home*"), "");
}

#[test]
fn kept_work_is_laid_into_the_folder_again_and_what_nobody_knows_is_kept_first() {
    let repository = Fixture::new();
    let slot = repository.begun();
    let lent = InPlace::of(&slot);
    let put = |work| lent.put(&repository.branch(), &repository.head(), work, Some("trunk"));
    put(None).unwrap();
    write(&repository.root(), "src/work.rs", "kept\n");
    let kept = lent.slot().keep_work(&repository.branch(), &repository.head(), &|_| false).unwrap();
    let work = kept.work.unwrap().commit;
    assert_eq!(put(None).unwrap(), [], "the next attempt begins without it");
    assert!(!repository.root().join("src/work.rs").exists());
    write(&repository.root(), "mine.txt", "typed by the user meanwhile\n");
    let rescued = put(Some(&work)).unwrap();
    assert_eq!(rescued.len(), 1);
    let shown = format!("git show {}:mine.txt", rescued[0].name);
    assert_eq!(said(&repository, &shown), "typed by the user meanwhile");
    assert_eq!(std::fs::read_to_string(repository.root().join("src/work.rs")).unwrap(), "kept\n");
    assert!(!repository.root().join("mine.txt").exists());
    assert_eq!(lent.give_back().unwrap(), []);
    assert_eq!(said(&repository, "git status --porcelain"), "");
}

#[test]
fn what_a_killed_run_left_in_the_folder_is_kept_and_the_folder_goes_back() {
    let repository = Fixture::new();
    let before = repository.of_the_user().1;
    let slot = repository.begun();
    InPlace::of(&slot).put(&repository.branch(), &repository.head(), None, Some("trunk")).unwrap();
    write(&repository.root(), "half.rs", "half wri");
    drop(slot);
    // Another process finds the ref and nothing else.
    let found = InPlace::of(&repository.slot());
    let rescued = found.give_back().unwrap();
    let shown = format!("git show {}:half.rs", rescued[0].name);
    assert_eq!(said(&repository, &shown), "half wri");
    assert_eq!(repository.of_the_user().1, before);
}

#[test]
fn whoever_is_killed_between_the_last_two_steps_of_giving_back_leaves_nothing_for_good() {
    let repository = Fixture::new();
    let slot = repository.begun();
    let lent = InPlace::of(&slot);
    lent.put(&repository.branch(), &repository.head(), None, Some("trunk")).unwrap();
    lent.give_back().unwrap();
    let left = format!("git update-ref {} HEAD", slot.names.home_ignored());
    repository.plain(&left);
    assert_ne!(said(&repository, "git for-each-ref refs/autopilot/*/home*"), "");
    assert_eq!(lent.give_back().unwrap(), []);
    assert_eq!(said(&repository, "git for-each-ref refs/autopilot/*/home*"), "");
}

#[test]
fn a_folder_that_is_not_as_it_was_left_is_not_lent() {
    let repository = Fixture::new();
    let slot = repository.begun();
    let lent = InPlace::of(&slot);
    let put = || lent.put(&repository.branch(), &repository.head(), None, Some("trunk"));
    write(&repository.root(), "mine.txt", "mine");
    let before = repository.of_the_user();
    assert_eq!(put().unwrap_err().to_string(), "mine.txt in your folder is not committed");
    assert_eq!(repository.of_the_user(), before);
    repository.plain("rm mine.txt && git switch --quiet -c other");
    let said = "your folder stands on other, and the run works there on trunk";
    assert_eq!(put().unwrap_err().to_string(), said);
}

#[test]
fn planning_files_that_are_not_committed_come_back_too() {
    let repository = Fixture::new();
    write(&repository.root(), ".planning/ROADMAP.md", "# new\n");
    let slot = repository.begun();
    let lent = InPlace::of(&slot);
    lent.put(&repository.branch(), &repository.head(), None, Some("trunk")).unwrap();
    assert!(!repository.root().join(".planning/ROADMAP.md").exists());
    assert_eq!(lent.give_back().unwrap(), []);
    let text = std::fs::read_to_string(repository.root().join(".planning/ROADMAP.md")).unwrap();
    assert_eq!(text, "# new\n");
    assert_eq!(said(&repository, "git status --porcelain"), "?? .planning/");
}

/// Lent, then `agent` does its worst, and given back.
fn after(agent: &str) -> (Fixture, Vec<String>) {
    let repository = Fixture::new();
    write(&repository.root(), "target/cache", "the user's cache");
    write(&repository.root(), "local.log", "the user's notes");
    write(&repository.root(), ".autopilot/.gitignore", "*\n");
    let lines = "git status --porcelain; find . -path ./.git -prune -o -path ./.autopilot -prune -o ! -type d -print | sort; \
                 sha256sum .gitignore README.md src/main.rs target/cache local.log; cat .git/config";
    let before = repository.plain(lines);
    let lent = InPlace::of(&repository.begun());
    lent.put(&repository.branch(), &repository.head(), None, Some("trunk")).unwrap();
    repository.plain(agent);
    lent.give_back().unwrap();
    assert_eq!(repository.plain(lines), before, "{agent}");
    (repository, lent.found().unwrap())
}

#[test]
fn whatever_an_agent_leaves_the_folder_comes_back() {
    let check = |agent: &str, kept: bool| {
        let (_repository, found) = after(agent);
        assert_eq!(!found.is_empty(), kept, "{agent}: {found:?}");
    };
    check("true", false);
    check(": > .gitignore", true);
    check(": > .gitignore; git init --quiet src; git init --quiet deep/x; mkdir .GIT", true);
    check("rm .gitignore; mkfifo .gitignore src/.gitattributes", true);
    check("rm README.md; mkfifo README.md", true);
    check("rm README.md; mkdir -p README.md/x; echo y > README.md/x/y", true);
    check(
        "echo new > src/new.rs; echo more >> README.md; chmod 000 src/new.rs README.md src",
        true,
    );
    check("echo new > src/new.rs; chmod 555 src", true);
    check("echo '* working-tree-encoding=UTF-16' > .gitattributes; echo more >> README.md", true);
    check("truncate -s 200M README.md; truncate -s 200M dump.bin; rm dump.bin", true);
    check("ln -s /etc src/link; rm -r README.md; ln -s /etc/passwd README.md", true);
    check(
        "git -c core.safecrlf=true config core.autocrlf input; printf 'a\\r\\n' > crlf.txt; \
           git config --unset core.autocrlf",
        true,
    );
}

#[test]
fn nothing_is_written_that_nobody_changed() {
    let repository = Fixture::new();
    let readme = repository.root().join("README.md");
    repository.plain("chmod 600 README.md && touch -d 2020-01-02 README.md src/main.rs");
    let seen = || repository.plain("stat -c '%i %a %y' README.md src/main.rs");
    let before = seen();
    let lent = InPlace::of(&repository.begun());
    lent.put(&repository.branch(), &repository.head(), None, Some("trunk")).unwrap();
    assert_eq!(seen(), before, "lent");
    lent.give_back().unwrap();
    assert_eq!(seen(), before, "given back");
    assert!(readme.is_file());
}

#[test]
fn what_git_ignored_when_the_folder_was_lent_is_no_work() {
    let repository = Fixture::new();
    write(&repository.root(), "secrets.log", "mine");
    let lent = InPlace::of(&repository.begun());
    lent.put(&repository.branch(), &repository.head(), None, Some("trunk")).unwrap();
    repository.plain(": > .gitignore; echo new > new.log");
    let theirs = lent.theirs().unwrap();
    let is_theirs = |path: &std::path::Path| theirs.iter().any(|it| path.starts_with(it));
    let kept = lent.slot().keep_work(&repository.branch(), &repository.head(), &is_theirs).unwrap();
    let listed =
        said(&repository, &format!("git ls-tree -r --name-only {}", kept.work.unwrap().commit));
    assert_eq!(listed, ".gitignore\nREADME.md\nnew.log\nsrc/main.rs");
    lent.give_back().unwrap();
    assert_eq!(std::fs::read_to_string(repository.root().join("secrets.log")).unwrap(), "mine");
}

#[test]
fn whoever_committed_or_went_elsewhere_meanwhile_finds_their_own_commit() {
    for (meanwhile, file) in [
        ("echo mine > mine.txt && git add mine.txt && git commit --quiet -m mine", "mine.txt"),
        ("git stash --quiet -u && git switch --quiet other", "other.txt"),
    ] {
        let repository = Fixture::new();
        repository.plain(
            "git switch --quiet -c other && echo o > other.txt && git add -A && git commit --quiet -m o \
             && git switch --quiet trunk",
        );
        let lent = InPlace::of(&repository.begun());
        let put = || lent.put(&repository.branch(), &repository.id("trunk~0"), None, Some("trunk"));
        put().unwrap();
        write(&repository.root(), "src/work.rs", "half");
        repository.plain(meanwhile);
        assert!(put().is_err(), "{meanwhile}: not as it was left");
        lent.give_back().unwrap();
        assert_eq!(said(&repository, "git status --porcelain"), "", "{meanwhile}");
        assert!(repository.root().join(file).is_file(), "{meanwhile}");
    }
}
