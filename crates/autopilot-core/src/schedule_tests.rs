//! SEL-2, ROAD-4: order, waves, critical path, blocks, and the refusals.

use proptest::prelude::*;

use std::collections::BTreeSet;

use super::*;
use crate::roadmap;

/// `1; 2 after 1; 3 after 1, 2` as a roadmap.
fn roadmap_of(text: &str) -> String {
    let mut markdown = String::new();
    for phase in text.split(';').map(str::trim) {
        let (id, after) = phase.split_once(" after ").unwrap_or((phase, ""));
        let after: Vec<String> = after
            .split(',')
            .filter(|id| !id.is_empty())
            .map(|id| format!("Phase {}", id.trim()))
            .collect();
        markdown.push_str(&format!(
            "### Phase {id}: Name {id}\n**Depends on**: {}\n\n",
            after.join(", ")
        ));
    }
    markdown
}

fn schedule(text: &str) -> Result<Schedule, Problem> {
    schedule_beside(text, &[])
}

fn schedule_beside(text: &str, archived: &[u32]) -> Result<Schedule, Problem> {
    let text = roadmap_of(text);
    let (roadmap, _) = roadmap::read("ROADMAP.md", &text);
    let archived = archived.iter().map(|id| PhaseId::number(*id)).collect();
    let project = Project { roadmap, archived, ..Project::default() };
    let all: Vec<usize> = (0..project.roadmap.phases.len()).collect();
    make(&project, &all, |_| 1)
}

fn joined(ids: &[PhaseId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn dependencies_come_first_and_ties_stay_in_roadmap_order() {
    let check = |text: &str, order: &str, waves: &str, path: &str| {
        let schedule = schedule(text).unwrap();
        assert_eq!(joined(&schedule.order), order, "{text}");
        let shown: Vec<String> = schedule.waves.iter().map(|wave| joined(wave)).collect();
        assert_eq!(shown.join(" | "), waves, "{text}");
        assert_eq!(joined(&schedule.critical_path), path, "{text}");
    };
    check("1; 2; 3", "1 2 3", "1 2 3", "1");
    check("1; 2 after 1; 3 after 2", "1 2 3", "1 | 2 | 3", "1 2 3");
    check("11 after 12; 12; 2", "12 11 2", "12 2 | 11", "12 11");
    check("1; 2 after 1; 3 after 1; 4 after 2, 3", "1 2 3 4", "1 | 2 3 | 4", "1 2 4");
}

#[test]
fn a_failure_blocks_its_dependents_transitively() {
    let schedule = schedule("1; 2 after 1; 3 after 2; 4").unwrap();
    let blocked = |id: u32| {
        let blocked = schedule.blocked_by(&PhaseId::number(id)).unwrap();
        let id_at = |place: &u32| schedule.order[*place as usize].clone();
        let listed: Vec<PhaseId> = blocked.listed.iter().map(id_at).collect();
        (blocked.count, joined(&listed))
    };
    assert_eq!(blocked(1), (2, "2 3".to_string()));
    assert_eq!(blocked(2), (1, "3".to_string()));
    assert_eq!(blocked(4), (0, String::new()));
}

#[test]
fn a_long_chain_lists_the_first_and_counts_all() {
    let text: Vec<String> = (1..=3000)
        .map(|id| if id == 1 { "1".to_string() } else { format!("{id} after {}", id - 1) })
        .collect();
    let schedule = schedule(&text.join(";")).unwrap();
    let first = schedule.blocked_by(&PhaseId::number(1)).unwrap();
    assert_eq!((first.count, first.listed.len()), (2999, crate::limits::BLOCKS_LISTED_MIN));
    assert_eq!(schedule.order[first.listed[0] as usize], PhaseId::number(2));
    assert_eq!(schedule.waves.len(), 3000);
}

#[test]
fn a_circle_is_printed_and_an_unknown_dependency_named() {
    let what = |text: &str| schedule(text).unwrap_err().what;
    assert_eq!(
        what("1; 2 after 4; 3 after 2; 4 after 3"),
        "the phases depend on each other in a circle: 2 → 4 → 3 → 2"
    );
    assert_eq!(what("1 after 1"), "the phases depend on each other in a circle: 1 → 1");
    assert_eq!(what("1 after 9"), "phase 1 depends on phase 9, which does not exist");
    assert!(schedule_beside("1 after 9", &[9]).is_ok());
}

proptest! {
    #[test]
    fn any_acyclic_roadmap_is_ordered_and_blocks_agree_with_a_plain_walk(edges in proptest::collection::vec((1u32..25, 1u32..25), 0..60)) {
        let mut after: BTreeMap<u32, BTreeSet<u32>> = (1..25).map(|id| (id, BTreeSet::new())).collect();
        for (one, other) in edges {
            if one != other {
                after.entry(one.max(other)).or_default().insert(one.min(other));
            }
        }
        let text: Vec<String> = after.iter().map(|(id, needs)| {
            let needs: Vec<String> = needs.iter().map(ToString::to_string).collect();
            if needs.is_empty() { id.to_string() } else { format!("{id} after {}", needs.join(",")) }
        }).collect();
        let schedule = schedule(&text.join(";")).unwrap();
        let position: BTreeMap<&PhaseId, usize> = schedule.order.iter().enumerate().map(|(at, id)| (id, at)).collect();
        for (id, needs) in &after {
            for need in needs {
                prop_assert!(position[&PhaseId::number(*need)] < position[&PhaseId::number(*id)]);
            }
        }
        for id in after.keys() {
            let mut reached: BTreeSet<u32> = BTreeSet::from([*id]);
            for (other, needs) in &after {
                if needs.iter().any(|need| reached.contains(need)) {
                    reached.insert(*other);
                }
            }
            prop_assert_eq!(schedule.blocked_by(&PhaseId::number(*id)).unwrap().count, reached.len() - 1);
        }
    }
}
