//! Branches without some phases: real git in temporary folders.

use super::*;
use crate::slot::fixture::Fixture;

/// Two phases on the run's branch, each the commands that make its work.
fn scene(first: &str, second: &str) -> (Fixture, Vec<TakenPhase>) {
    let repository = Fixture::new();
    repository.plain(
        "printf '# R\\n- [ ] **Phase 1: A**\\n- [ ] **Phase 2: B**\\n' > ROADMAP.md && \
         git add -A && git commit -qm roadmap && git switch -q -c autopilot/20260102-0304",
    );
    let mut phases = Vec::new();
    for (number, work) in [(1, first), (2, second)] {
        let from = repository.head();
        let tick =
            format!("sed -i 's/\\[ \\] \\*\\*Phase {number}/[x] **Phase {number}/' ROADMAP.md");
        repository.plain(&format!("{work} && {tick} && git add -A && git commit -qm {number}"));
        let (phase, name) = (PhaseId::number(number), format!("Part\n{number}"));
        phases.insert(0, TakenPhase { phase, name, from, to: repository.head() });
    }
    repository.plain("git switch -q trunk");
    (repository, phases)
}

fn order(repository: &Fixture, phases: Vec<TakenPhase>, how: How) -> TakeBackOrder {
    let branch = repository.names.branch();
    let base = repository.id("autopilot/20260102-0304");
    TakeBackOrder { phases, branch, base, how, roadmap: "ROADMAP.md".to_string() }
}

fn taken(repository: &Fixture, order: &TakeBackOrder) -> TakenBack {
    take_back(&repository.checkout(), &repository.names, order).unwrap()
}

fn show(repository: &Fixture, path: &str) -> String {
    repository.plain(&format!("git show autopilot/20260102-0304:{path}"))
}

#[test]
fn an_earlier_phase_goes_with_its_tick_and_the_later_one_stays() {
    let (repository, phases) = scene(
        "echo a > a && chmod +x README.md && rm src/main.rs",
        "echo b > b && sed -i s/three/drei/ README.md",
    );
    let users = repository.of_the_user();
    let order = order(&repository, phases[1..].to_vec(), How::Revert);
    let TakenBack::Done { commit, rescue } = taken(&repository, &order) else { panic!("refused") };
    assert_eq!(repository.id("autopilot/20260102-0304"), commit);
    assert_eq!(rescue, "refs/autopilot/20260102-0304/rescue/rollback-phase-1");
    assert_eq!(repository.id(&rescue), order.base);
    let listed = repository.plain("git ls-tree -r autopilot/20260102-0304 | cut -c1-6,53-");
    let expected =
        "100644.gitignore\n100644README.md\n100644ROADMAP.md\n100644b\n100644src/main.rs\n";
    assert_eq!(listed.replace('\t', ""), expected);
    assert_eq!(show(&repository, "README.md"), "one\ntwo\ndrei\n");
    assert_eq!(
        show(&repository, "ROADMAP.md"),
        "# R\n- [ ] **Phase 1: A**\n- [x] **Phase 2: B**\n"
    );
    let message = repository.plain("git log -1 --format=%B autopilot/20260102-0304");
    assert!(message.starts_with("revert(phase 1): Part 1\n\n"), "{message}");
    assert_eq!(repository.of_the_user(), users);
    let again = taken(&repository, &order);
    assert_eq!(again, TakenBack::Done { commit, rescue }, "what was made is found");
}

#[test]
fn both_go_one_after_the_other() {
    let (repository, phases) = scene("echo a > a", "echo more >> a");
    let order = order(&repository, phases, How::Revert);
    let TakenBack::Done { commit, .. } = taken(&repository, &order) else { panic!("refused") };
    let difference = format!("git diff --stat trunk {commit}");
    assert_eq!(repository.plain(&difference), "");
    let count = format!("git rev-list --count {}..{commit}", order.base);
    assert_eq!(repository.plain(&count).trim(), "2");
}

#[test]
fn what_does_not_come_out_even_changes_no_ref() {
    let conflicts = [
        ("echo a > a", "echo b > a", "a"),
        ("echo a > a", "rm a && ln -s b a", "a"),
        ("printf '\\0a' > a", "printf '\\0b' > a", "a"),
        ("sed -i s/two/zwei/ README.md", "sed -i s/zwei/deux/ README.md", "README.md"),
        ("chmod +x README.md", "git mv README.md READ", "README.md"),
    ];
    for (first, second, path) in conflicts {
        let (repository, phases) = scene(first, second);
        let order = order(&repository, phases[1..].to_vec(), How::Revert);
        let refs = repository.plain("git for-each-ref");
        let phase = PhaseId::number(1);
        let expected = Hindrance::Conflicts { phase, paths: vec![path.into()] };
        assert_eq!(taken(&repository, &order), TakenBack::Refused(expected), "{second}");
        assert_eq!(repository.plain("git for-each-ref"), refs, "{second}");
    }
}

#[test]
fn no_merge_driver_of_the_repository_runs() {
    let (repository, phases) = scene(
        "sed -i s/one/eins/ README.md && echo '* merge=m' > .gitattributes",
        "echo four >> README.md",
    );
    repository
        .plain("git config merge.m.driver 'touch ran; cp %B %A' && cp .git/config keep && rm keep");
    repository.plain("echo '* merge=m' > .git/info/attributes");
    let order = order(&repository, phases[1..].to_vec(), How::Revert);
    assert!(matches!(taken(&repository, &order), TakenBack::Done { .. }));
    assert_eq!(show(&repository, "README.md"), "one\ntwo\nthree\nfour\n");
    assert!(!repository.root().join("ran").exists());
}

#[test]
fn a_branch_that_somebody_moved_or_stands_on_is_left() {
    let (repository, phases) = scene("echo a > a", "echo b > b");
    let order = order(&repository, phases[1..].to_vec(), How::Revert);
    repository.plain("git switch -q autopilot/20260102-0304");
    let at = repository.root();
    assert_eq!(taken(&repository, &order), TakenBack::Refused(Hindrance::CheckedOut { at }));
    repository.plain("git commit -q --allow-empty -m mine && git switch -q trunk");
    let at = Some(repository.id("autopilot/20260102-0304"));
    let moved = Hindrance::MovedBySomebodyElse { at };
    assert_eq!(taken(&repository, &order), TakenBack::Refused(moved));
}
