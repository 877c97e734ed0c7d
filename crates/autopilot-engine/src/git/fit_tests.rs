//! Each kind of repository as people have them, made with real git.

use super::*;
use crate::slot::Slot;
use crate::slot::fixture::{Fixture, write};

fn fit(fixture: &Fixture, root: &Path) -> Vec<Unfit> {
    repository_fit(&fixture.git, root).unwrap()
}

/// A run's first steps at `root`; what is called fit has to work.
fn works(fixture: &Fixture, root: &Path, phase: &str) {
    assert_eq!(fit(fixture, root), []);
    let checkout = crate::git::Checkout::find(&fixture.git, root).unwrap();
    let head = crate::git::user_tree::look(&checkout).unwrap().head.unwrap();
    let folder = crate::slot::folder_of(&fixture.fake.machine(), root, 1).unwrap();
    let slot = Slot::open(&checkout, &fixture.names, &folder).unwrap();
    let branch = fixture.names.phase_branch(phase).unwrap();
    slot.begin(&branch, &head, "begin").unwrap();
    write(slot.folder(), "new.txt", "new\n");
    let order = crate::slot::CommitOrder { branch, base: head, ..fixture.order("key") };
    fixture.made(&slot, &order);
}

#[test]
fn an_ordinary_repository_is_fit_and_so_are_a_shallow_clone_and_a_linked_worktree() {
    let fixture = Fixture::new();
    works(&fixture, &fixture.root(), "0");
    fixture.plain("git commit --quiet --allow-empty -m second");
    let (home, root) = (fixture.fake.home(), fixture.root());
    let at = |name: &str| home.join(name);
    fixture.plain_in(
        &home,
        &format!("git clone --quiet --depth=1 'file://{}' shallow", root.display()),
    );
    assert!(at("shallow/.git/shallow").exists());
    works(&fixture, &at("shallow"), "1");
    fixture.plain(&format!("git worktree add --quiet --detach '{}'", at("linked").display()));
    works(&fixture, &at("linked"), "2");
    fixture.plain_in(
        &home,
        &format!("git clone --quiet --separate-git-dir=elsewhere '{}' apart", root.display()),
    );
    works(&fixture, &at("apart"), "3");
    fixture.plain("git config commit.gpgSign true && git config gpg.program false");
    fixture.plain("git checkout --quiet --detach");
    works(&fixture, &root, "4");
}

#[test]
fn what_has_no_files_or_no_commit_is_named() {
    let fixture = Fixture::new();
    assert_eq!(fit(&fixture, &fixture.fake.home()), [Unfit::NotARepository]);
    fixture
        .plain_in(&fixture.fake.home(), "git init --quiet --bare bare.git && git init --quiet new");
    assert_eq!(fit(&fixture, &fixture.fake.home().join("bare.git")), [Unfit::Bare]);
    assert_eq!(fit(&fixture, &fixture.fake.home().join("new")), [Unfit::NoCommit]);
    let sub = fit(&fixture, &fixture.root().join("src"));
    assert_eq!(sub, [Unfit::SubFolder { top: fixture.root() }]);
}

#[test]
fn whatever_has_begun_and_not_ended_is_named_with_its_end() {
    let fixture = Fixture::new();
    let conflict = "git switch --quiet -c other && echo other > README.md && git commit --quiet -am other && \
                    git switch --quiet trunk && echo trunk > README.md && git commit --quiet -am trunk";
    fixture.plain(conflict);
    let check = |line: &str, end: &str, what: &str| {
        fixture.attempt_in(&fixture.root(), line);
        let found = fit(&fixture, &fixture.root());
        assert!(
            matches!(&found[..], [Unfit::UnderWay { what: found, .. }] if *found == what),
            "{found:?}"
        );
        fixture.plain(end);
        assert_eq!(fit(&fixture, &fixture.root()), []);
    };
    check("git merge other", "git merge --abort", "merge");
    check("git rebase other", "git rebase --abort", "rebase");
    check("git cherry-pick other", "git cherry-pick --abort", "cherry-pick");
    check("git revert HEAD^", "git revert --abort || git reset --hard", "revert");
    check("git bisect start", "git bisect reset", "bisect");
}

#[test]
fn submodules_sparse_and_partial_clones_and_filters_are_named() {
    let fixture = Fixture::new();
    let root = fixture.root();
    fixture.plain("git init --quiet inner && git -C inner commit --quiet --allow-empty -m x");
    fixture.plain("git -c advice.addEmbeddedRepo=false add inner && git commit --quiet -m inner");
    assert_eq!(fit(&fixture, &root), [Unfit::Submodules { first: "inner".into() }]);
    fixture.plain("git rm --quiet -r --cached inner && rm -rf inner && git commit --quiet -m gone");
    fixture.plain("git sparse-checkout set src");
    assert_eq!(fit(&fixture, &root), [Unfit::Sparse]);
    fixture.plain("git sparse-checkout disable");
    assert_eq!(fit(&fixture, &root), []);
    let filter = |name: &str| Unfit::Filter { name: name.into() };
    write(
        &root,
        "deep/er/.gitattributes",
        "# *.x filter=no\n*.png filter=lfs diff=lfs -text\n*.y -filter\n",
    );
    write(&root, "notes.md", "*.z filter=prose\n");
    write(&root, ".git/info/attributes", "secret filter=git-crypt\n");
    fixture.plain("git add -A && git commit --quiet -m attributes");
    assert_eq!(fit(&fixture, &root), [filter("git-crypt"), filter("lfs")]);
    let home = fixture.fake.home();
    fixture.plain("git config uploadpack.allowFilter true && git rm --quiet -r deep && git commit --quiet -m x");
    let from = root.display();
    fixture
        .plain_in(&home, &format!("git clone --quiet --filter=blob:none 'file://{from}' partial"));
    assert_eq!(fit(&fixture, &home.join("partial")), [Unfit::Partial]);
}

#[test]
fn every_refusal_says_what_why_and_how_to_mend_it() {
    let all = [
        Unfit::NotARepository,
        Unfit::Bare,
        Unfit::NoCommit,
        Unfit::SubFolder { top: "/top".into() },
        Unfit::UnderWay { what: "merge", end: "git merge --abort" },
        Unfit::Submodules { first: "a\nb".into() },
        Unfit::Sparse,
        Unfit::Partial,
        Unfit::Filter { name: "lfs".into() },
        Unfit::Filter { name: "x\u{1b}".into() },
    ];
    for unfit in all {
        let problem = unfit.problem();
        for part in [&problem.what, &problem.why, &problem.fix] {
            assert!(!part.is_empty() && !part.contains(char::is_control), "{part}");
        }
    }
}
