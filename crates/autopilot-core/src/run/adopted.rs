//! A task that was asked for by word brings few criteria or none. What its plan says shows that the work is done becomes the rest of
//! them once the plan is settled, so that each is seen red before the work and green after it (PIPE-5a).

use crate::limits;
use crate::run::definition::{CriterionDefinition, TaskDefinition};
use crate::run::pipeline::At;

/// All criteria of the phase from now on; `None` where they are settled, or the plan has nothing to add.
pub(super) fn due(at: At<'_>) -> Option<Vec<CriterionDefinition>> {
    if at.run.definition.errand.is_none() || at.work.has_adopted {
        return None;
    }
    // What an earlier plan brought goes with it.
    let own = at.phase.criteria.iter().filter(|criterion| !criterion.is_adopted);
    let mut criteria: Vec<CriterionDefinition> = own.cloned().collect();
    let count = criteria.len();
    let tasks = at.work.tasks.iter().map(|work| &work.task);
    for criterion in tasks.flat_map(of_task) {
        if criteria.iter().all(|known| known.command != criterion.command) {
            criteria.push(criterion);
        }
    }
    criteria.truncate(limits::CRITERIA_PER_PHASE_MAX);
    (criteria.len() > count).then_some(criteria)
}

fn of_task(task: &TaskDefinition) -> impl Iterator<Item = CriterionDefinition> {
    task.checks.iter().map(|command| CriterionDefinition {
        text: task.name.clone(),
        command: Some(command.clone()),
        is_hidden: false,
        is_adopted: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::fixture::Scene;
    use crate::run::work::TaskWork;

    fn scene(commands: &[&str]) -> Scene {
        let mut scene = Scene::new();
        scene.run.definition.errand = Some("do it".to_string());
        let mut task = TaskDefinition::debug(1, |_| false);
        task.name = "Say hello".to_string();
        task.checks = commands.iter().map(ToString::to_string).collect();
        scene.work.tasks = vec![TaskWork::new(task)];
        scene
    }

    fn commands(scene: &Scene) -> Option<Vec<(String, bool)>> {
        let criteria = due(scene.at())?.into_iter();
        Some(criteria.map(|it| (it.command.unwrap_or_default(), it.is_adopted)).collect())
    }

    #[test]
    fn what_the_plan_checks_becomes_a_criterion_once() {
        let mut scene = scene(&["grep hello", "make test", "grep hello"]);
        let own = CriterionDefinition {
            text: "own".to_string(),
            command: Some("make test".to_string()),
            is_hidden: false,
            is_adopted: false,
        };
        let old = CriterionDefinition {
            command: Some("of the plan before".to_string()),
            is_adopted: true,
            ..own.clone()
        };
        scene.phase.criteria = vec![own, old];
        let expected = [("make test", false), ("grep hello", true)];
        let expected = expected.map(|(command, is_adopted)| (command.to_string(), is_adopted));
        assert_eq!(commands(&scene), Some(expected.to_vec()));
        scene.work.has_adopted = true;
        assert_eq!(commands(&scene), None);
    }

    #[test]
    fn phases_of_a_roadmap_have_the_criteria_of_the_roadmap() {
        let mut scene = scene(&["grep hello"]);
        scene.run.definition.errand = None;
        assert_eq!(commands(&scene), None);
    }

    #[test]
    fn a_plan_without_commands_adds_nothing() {
        assert_eq!(commands(&scene(&[])), None);
    }
}
