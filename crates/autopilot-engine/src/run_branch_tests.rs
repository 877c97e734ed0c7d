//! The branch of a run, made and moved with real git.

use std::os::unix::fs::symlink;

use super::*;
use crate::git::user_tree;
use crate::slot::fixture::{Fixture, RUN, paths, write};

fn create(fixture: &Fixture) -> Created {
    let checkout = fixture.checkout();
    let tree = user_tree::look(&checkout).unwrap();
    create_at(fixture, &tree.planning_changes)
}

fn create_at(fixture: &Fixture, planning: &[PathBuf]) -> Created {
    super::create(&fixture.checkout(), &fixture.names, &fixture.head(), planning).unwrap()
}

#[test]
fn the_users_tree_is_told_as_it_is() {
    let fixture = Fixture::new();
    let look = || user_tree::look(&fixture.checkout()).unwrap();
    let clean = look();
    assert_eq!((clean.head, clean.branch.as_deref()), (Some(fixture.head()), Some("trunk")));
    assert_eq!((clean.dirty, clean.planning_changes), (Vec::new(), Vec::new()));
    write(&fixture.root(), ".planning/phases/01/PLAN.md", "1\n");
    write(&fixture.root(), ".planning/ROADMAP.md", "1\n");
    write(&fixture.root(), ".planningX", "1\n");
    write(&fixture.root(), "ROADMAP.md", "1\n");
    write(&fixture.root(), "new/a", "1\n");
    write(&fixture.root(), "target/ignored", "1\n");
    std::fs::remove_file(fixture.root().join("README.md")).unwrap();
    fixture.plain("git rm --quiet --cached src/main.rs && git checkout --quiet --detach");
    let changed = look();
    assert_eq!(changed.branch, None);
    let dirty = [".planningX", "README.md", "ROADMAP.md", "new/a", "src/main.rs", "src/main.rs"];
    assert_eq!(changed.dirty, paths(&dirty));
    assert_eq!(
        changed.planning_changes,
        paths(&[".planning/ROADMAP.md", ".planning/phases/01/PLAN.md"])
    );
}

#[test]
fn the_branch_begins_at_the_users_commit_when_planning_is_committed() {
    let fixture = Fixture::new();
    assert_eq!(create(&fixture), Created::At(fixture.head()));
    assert_eq!(create(&fixture), Created::Found(fixture.head()));
    assert_eq!(fixture.id(&format!("refs/heads/autopilot/{RUN}")), fixture.head());
    let tip = tip(&fixture.checkout(), &fixture.names.branch()).unwrap();
    assert_eq!(tip, Some(fixture.head()));
}

#[test]
fn exactly_the_planning_files_are_committed_as_they_are_on_disk() {
    let fixture = Fixture::new();
    write(&fixture.root(), ".planning/old.md", "1\n");
    write(&fixture.root(), ".planning/edited.md", "1\n");
    fixture.plain("git add -A && git commit --quiet -m planning");
    std::fs::remove_file(fixture.root().join(".planning/old.md")).unwrap();
    write(&fixture.root(), ".planning/edited.md", "staged\n");
    fixture.plain("git add -A");
    write(&fixture.root(), ".planning/edited.md", "on disk\n");
    write(&fixture.root(), ".planning/-new\n.md", "new\n");
    write(&fixture.root(), "README.md", "not planning\n");
    write(&fixture.fake.home(), "secret/a.md", "secret\n");
    symlink(fixture.fake.home().join("secret"), fixture.root().join(".planning/link")).unwrap();
    let before = fixture.of_the_user();
    let Created::At(commit) = create(&fixture) else { panic!("the branch is new") };
    assert_eq!(fixture.of_the_user(), before);
    let shown = format!("git show --name-status --format='%P%n%B' -z {commit} | tr '\\0' '|'");
    assert_eq!(
        fixture.plain(&shown),
        format!(
            "{}\nplanning: 4 files as they were when run {RUN} began\n\nAutopilot-Run: {RUN}\n|\n\
             A|.planning/-new\n.md|M|.planning/edited.md|A|.planning/link|D|.planning/old.md|",
            fixture.head()
        )
    );
    let shown = |path: &str| fixture.plain(&format!("git show '{commit}:.planning/{path}'"));
    assert_eq!(shown("edited.md"), "on disk\n");
    assert!(shown("link").ends_with("secret"), "the link itself, not what it leads to");
}

#[test]
fn a_path_behind_a_link_or_outside_of_planning_is_never_read() {
    let fixture = Fixture::new();
    write(&fixture.fake.home(), "secret/a.md", "secret\n");
    symlink(fixture.fake.home().join("secret"), fixture.root().join(".planning")).unwrap();
    let outside = paths(&["README.md", "../home/secret/a.md", ".planning"]);
    assert_eq!(create_at(&fixture, &outside), Created::At(fixture.head()));
    let fixture = Fixture::new();
    write(&fixture.fake.home(), "secret/a.md", "secret\n");
    symlink(fixture.fake.home().join("secret"), fixture.root().join(".planning")).unwrap();
    for path in [".planning/a.md", ".planning/../README.md"] {
        let checkout = fixture.checkout();
        let result = super::create(&checkout, &fixture.names, &fixture.head(), &paths(&[path]));
        let content = fixture.attempt_in(
            &fixture.root(),
            &format!("git cat-file --batch-all-objects --batch | grep -a secret; git rev-parse autopilot/{RUN}"),
        );
        assert!(!content.1.contains("secret"), "{path}: {result:?} {content:?}");
    }
}

#[test]
fn the_branch_moves_forward_once_and_only_forward() {
    let fixture = Fixture::new();
    let checkout = fixture.checkout();
    let first = create(&fixture).commit().clone();
    let commit = |message: &str| {
        let tree = fixture.id("HEAD^{tree}");
        let line = format!("git commit-tree {tree} -p {first} -m {message}");
        ObjectId::parse(fixture.plain(&line).trim()).unwrap()
    };
    let (second, beside) = (commit("second"), commit("beside"));
    let forward =
        |from: &ObjectId, to: &ObjectId| fast_forward(&checkout, &fixture.names, from, to).unwrap();
    let run = format!("refs/heads/autopilot/{RUN}");
    // A git that was killed while it held the branch.
    write(&fixture.root(), &format!(".git/{run}.lock"), "");
    assert_eq!(forward(&first, &second), Forwarded::Moved);
    assert_eq!(forward(&first, &second), Forwarded::AlreadyThere);
    assert_eq!(forward(&second, &first), Forwarded::AlreadyThere);
    assert_eq!(forward(&second, &beside), Forwarded::NotAncestor);
    let at = Some(second.clone());
    assert_eq!(forward(&first, &beside), Forwarded::MovedBySomebodyElse { at });
    assert_eq!(fixture.id(&run), second);
    fixture.plain(&format!("git update-ref {run} {first}"));
    fixture.plain(&format!("git worktree add --quiet ../theirs autopilot/{RUN}"));
    let at = fixture.root().with_file_name("theirs");
    assert_eq!(forward(&first, &second), Forwarded::CheckedOut { at });
    fixture.plain(&format!("git worktree remove ../theirs && git update-ref -d {run}"));
    assert_eq!(forward(&first, &second), Forwarded::MovedBySomebodyElse { at: None });
}

#[test]
fn a_branch_made_to_stand_for_another_moves_only_itself() {
    let fixture = Fixture::new();
    let first = create(&fixture).commit().clone();
    let run = format!("refs/heads/autopilot/{RUN}");
    fixture.plain(&format!("git symbolic-ref {run} refs/heads/trunk"));
    let line = format!("git commit-tree {first}^{{tree}} -p {first} -m second");
    let second = ObjectId::parse(fixture.plain(&line).trim()).unwrap();
    fast_forward(&fixture.checkout(), &fixture.names, &first, &second).unwrap();
    assert_eq!(fixture.id("refs/heads/trunk"), first);
    assert_eq!(fixture.id(&run), second);
}
