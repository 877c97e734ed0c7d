//! Reads the plan files of a phase: the planner's where it wrote some, else the user's.

use std::path::Path;

use autopilot_core::limits;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::plan::{self, file_name};
use autopilot_core::project::PlanFile as PlanText;
use autopilot_core::run::event::{Event, PlanFile};
use autopilot_core::run::gate_definitions;
use autopilot_core::run::plan_read::{self, Author};

use super::{Failed, Performer, definition};
use crate::artifacts::hash;
use crate::drive::Ordered;
use crate::files;

impl Performer {
    pub(super) fn read_plan(
        &self,
        ordered: &Ordered,
        phase: &PhaseId,
    ) -> Result<Vec<Event>, Failed> {
        let definition = definition(ordered)?;
        let folder = definition.folder.rsplit('/').next().unwrap_or_default();
        let mut texts: Vec<PlanText> = Vec::new();
        for (name, text) in self.kept_texts(ordered)? {
            if file_name::plan_of_file(&name).is_none() {
                continue;
            }
            let path = format!("{}/{name}", definition.folder);
            texts.push(PlanText { folder: folder.to_string(), name, path, text });
        }
        let mut author = Author::Planner;
        let mut locked = Vec::new();
        // Where the user left no plan, whatever lies in the slot now is an agent's and was not taken over.
        if texts.is_empty() && definition.has_plan {
            author = Author::User;
            let shown = &definition.folder;
            let found = users_plans(&self.phase_folder(definition), folder, shown);
            (texts, locked) = gate_definitions::as_locked(definition, found);
        }
        let (tasks, mut faults) = plan_read::tasks(phase, &texts, author);
        faults.extend(locked);
        faults.truncate(limits::PLAN_ISSUES_MAX);
        let attempt = ordered.attempt;
        let plans = texts
            .iter()
            .map(|text| PlanFile {
                path: text.path.clone(),
                hash: hash(&text.text),
                is_users: author == Author::User,
                files: plan::read(&text.path, &text.text)
                    .0
                    .files_modified
                    .into_iter()
                    .take(limits::FILES_PER_TASK_MAX)
                    .collect(),
            })
            .collect();
        let planned = tasks.into_iter().map(|task| Event::TaskPlanned { attempt, task });
        Ok(planned.chain([Event::PlanRead { attempt, plans, faults }]).collect())
    }
}

/// From the phase's folder and its `plans/`.
fn users_plans(at: &Path, folder: &str, shown: &str) -> Vec<PlanText> {
    let mut texts = Vec::new();
    for (place, shown) in
        [(at.to_path_buf(), shown.to_string()), (at.join("plans"), format!("{shown}/plans"))]
    {
        for name in files::names_in(&place).unwrap_or_default() {
            let is_plan = file_name::plan_of_file(&name).is_some();
            if !is_plan || texts.len() >= limits::ARTIFACTS_MAX {
                continue;
            }
            let Ok(text) = files::read_text(&place.join(&name)) else { continue };
            let path = format!("{shown}/{name}");
            texts.push(PlanText { folder: folder.to_string(), name, path, text });
        }
    }
    texts
}
