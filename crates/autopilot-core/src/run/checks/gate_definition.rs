//! CHECK-19: whoever works on a phase leaves alone what it is measured by. What an attempt did to such a file was put back before
//! anything was measured; the work is sent back once and the file named. Ticks are only put back. A file that a task of the plan
//! lists is changed all the same, and a person decides about what would pass. Scripts that a check starts are part of the work as
//! often as not, and are looked at by CHECK-18.

use crate::run::checks::{Found, Integrity, quoted};
use crate::run::gate_definitions::{Touch, Touched, listed_by};
use crate::run::pipeline::At;

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let touched = at.work.checked.put_back.iter().filter(|one| decides(one));
    let reasons: Vec<String> = touched.map(words).collect();
    match reasons.is_empty() {
        true => Vec::new(),
        false => vec![Found::Rejected { check: Integrity::GateDefinition, reasons }],
    }
}

/// Why a person decides: the plan asks to change what work is measured by.
pub(in crate::run) fn needs_person(at: At<'_>) -> Option<String> {
    let difference = at.work.candidate.difference.as_ref()?;
    let changed = difference.definitions.iter().filter(|one| decides(one));
    let said: Vec<String> = changed
        .map(|one| {
            let task = listed_by(at.work, &one.path);
            let task = task.map_or_else(|| "the phase".to_string(), |id| format!("task {id}"));
            let file = quoted(&one.path);
            format!("{task} changes {}", file.trim_matches('"'))
        })
        .collect();
    (!said.is_empty()).then(|| {
        format!("{}, by which work is measured: a person has to decide about that", said.join(", "))
    })
}

fn decides(one: &Touched) -> bool {
    match one.how {
        Touch::OnlyTicks => false,
        Touch::Changed | Touch::Added | Touch::Removed => true,
    }
}

fn words(one: &Touched) -> String {
    let file = quoted(&one.path);
    format!(
        "{} {}: work is measured by it, so it was put back; no task of the plan lists it, leave it alone",
        file.trim_matches('"'),
        one.how.words()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::Difference;
    use crate::run::checks::fixture::{Scene, told};

    fn touched(path: &str, how: Touch) -> Touched {
        Touched { path: path.to_string(), how }
    }

    #[test]
    fn what_was_put_back_rejects_unless_it_was_only_ticked() {
        let mut scene = Scene::new();
        scene.work.checked.put_back = vec![touched(".planning/ROADMAP.md", Touch::OnlyTicks)];
        assert_eq!(told(&look(scene.at())), "");
        scene.work.checked.put_back.push(touched(".planning/config.json", Touch::Changed));
        let expected = "rejected gate_definition: .planning/config.json was changed: work is measured by it, so it was put back; \
                        no task of the plan lists it, leave it alone";
        assert_eq!(told(&look(scene.at())), expected);
        assert_eq!(needs_person(scene.at()), None);
    }

    #[test]
    fn a_definition_that_the_plan_lists_is_a_persons_to_decide() {
        let mut scene = Scene::new();
        scene.task("1-01-1", &["./.planning/config.json"]);
        let of = |how: Touch| Difference {
            definitions: vec![touched(".planning/config.json", how)],
            ..Difference::default()
        };
        scene.work.candidate.difference = Some(of(Touch::OnlyTicks));
        assert_eq!(needs_person(scene.at()), None);
        scene.work.candidate.difference = Some(of(Touch::Changed));
        let why = "task 1-01-1 changes .planning/config.json, by which work is measured: a person has to decide about that";
        assert_eq!(needs_person(scene.at()).as_deref(), Some(why));
        assert_eq!(told(&look(scene.at())), "");
    }
}
