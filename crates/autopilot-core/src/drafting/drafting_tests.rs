//! What becomes of a draft: the files as a whole, and every fault there is to tell.

use super::*;
use crate::contract::drafting::{DraftedCriterion, DraftedRequirement, example, read};

fn sample() -> Drafting {
    read(example()).expect("the example is a draft")
}

fn idea() -> Idea {
    Idea::Words("A command that prints\nthe tides of a harbour".into())
}

fn criterion(text: &str, command: Option<&str>) -> DraftedCriterion {
    DraftedCriterion { text: text.into(), command: command.map(String::from) }
}

/// The faults of the sample after a change.
fn faults(change: impl FnOnce(&mut Drafting)) -> Vec<String> {
    let mut drafting = sample();
    change(&mut drafting);
    examine(&drafting, &idea()).faults
}

#[test]
fn a_good_draft_becomes_three_files_without_a_fault() {
    let proposal = examine(&sample(), &idea());
    assert_eq!(proposal.faults, Vec::<String>::new());
    insta::assert_snapshot!("roadmap", proposal.roadmap);
    insta::assert_snapshot!("requirements", proposal.requirements);
    insta::assert_snapshot!("project", proposal.project);
    let file = Idea::File { name: "notes.md".into(), text: "…".into() };
    let from_file = examine(&sample(), &file);
    assert!(from_file.roadmap.contains("Drafted from notes.md by an agent."));
    assert!(from_file.project.ends_with("## Source\n\nDrafted from notes.md.\n"));
}

#[test]
fn every_fault_is_told_in_one_sentence_with_its_place() {
    let check = |change: fn(&mut Drafting), expected: &[&str]| assert_eq!(faults(change), expected);
    check(|it| it.title = "TBD".into(), &["`title` does not name the project"]);
    check(|it| it.summary = " ".into(), &["`summary` does not say what the project is"]);
    check(|it| it.phases[0].name = "***".into(), &["phase 1 has no name"]);
    check(
        |it| it.phases[1].goal = "[To be planned]".into(),
        &["phase 2 has no goal: say what is true after it"],
    );
    check(
        |it| it.phases[2].criteria.clear(),
        &["phase 3 has no criteria: nobody could say when it is done"],
    );
    check(
        |it| it.phases[0].criteria[0] = criterion("The app works well", None),
        &[
            "criterion 1 of phase 1, \"The app works well\", cannot be checked: name something that somebody could see, or give it a command",
        ],
    );
    check(
        |it| it.phases[0].criteria[1] = criterion("", Some("make test")),
        &["criterion 2 of phase 1 says nothing"],
    );
    check(
        |it| it.phases[0].criteria[0].command = Some("make test || true".into()),
        &[
            "the command of criterion 1 of phase 1, \"make test || true\", cannot fail: it passes whether the work is done or not",
        ],
    );
    check(
        |it| it.phases[0].criteria[0].command = Some("echo `date`".into()),
        &[
            "the command of criterion 1 of phase 1, \"echo `date`\", cannot stand in a roadmap: write it in one line and without backticks",
        ],
    );
    check(
        |it| it.phases[0].criteria = vec![criterion("A row is printed", None); 13],
        &["phase 1 has 13 criteria; with more than 12 it is several phases"],
    );
}

#[test]
fn phases_have_numbers_of_their_own_and_an_order() {
    let check = |change: fn(&mut Drafting), expected: &[&str]| assert_eq!(faults(change), expected);
    check(
        |it| it.phases[2].number = 2,
        &["2 phases have the number 2; each needs its own", "phase 2 depends on itself"],
    );
    check(
        |it| it.phases[2].number = 5,
        &["phase 5: phases are numbered from 1 to 3, without gaps"],
    );
    check(
        |it| it.phases[1].depends_on = vec![7],
        &["phase 2 depends on phase 7, which does not exist"],
    );
    check(|it| it.phases[0].depends_on = vec![1], &["phase 1 depends on itself"]);
}

#[test]
fn circles_are_told_once_and_a_wrong_order_as_such() {
    let circle = faults(|it| it.phases[0].depends_on = vec![3]);
    assert_eq!(circle, ["phases wait for each other: 1 → 3 → 2 → 1"]);
    let order = faults(|it| {
        it.phases[1].depends_on = vec![3];
        it.phases[2].depends_on = vec![];
    });
    assert_eq!(
        order,
        [
            "phase 2 depends on phase 3, which comes after it: number the phases in the order they can be done"
        ]
    );
}

#[test]
fn requirements_are_defined_once_and_taken_up() {
    let check = |change: fn(&mut Drafting), expected: &[&str]| assert_eq!(faults(change), expected);
    check(
        |it| {
            it.requirements
                .push(DraftedRequirement { id: "SHOW-03".into(), text: "Colours".into() })
        },
        &["no phase takes up the requirement \"SHOW-03\""],
    );
    check(
        |it| it.phases[0].requirements.push("NET-01".into()),
        &["phase 1 names the requirement \"NET-01\", which is not among the requirements"],
    );
    check(
        |it| {
            it.requirements.push(DraftedRequirement { id: "SHOW-02".into(), text: "Again".into() })
        },
        &["the id \"SHOW-02\" is used for two requirements"],
    );
    check(
        |it| it.requirements[0].text = "todo".into(),
        &["the requirement \"DATA-01\" does not say what must be true"],
    );
    check(
        |it| {
            it.requirements[0].id = "reading data".into();
            it.phases[0].requirements[0] = "reading data".into();
        },
        &["the requirement \"reading data\" needs an id such as DATA-01"],
    );
    check(
        |it| {
            it.requirements.clear();
            it.phases.iter_mut().for_each(|phase| phase.requirements.clear());
        },
        &["there is no requirement: say what must be true of the project in the end"],
    );
}

#[test]
fn too_much_of_anything_is_a_fault_and_many_faults_are_counted() {
    let many = faults(|it| {
        it.phases =
            (1..=31).map(|number| DraftedPhase { number, ..it.phases[0].clone() }).collect();
        it.phases[0].requirements.extend(["SHOW-01".into(), "SHOW-02".into()]);
    });
    assert_eq!(many.len(), 1, "{many:?}");
    assert!(many[0].starts_with("there are 31 phases; at most 30 are taken"), "{many:?}");
    assert_eq!(
        faults(|it| it.phases.clear()).len(),
        1 + 3,
        "no phase, and three requirements left"
    );
    let long = faults(|it| it.phases[0].goal = "x".repeat(1_001));
    assert_eq!(long, ["the goal of phase 1 has 1001 characters; at most 1000 are taken"]);
    let countless = faults(|it| it.phases[0].requirements = vec!["NO-1".into(); 60]);
    assert_eq!(countless.len(), 41);
    assert_eq!(countless[40], "21 more faults are not listed");
}

#[test]
fn a_command_in_the_text_is_not_taken_for_the_criterions_own() {
    let told =
        faults(|it| it.phases[0].criteria[0] = criterion("Rows, verified by `make rows`", None));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("name commands in `command` only"), "{told:?}");
}

#[test]
fn nothing_in_a_draft_can_add_phases_or_fields_to_the_roadmap() {
    let hostile = [
        "### Phase 9: Mine",
        "- [ ] **Phase 8: Mine**",
        "x\n### Phase 7: Mine\n**Depends on**: Phase 3",
        "**Depends on**: Phase 3",
        "<details> <!-- ",
        "```\nopen",
        "a | b",
    ];
    for text in hostile {
        let mut drafting = sample();
        (drafting.title, drafting.summary) = (text.into(), text.into());
        (drafting.phases[0].name, drafting.phases[0].goal) = (text.into(), text.into());
        drafting.phases[0].criteria[0] = criterion(text, Some("make test"));
        drafting.requirements[0].text = text.into();
        drafting.decisions = vec![text.into()];
        let proposal = examine(&drafting, &idea());
        let (roadmap, _) = crate::roadmap::read("R.md", &proposal.roadmap);
        if proposal.faults.is_empty() {
            let ids: Vec<String> = roadmap.phases.iter().map(|it| it.id.to_string()).collect();
            assert_eq!(ids, ["1", "2", "3"], "{text}");
        }
    }
}
