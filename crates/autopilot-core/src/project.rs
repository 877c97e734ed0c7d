//! A project as it was read: roadmap, requirements, plans, config, commands, spec, and everything noticed on the way. Checks what
//! no single file can show: a requirement a phase names but nobody defined, a plan in the wrong folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::commands::Commands;
use crate::config::Config;
use crate::finding::{Finding, Findings, Place, Severity};
use crate::hidden;
use crate::limits;
use crate::phase_id::PhaseId;
use crate::plan::waves::{self, PlanRef};
use crate::plan::{self, Plan, file_name};
use crate::requirements::Requirements;
use crate::roadmap::Roadmap;
use crate::roadmap::index::PhaseIndex;
use crate::run::gate_definitions::DefinitionLock;
use crate::spec::Spec;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Project<'t> {
    /// The name of its folder.
    pub name: String,
    pub roadmap: Roadmap<'t>,
    pub requirements: Option<Requirements>,
    pub config: Config,
    pub commands: Commands,
    pub spec: Option<Spec>,
    pub plans: BTreeMap<PhaseId, Vec<PhasePlan>>,
    /// Phases of earlier milestones, kept in `.planning/milestones/`.
    pub archived: BTreeSet<PhaseId>,
    pub findings: Vec<Finding>,
    /// What a run is held to, where somebody is about to begin one (CHECK-19).
    pub locks: Vec<DefinitionLock>,
}

/// A plan of a phase, with the wave its dependencies put it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhasePlan {
    pub number: String,
    /// None when its dependencies go in a circle.
    pub wave: Option<u32>,
    pub plan: Plan,
}

/// A file in a phase's folder, as the engine found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFile {
    /// The phase folder's name, such as `03-login`.
    pub folder: String,
    pub name: String,
    pub path: String,
    pub text: String,
}

impl Project<'_> {
    pub fn plans_of(&self, id: &PhaseId) -> &[PhasePlan] {
        self.plans.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// The roadmap waits for a phase that it does not hold.
    pub fn has_unknown_dependencies(&self) -> bool {
        let known = PhaseIndex::of(&self.roadmap.phases);
        let mut named = self.roadmap.phases.iter().flat_map(|phase| &phase.depends_on);
        named.any(|id| !known.holds(id))
    }

    /// Notes what only shows when the files are laid side by side.
    pub fn compare_files(&mut self) {
        let mut found = Vec::new();
        if let Some(requirements) = &self.requirements {
            found.extend(undefined_requirements(&self.roadmap, requirements));
        }
        found.extend(hidden::told_by(&self.roadmap));
        let is_broken = self.findings.iter().any(|finding| finding.severity == Severity::Error);
        if self.commands.is_empty() && !is_broken {
            let mut none = Findings::of_file(".planning/config.json");
            none.whole_file(
                Severity::Warning,
                "no command measures this project: set project.commands.test (and compile, lint, build), else no phase can be proven",
            );
            found.extend(none.into_list());
        }
        self.findings.extend(found);
    }
}

fn undefined_requirements(roadmap: &Roadmap<'_>, requirements: &Requirements) -> Vec<Finding> {
    let defined: BTreeSet<&str> =
        requirements.list.iter().map(|requirement| requirement.id.as_str()).collect();
    if defined.is_empty() {
        return Vec::new();
    }
    let mut findings = Findings::of_file(roadmap.file.clone());
    for phase in roadmap.phases.iter().filter(|phase| !phase.standing.is_settled()) {
        for id in phase.requirements.iter().filter(|id| !defined.contains(id.as_ref())) {
            findings.note(
                phase.line,
                format!(
                    "phase {} names requirement {id}, which {} does not define",
                    phase.id, requirements.file
                ),
            );
        }
    }
    findings.into_list()
}

/// Reads the plans of every phase. Files that are no plans are left alone; a plan that names another phase is reported.
pub fn read_plans(files: &[PlanFile]) -> (BTreeMap<PhaseId, Vec<PhasePlan>>, Vec<Finding>) {
    let mut plans: BTreeMap<PhaseId, Vec<PhasePlan>> = BTreeMap::new();
    let mut findings = Vec::new();
    for file in files.iter().take(limits::PLANS_MAX) {
        let Some(phase) = file_name::phase_of_folder(&file.folder) else { continue };
        let Some(name) = file_name::plan_of_file(&file.name) else { continue };
        if let Some(named) = name.phase.filter(|named| named != &phase) {
            let message = format!(
                "is named for phase {named} but lies in the folder of phase {phase}; it is not read"
            );
            findings.push(Finding {
                severity: Severity::Warning,
                place: Place::file(&file.path),
                message,
            });
            continue;
        }
        let (plan, found) = plan::read(&file.path, &file.text);
        findings.extend(found);
        if let Some(named) = plan.phase_id().filter(|named| named != &phase) {
            let message = format!(
                "says it is a plan of phase {named} but lies in the folder of phase {phase}; the folder counts"
            );
            findings.push(Finding {
                severity: Severity::Warning,
                place: Place::line(&file.path, 1),
                message,
            });
        }
        let number = if name.number.is_empty() { plan.number.clone() } else { name.number };
        plans.entry(phase).or_default().push(PhasePlan { number, wave: None, plan });
    }
    for (phase, of_phase) in &mut plans {
        of_phase.sort_by(|left, right| left.plan.file.cmp(&right.plan.file));
        let refs: Vec<PlanRef<'_>> = of_phase
            .iter()
            .map(|plan| PlanRef { phase, number: &plan.number, plan: &plan.plan })
            .collect();
        let (computed, found) = waves::compute(&refs);
        findings.extend(found);
        for (plan, wave) in of_phase.iter_mut().zip(computed) {
            plan.wave = wave;
        }
    }
    (plans, findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &str, name: &str, text: &str) -> PlanFile {
        PlanFile {
            folder: folder.into(),
            name: name.into(),
            path: format!("{folder}/{name}"),
            text: text.into(),
        }
    }

    #[test]
    fn the_plan_of_phase_1_is_never_found_in_the_folder_of_phase_10() {
        let task = "<task>\n<name>x</name>\n</task>\n";
        let files = [
            file("10-ten", "10-01-PLAN.md", task),
            file("10-ten", "01-01-PLAN.md", task),
            file("01-one", "PLAN.md", task),
            file("01-one", "01-SUMMARY.md", task),
            file("notes", "PLAN.md", task),
        ];
        let (plans, findings) = read_plans(&files);
        let paths: Vec<(String, &str)> = plans
            .iter()
            .flat_map(|(id, plans)| {
                plans.iter().map(move |plan| (id.to_string(), plan.plan.file.as_str()))
            })
            .collect();
        assert_eq!(
            paths,
            [("1".to_string(), "01-one/PLAN.md"), ("10".to_string(), "10-ten/10-01-PLAN.md")]
        );
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].message,
            "is named for phase 1 but lies in the folder of phase 10; it is not read"
        );
    }
}
