//! INV-1 to INV-3 and SEL-3 to SEL-5 as far as they need no ledger.

use super::*;
use crate::roadmap;

const ROADMAP: &str = "\
- [x] **Phase 1: One** - a\n- [x] **Phase 2: Two** - b\n- [ ] **Phase 2.1: Inserted** - c\n- [ ] **Phase 3: Three** - d\n\
- [ ] **Phase 4: Four** - e\n- [ ] **Phase 10: Ten** - f\n- [ ] ~~Phase 11: Gone~~\n- [ ] **Phase 999.1: Idea** - g\n\
### Phase 1: One\n### Phase 2: Two\n### Phase 2.1: Inserted\n**Depends on**: Phase 2\n### Phase 3: Three\n**Depends on**: Phase 2.1\n\
### Phase 4: Four\n**Depends on**: Phase 3\n### Phase 10: Ten\n**Depends on**: Phase 1, Phase 11\n### Phase 11: Gone\n### Phase 999.1: Idea\n";

fn request(words: &[&str], flags: Flags) -> Request {
    Request {
        phases: words.iter().map(ToString::to_string).collect(),
        flags,
        command: "autopilot plan".to_string(),
        ..Request::default()
    }
}

fn show(request: &Request) -> String {
    show_of(ROADMAP, request)
}

fn show_of(text: &str, request: &Request) -> String {
    let (roadmap, _) = roadmap::read("ROADMAP.md", text);
    let project = Project { roadmap, ..Project::default() };
    match select(&project, request) {
        Err(problem) => format!("{} | {}", problem.what, problem.fix),
        Ok(selection) => {
            let id = |place: &usize| project.roadmap.phases[*place].id.to_string();
            let chosen: Vec<String> = selection.chosen.iter().map(id).collect();
            let skipped: Vec<String> =
                selection.skipped.iter().map(|skipped| skipped.id.to_string()).collect();
            let skipped = if skipped.is_empty() {
                String::new()
            } else {
                format!(" skip {}", skipped.join(" "))
            };
            let remarks: String =
                selection.remarks.iter().map(|remark| format!(" ({remark})")).collect();
            format!("{}{skipped}{remarks}", chosen.join(" "))
        }
    }
}

#[test]
fn the_ways_to_name_phases() {
    let check = |words: &[&str], expected: &str| {
        assert_eq!(show(&request(words, Flags::default())), expected, "{words:?}")
    };
    check(&[], "2.1 3 4 10 skip 1 2 11");
    check(&["all"], "2.1 3 4 10 skip 1 2 11");
    check(&["next"], "2.1");
    check(&["2.1"], "2.1");
    check(&["02.1-4"], "2.1 3 4");
    check(&["2-3"], "2.1 3 skip 2");
    check(&["2..3"], "2.1 3 skip 2");
    check(&["2.1,3", "4"], "2.1 3 4");
    check(&["10"], "10");
    check(&["10-10"], "10");
    check(&["2.1-10"], "2.1 3 4 10");
    check(
        &["1-12"],
        "2.1 3 4 10 skip 1 2 11 (there is no phase 12; the range 1-12 holds 7 phases)",
    );
    check(&["999.1"], "999.1");
    check(
        &["2.1-2000"],
        "2.1 3 4 10 skip 11 (there is no phase 2000; the range 2.1-2000 holds 5 phases)",
    );
}

#[test]
fn each_wrong_word_gets_its_own_message() {
    let check = |words: &[&str], expected: &str| {
        assert_eq!(show(&request(words, Flags::default())), expected, "{words:?}")
    };
    check(&["x"], "\"x\" is no phase number | name one of these: 1, 2, 2.1, 3, 4, 10, 11, 999.1");
    check(
        &["7"],
        "phase 7 is not in ROADMAP.md | choose from: 1, 2, 2.1, 3, 4, 10, 11, 999.1. See them all with: autopilot plan all",
    );
    check(
        &["7-9"],
        "no phase of ROADMAP.md lies between 7 and 9 | choose from: 1, 2, 2.1, 3, 4, 10, 11, 999.1. See them all with: autopilot plan all",
    );
    check(
        &[""],
        "no phase is named in the words given | name phases, or say it: autopilot plan all",
    );
    check(
        &["PROJ-1-3"],
        "no phase of ROADMAP.md lies between PROJ-1 and PROJ-3 | choose from: 1, 2, 2.1, 3, 4, 10, 11, 999.1. See them all with: autopilot plan all",
    );
    check(
        &["3-PROJ-1"],
        "3 and PROJ-1 belong to different projects | name them one by one: autopilot plan 3,PROJ-1",
    );
    check(&["4-3"], "the range 4-3 goes backwards | turn it round: autopilot plan 3-4");
    check(
        &["4"],
        "phase 4 depends on phase 3, which is not completed and not selected | include what it needs: autopilot plan 2.1,3,4",
    );
}

#[test]
fn from_and_to() {
    let check = |from: Option<&str>, to: Option<&str>, expected: &str| {
        let mut request = request(&[], Flags::default());
        request.from = from.map(str::to_string);
        request.to = to.map(str::to_string);
        assert_eq!(show(&request), expected, "{from:?} {to:?}");
    };
    check(Some("2.1"), Some("3"), "2.1 3");
    check(Some("10"), Some("10"), "10");
    check(None, Some("2.1"), "2.1 skip 1 2");
    check(Some("10"), None, "10 skip 11");
    check(
        Some("4"),
        Some("2"),
        "--from 4 comes after --to 2 | turn it round: autopilot plan --from 2 --to 4",
    );
    check(
        Some("x"),
        None,
        "--from \"x\" is no phase number | name one of these: 1, 2, 2.1, 3, 4, 10, 11, 999.1",
    );
}

#[test]
fn next_is_an_answer_when_nothing_is_left_and_a_refusal_when_nothing_is_ready() {
    let next = request(&["next"], Flags::default());
    let done = "- [x] **Phase 1: One** - a\n- [ ] **Phase 999.1: Idea** - b\n### Phase 1: One\n### Phase 999.1: Idea\n";
    assert_eq!(show_of(done, &next), "");
    let stuck = "- [ ] **Phase 1: One** - a\n### Phase 1: One\n**Depends on**: Phase 7\n";
    assert_eq!(
        show_of(stuck, &next),
        "no phase is ready: each one that is left waits for another | see what waits for what: autopilot plan all"
    );
}

#[test]
fn a_range_takes_the_phases_of_one_project() {
    let text = "- [ ] **Phase A-1: One** - a\n- [ ] **Phase A-3: Three** - b\n- [ ] **Phase B-2: Two** - c\n\
        ### Phase A-1: One\n### Phase A-3: Three\n### Phase B-2: Two\n";
    assert_eq!(show_of(text, &request(&["A-1-3"], Flags::default())), "A-1 A-3");
}

#[test]
fn modes_for_completed_phases() {
    let force = Flags { force: true, ..Flags::default() };
    let quality = Flags { quality: true, ..Flags::default() };
    let gaps = Flags { gaps: true, ..Flags::default() };
    let check = |words: &[&str], flags: Flags, expected: &str| {
        assert_eq!(show(&request(words, flags)), expected, "{words:?} {flags:?}")
    };
    check(&[], force, "1 2 skip 2.1 3 4 10 11");
    check(&["2"], force, "2");
    check(&["3"], force, "phase 3 is not completed | run it first: autopilot plan 3");
    check(
        &["11"],
        force,
        "phase 11 is marked as skipped in the roadmap | to have it run after all, take the mark that skips it out of the roadmap",
    );
    check(&[], quality, "2.1 3 4 10 skip 1 2");
    check(&["1"], quality, "1");
    check(&[], gaps, " skip 2.1 3 4 10 11 1 2");
    check(&["1"], gaps, "1");
    check(&["3"], gaps, "phase 3 is not completed | run it first: autopilot plan 3");
}

#[test]
fn forbidden_pairs_are_each_named() {
    let all = Flags { complete: true, map: true, force: true, quality: true, gaps: true };
    let check = |flags: Flags, expected: &str| {
        assert_eq!(flags.check().unwrap_err().what, format!("{expected} cannot be used together"));
    };
    check(Flags { complete: false, map: false, gaps: false, ..all }, "--force and --quality");
    check(Flags { complete: false, map: false, quality: false, ..all }, "--force and --gaps");
    check(Flags { map: false, quality: false, gaps: false, ..all }, "--force and --complete");
    check(Flags { complete: false, quality: false, gaps: false, ..all }, "--force and --map");
    check(Flags { map: false, quality: false, force: false, ..all }, "--gaps and --complete");
    assert_eq!(Flags { force: false, gaps: false, ..all }.check(), Ok(()));
}
