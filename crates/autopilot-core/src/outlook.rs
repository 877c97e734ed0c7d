//! What a run would be, before it is one: the selection, its schedule, what it would cost, and everything worth knowing first.
//! The command `plan` shows it; a run starts from it.

use crate::config::ProjectConfig;
use crate::estimate::{self, Estimate};
use crate::finding::{Finding, Place, Severity};
use crate::limits;
use crate::phase_type::{self, PhaseType};
use crate::plan::Plan;
use crate::problem::Problem;
use crate::project::Project;
use crate::roadmap::index::PhaseIndex;
use crate::roadmap::{self, Phase};
use crate::schedule::{self, Schedule};
use crate::selection::{self, Request, Skipped};
use crate::settings::Settings;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    pub schedule: Schedule,
    pub skipped: Vec<Skipped>,
    /// One for each phase of the roadmap, in its order.
    pub phases: Vec<PhaseOutlook>,
    /// The selected phases together.
    pub total: Estimate,
    pub findings: Vec<Finding>,
}

/// What is expected of one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseOutlook {
    pub phase_type: PhaseType,
    /// None for a phase that is settled and not selected.
    pub estimate: Option<Estimate>,
}

/// Refuses where the project's files or the request are at fault; the project's findings say the rest.
pub fn make(project: &Project, request: &Request, settings: &Settings) -> Result<Outlook, Problem> {
    refuse_errors(project)?;
    let selection = selection::select(project, request)?;
    let mut is_chosen = vec![false; project.roadmap.phases.len()];
    for place in &selection.chosen {
        is_chosen[*place] = true;
    }
    let expected = |(phase, is_chosen): (&Phase<'_>, &bool)| {
        let phase_type = type_of(phase, project);
        let would_run = !phase.standing.is_settled() || *is_chosen;
        let estimate = would_run.then(|| estimate_of(phase, project, phase_type, settings));
        PhaseOutlook { phase_type, estimate }
    };
    let phases: Vec<PhaseOutlook> =
        project.roadmap.phases.iter().zip(&is_chosen).map(expected).collect();
    let cost = |place: usize| phases[place].estimate.map_or(0, |estimate| estimate.tokens);
    let schedule = schedule::make(project, &selection.chosen, cost)?;
    let total = sum(selection.chosen.iter().filter_map(|place| phases[*place].estimate.as_ref()));
    let mut findings = project.findings.clone();
    findings
        .extend(selection.remarks.iter().map(|remark| note(&project.roadmap.file, remark.clone())));
    findings.extend(over_budget(project, &schedule, &phases, &total, settings));
    Ok(Outlook { schedule, skipped: selection.skipped, phases, total, findings })
}

/// Zero phases must never look like "nothing left to do" (ROAD-4).
pub fn no_phases(project: &Project) -> Problem {
    let first = project.findings.iter().find(|finding| finding.severity == Severity::Error);
    let problem = Problem::usage(
        roadmap::NO_PHASES,
        "autopilot runs phases; a roadmap without any would look like finished work",
        "write phases as headings (### Phase 1: Name) or as a check-list (- [ ] **Phase 1: Name** - what it brings)",
    );
    problem.at(first.map_or_else(
        || Place::line(project.roadmap.file.clone(), 1),
        |finding| finding.place.clone(),
    ))
}

/// The first error among the findings stops; all of them are shown with it.
fn refuse_errors(project: &Project) -> Result<(), Problem> {
    if project.roadmap.phases.is_empty() {
        return Err(no_phases(project));
    }
    let errors: Vec<&Finding> =
        project.findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    let Some(first) = errors.first() else { return Ok(()) };
    let more = match errors.len() {
        1 => String::new(),
        count => format!(" (and {} more errors)", count - 1),
    };
    Err(Problem::usage(
        format!("{}{more}", first.message),
        "autopilot cannot tell what would run, and it does not guess",
        format!("mend {} and try again", first.place),
    )
    .at(first.place.clone()))
}

fn type_of(phase: &Phase, project: &Project) -> PhaseType {
    let config: &ProjectConfig = &project.config.project;
    phase_type::of(phase, project.plans_of(&phase.id).iter().map(|plan| &plan.plan), config)
}

fn estimate_of(
    phase: &Phase,
    project: &Project,
    phase_type: PhaseType,
    settings: &Settings,
) -> Estimate {
    let plans: Vec<&Plan> = project.plans_of(&phase.id).iter().map(|plan| &plan.plan).collect();
    estimate::of(phase, &plans, phase_type, &project.config, settings.depth)
}

fn sum<'a>(estimates: impl Iterator<Item = &'a Estimate>) -> Estimate {
    estimates.fold(Estimate { tokens: 0, agent_runs: 0, tasks: 0 }, |total, estimate| Estimate {
        tokens: total.tokens.saturating_add(estimate.tokens),
        agent_runs: total.agent_runs.saturating_add(estimate.agent_runs),
        tasks: total.tasks.saturating_add(estimate.tasks),
    })
}

/// BUD-2: above 80 % of a cap is worth a warning before anything is spent.
fn over_budget(
    project: &Project,
    schedule: &Schedule,
    phases: &[PhaseOutlook],
    total: &Estimate,
    settings: &Settings,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let percent = |tokens: u64, cap: u64| tokens.saturating_mul(100) / cap.max(1);
    let is_near = |tokens: u64, cap: u64| {
        tokens.saturating_mul(100) > cap.saturating_mul(limits::ESTIMATE_WARN_PERCENT)
    };
    let cap = project.config.breaker.phase_tokens_max;
    let index = PhaseIndex::of(&project.roadmap.phases);
    let tokens_at = |place: usize| phases[place].estimate.map_or(0, |estimate| estimate.tokens);
    let costs = schedule.order.iter().filter_map(|id| index.place(id));
    let costs = costs.map(|place| (&project.roadmap.phases[place], tokens_at(place)));
    for (phase, tokens) in costs.filter(|(_, tokens)| is_near(*tokens, cap)) {
        let (id, line) = (&phase.id, Some(phase.line));
        let message = format!(
            "phase {id} is estimated at {tokens} tokens, {} % of the {cap} a phase may spend; consider splitting it",
            percent(tokens, cap)
        );
        let place = Place { file: project.roadmap.file.clone(), line };
        findings.push(Finding { severity: Severity::Warning, place, message });
        if findings.len() >= limits::FINDINGS_PER_FILE_MAX {
            break;
        }
    }
    let run_cap = settings.tokens_max.unwrap_or(project.config.breaker.run_tokens_max);
    if is_near(total.tokens, run_cap) {
        let message = format!(
            "the selected phases are estimated at {} tokens, {} % of the {run_cap} a run may spend; expect it to stop on the way",
            total.tokens,
            percent(total.tokens, run_cap)
        );
        let place = Place::file(project.roadmap.file.clone());
        findings.push(Finding { severity: Severity::Warning, place, message });
    }
    findings
}

fn note(file: &str, message: String) -> Finding {
    Finding { severity: Severity::Note, place: Place::file(file), message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings;

    fn warnings(phase_cap: u64, run_cap: u64) -> usize {
        let (roadmap, _) = roadmap::read("R.md", "### Phase 1: A\n### Phase 2: B\n");
        let mut project = Project { roadmap, ..Project::default() };
        project.config.breaker.phase_tokens_max = phase_cap;
        let settings = Settings { tokens_max: Some(run_cap), ..settings::settle(&[]).0 };
        let outlook = make(&project, &Request::default(), &settings).unwrap();
        outlook.findings.iter().filter(|finding| finding.severity == Severity::Warning).count()
    }

    /// Two phases without a plan, 240,000 tokens each.
    #[test]
    fn an_estimate_above_four_fifths_of_a_cap_is_warned_about() {
        assert_eq!(warnings(300_000, 600_000), 0, "exactly 80 % is not above it");
        assert_eq!(warnings(299_999, 600_000), 2, "each phase");
        assert_eq!(warnings(300_000, 599_999), 1, "the run");
    }
}
