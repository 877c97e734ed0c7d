//! The user's tree after a move of their branch: real git in temporary folders.

use super::*;
use crate::slot::fixture::{Fixture, write};

/// A repository whose run changed, added, removed and linked files, and the order that brings it to the user.
fn scene(work: &str) -> (Fixture, LandingOrder) {
    let repository = Fixture::new();
    write(&repository.root(), "old/deep/file", "old\n");
    write(&repository.root(), "tool.sh", "#!/bin/sh\n");
    repository.plain("git add -A && git commit -qm more");
    let from = repository.head();
    let apart = format!("git switch -q -c work && {work} && git add -A && git commit -qm work");
    repository.plain(&apart);
    let to = repository.head();
    repository.plain("git switch -q trunk");
    let (branch, note) = ("trunk".to_string(), "autopilot merge: work".to_string());
    (repository, LandingOrder { branch, files: from.clone(), from, to, note })
}

const WORK: &str = "rm -r old && mkdir new && echo new > new/file && ln -s file new/link && \
                    chmod +x tool.sh && echo four >> README.md && mkdir tool && echo x > tool/x";

fn assert_there(repository: &Fixture, order: &LandingOrder) {
    let status = "git status --porcelain --untracked-files=all && git diff --stat HEAD";
    assert_eq!(repository.plain(status), "");
    assert_eq!(repository.head(), order.to);
    assert_eq!(repository.plain("git symbolic-ref HEAD").trim(), "refs/heads/trunk");
    let left = "ls .git | grep -E 'autopilot|lock' || true";
    assert_eq!(repository.plain(left), "");
}

#[test]
fn files_links_modes_and_folders_are_as_in_the_commit() {
    let (repository, order) = scene(WORK);
    assert_eq!(land(&repository.checkout(), &order).unwrap(), Landed::Moved);
    assert_there(&repository, &order);
    assert!(!repository.root().join("old").exists(), "empty folders go too");
    assert_eq!(repository.plain("readlink new/link").trim(), "file");
    assert_eq!(repository.plain("test -x tool.sh && echo yes").trim(), "yes");
    assert_eq!(land(&repository.checkout(), &order).unwrap(), Landed::AlreadyThere);
    let log = repository.plain("git reflog show trunk");
    assert_eq!(log.matches("autopilot merge: work").count(), 1, "{log}");
}

#[test]
fn no_program_of_the_repository_runs() {
    let (repository, order) = scene(WORK);
    repository.plain(
        "printf '#!/bin/sh\\ntouch ran-hook\\n' > .git/hooks/post-checkout && \
         cp .git/hooks/post-checkout .git/hooks/post-merge && \
         cp .git/hooks/post-checkout .git/hooks/reference-transaction && chmod +x .git/hooks/* && \
         git config filter.f.smudge 'touch ran-filter; cat' && \
         echo '* filter=f' > .git/info/attributes && git config core.fsmonitor 'touch ran-monitor'",
    );
    assert_eq!(land(&repository.checkout(), &order).unwrap(), Landed::Moved);
    let ran = "find . -name 'ran-*'";
    assert_eq!(repository.plain(ran), "");
}

#[test]
fn a_branch_that_is_gone_or_behind_another_is_left() {
    let (repository, order) = scene(WORK);
    let checkout = repository.checkout();
    let other = LandingOrder { branch: "nowhere".to_string(), ..order.clone() };
    assert_eq!(land(&checkout, &other).unwrap(), Landed::Refused(Obstacle::NoBranch));
    repository.plain("git commit -q --allow-empty -m mine");
    let at = repository.head();
    assert_eq!(land(&checkout, &order).unwrap(), Landed::Refused(Obstacle::Moved { at }));
    let aside = LandingOrder { from: repository.head(), files: repository.head(), ..order };
    assert_eq!(land(&checkout, &aside).unwrap(), Landed::Refused(Obstacle::NotForward));
}

#[test]
fn what_is_ignored_stays_unless_it_is_in_the_way() {
    let (repository, order) = scene(WORK);
    write(&repository.root(), "target/built", "mine");
    write(&repository.root(), "debug.log", "mine");
    write(&repository.root(), ".git/info/exclude", "/new\n");
    write(&repository.root(), "new/file", "mine too");
    let in_the_way = Obstacle::InTheWay { paths: vec!["new/file".into()] };
    let checkout = repository.checkout();
    assert_eq!(land(&checkout, &order).unwrap(), Landed::Refused(in_the_way));
    assert_eq!(repository.plain("cat new/file"), "mine too");
    std::fs::remove_dir_all(repository.root().join("new")).unwrap();
    write(&repository.root(), "new", "a file in place of a folder");
    let in_the_way = Obstacle::InTheWay { paths: vec!["new".into()] };
    assert_eq!(land(&checkout, &order).unwrap(), Landed::Refused(in_the_way));
    std::fs::remove_file(repository.root().join("new")).unwrap();
    assert_eq!(land(&checkout, &order).unwrap(), Landed::Moved);
    assert_eq!(repository.plain("cat target/built debug.log"), "minemine");
    assert_there(&repository, &order);
}

/// Every state that a killed git can leave between the two commits, with the index of before or of after.
#[test]
fn whatever_a_kill_left_is_brought_to_its_end() {
    let half_way = [
        "true",
        "rm -r old",
        "rm README.md",
        "printf one > README.md",
        "git checkout -q work -- README.md tool.sh",
        "git read-tree work && git checkout-index -a -f",
        "mkdir new && printf ne > new/file",
        "mkdir new && : > new/file && rm -r old",
    ];
    for left in half_way {
        let (repository, order) = scene(WORK);
        let checkout = repository.checkout();
        let desk = Desk::of(&checkout).unwrap();
        desk.begin(&order).unwrap();
        repository.plain(left);
        assert!(desk.lock().unwrap());
        assert!(is_cut_off(&checkout));
        assert_eq!(land(&checkout, &order).unwrap(), Landed::Moved, "{left}");
        assert_there(&repository, &order);
        assert!(!repository.root().join("old").exists(), "{left}");
    }
}

#[test]
fn a_lock_is_ours_only_while_it_is_the_file_we_wrote() {
    let (repository, order) = scene(WORK);
    let checkout = repository.checkout();
    let desk = Desk::of(&checkout).unwrap();
    desk.begin(&order).unwrap();
    assert!(desk.lock().unwrap() && desk.lock().unwrap());
    assert_eq!(desk.foreign_lock(), None);
    desk.unlock().unwrap();
    write(&repository.root(), ".git/index.lock", "autopilot moves trunk");
    assert_eq!(desk.foreign_lock(), Some(desk.lock_file()));
    assert!(!desk.lock().unwrap());
    desk.unlock().unwrap();
    assert!(desk.lock_file().exists(), "another git's lock is never taken away");
}
