//! Is there a project to run: a roadmap that reads, a specification, commands to measure with? Looks at files only.

use std::path::Path;

use autopilot_core::commands::Commands;
use autopilot_core::finding::{Finding, Severity};
use autopilot_core::project::Project;
use autopilot_core::roadmap::Roadmap;
use autopilot_core::{outlook, selection, settings};

use super::{Check, CheckState};
use crate::project;

/// One task is done without a roadmap, so nothing is in the way.
const NO_ROADMAP: &str = "none; autopilot do works without one";
const MAKE_ONE: &str =
    "for more than one thing: autopilot new \"IDEA\", or autopilot init --from FILE";
const NO_COMMANDS: &str = "none found: no work could be proven by a test";
const NAME_ONE: &str = "set project.commands.test in .planning/config.json; for one task: autopilot do \"TASK\" --check \"COMMAND\"";

/// The lines about the project, and its commands where it could be read.
pub fn project(root: &Path) -> (Vec<Check>, Option<Commands>) {
    if project::roadmap_path(root).is_none() {
        let check = Check::new("roadmap", CheckState::Missing, NO_ROADMAP).fix(MAKE_ONE);
        return with_commands(vec![check], project::read_with(root, Roadmap::default()));
    }
    let file = match project::open(root) {
        Ok(file) => file,
        Err(problem) => {
            let check = Check::new("roadmap", CheckState::Broken, problem.what);
            return (vec![check.fix(problem.fix).blocking()], None);
        }
    };
    let project = project::read(root, &file);
    let mut checks = vec![roadmap(&project)];
    if let Some(spec) = &project.spec {
        checks.push(Check::good("spec", format!("{} ({})", spec.path, short(&spec.hash))));
    }
    with_commands(checks, project)
}

fn with_commands(mut checks: Vec<Check>, project: Project<'_>) -> (Vec<Check>, Option<Commands>) {
    if project.commands.is_empty() {
        let check = Check::new("commands", CheckState::Warning, NO_COMMANDS);
        checks.push(check.fix(NAME_ONE));
    }
    (checks, Some(project.commands))
}

fn roadmap(project: &Project<'_>) -> Check {
    let errors: Vec<&Finding> =
        project.findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    if let Some(first) = errors.first() {
        let more = if errors.len() > 1 {
            format!(" (and {} more)", errors.len() - 1)
        } else {
            String::new()
        };
        let detail = format!("{}: {}{more}", first.place, first.message);
        return Check::new("roadmap", CheckState::Broken, detail)
            .fix("see everything: autopilot plan")
            .blocking();
    }
    // What plan would refuse, a run would refuse too.
    let request = selection::Request {
        command: "autopilot plan".to_string(),
        ..selection::Request::default()
    };
    if let Err(problem) = outlook::make(project, &request, &settings::settle(&[]).0) {
        let place = problem.place.map(|place| format!("{place}: ")).unwrap_or_default();
        let detail = format!("{place}{}", problem.what);
        return Check::new("roadmap", CheckState::Broken, detail).fix(problem.fix).blocking();
    }
    let phases = &project.roadmap.phases;
    let open = phases
        .iter()
        .filter(|phase| !phase.standing.is_settled() && !phase.id.is_backlog())
        .count();
    let warnings =
        project.findings.iter().filter(|finding| finding.severity == Severity::Warning).count();
    let detail = format!("{}, {} phases, {open} to do", project.roadmap.file, phases.len());
    match warnings {
        0 => Check::good("roadmap", detail),
        count => Check::new("roadmap", CheckState::Warning, format!("{detail}, {count} warnings"))
            .fix("see them: autopilot plan"),
    }
}

fn short(hash: &str) -> String {
    hash.chars().take("sha256:".len() + 12).collect()
}
