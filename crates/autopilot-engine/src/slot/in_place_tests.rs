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
    assert_eq!(said(&repository, "git for-each-ref refs/autopilot/*/home"), "");
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

#[test]
fn what_is_too_large_to_keep_stays_where_it_is() {
    let repository = Fixture::new();
    let slot = repository.begun();
    let lent = InPlace::of(&slot);
    lent.put(&repository.branch(), &repository.head(), None, Some("trunk")).unwrap();
    let large = autopilot_core::limits::COMMIT_FILE_BYTES_MAX + 1;
    let file = |name: &str| {
        let file = std::fs::File::create(repository.root().join(name)).unwrap();
        file.set_len(large).unwrap();
    };
    file("dump.bin");
    assert_eq!(lent.give_back().unwrap(), []);
    assert!(repository.root().join("dump.bin").exists());
    std::fs::remove_file(repository.root().join("dump.bin")).unwrap();
    lent.put(&repository.branch(), &repository.head(), None, Some("trunk")).unwrap();
    file("README.md");
    let refused = lent.give_back().unwrap_err().to_string();
    assert_eq!(refused, "README.md differs from every commit and is too large to be kept");
    assert_eq!(std::fs::metadata(repository.root().join("README.md")).unwrap().len(), large);
}
