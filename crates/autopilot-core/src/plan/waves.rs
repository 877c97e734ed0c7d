//! The waves of a phase's plans, computed from what they depend on. A declared wave that differs is a warning, a cycle an error.

use std::collections::BTreeMap;

use crate::finding::{Finding, Place, Severity};
use crate::phase_id::PhaseId;
use crate::plan::Plan;

/// What the schedule of plans needs to know of one.
pub struct PlanRef<'a> {
    pub phase: &'a PhaseId,
    /// From the file name, else from the front matter.
    pub number: &'a str,
    pub plan: &'a Plan,
}

/// The wave of each plan, from 1, in the order given; plans of a cycle have none.
pub fn compute(plans: &[PlanRef<'_>]) -> (Vec<Option<u32>>, Vec<Finding>) {
    let (needs, mut findings) = needs(plans);
    let waves = settle(&needs);
    for (plan, wave) in plans.iter().zip(&waves) {
        let place = Place::line(plan.plan.file.clone(), 1);
        match (wave, plan.plan.wave) {
            (None, _) => {
                let message =
                    format!("plan {} waits for itself: its depends_on go in a circle", plan.number);
                findings.push(Finding { severity: Severity::Error, place, message });
            }
            (Some(computed), Some(declared)) if *computed != declared => {
                let message = format!(
                    "declares wave {declared}, but its depends_on make it wave {computed}; wave {computed} is used"
                );
                findings.push(Finding { severity: Severity::Warning, place, message });
            }
            _ => {}
        }
    }
    (waves, findings)
}

/// For each plan, the places in the list of those it depends on.
pub fn needs(plans: &[PlanRef<'_>]) -> (Vec<Vec<usize>>, Vec<Finding>) {
    let mut findings = Vec::new();
    let by_number: BTreeMap<String, usize> =
        plans.iter().enumerate().map(|(index, plan)| (normal(plan.number), index)).collect();
    let needs = plans.iter().map(|plan| needs_of(plan, &by_number, &mut findings)).collect();
    (needs, findings)
}

/// `03-01`, `01` and `1` in phase 3 are the same plan; a plan of another phase is that phase's business.
fn needs_of(
    plan: &PlanRef<'_>,
    by_number: &BTreeMap<String, usize>,
    findings: &mut Vec<Finding>,
) -> Vec<usize> {
    let mut needs = Vec::new();
    for text in &plan.plan.depends_on {
        let text = text.trim().trim_end_matches(".md").trim_end_matches("-PLAN");
        let text = text.strip_prefix("PLAN-").unwrap_or(text);
        let (phase, number) = match text.rsplit_once('-') {
            Some((phase, number)) => (phase.parse::<PhaseId>().ok(), number),
            None => (None, text),
        };
        if phase.as_ref().is_some_and(|phase| phase != plan.phase) {
            continue;
        }
        match by_number.get(&normal(number)) {
            Some(index) => needs.push(*index),
            None => findings.push(Finding {
                severity: Severity::Warning,
                place: Place::line(plan.plan.file.clone(), 1),
                message: format!("depends on plan {text}, which is not in this phase's folder"),
            }),
        }
    }
    needs
}

fn normal(number: &str) -> String {
    let trimmed = number.trim().trim_start_matches('0').to_ascii_lowercase();
    if trimmed.is_empty() && !number.trim().is_empty() { "0".to_string() } else { trimmed }
}

/// Kahn's walk: a plan's wave is one more than the latest of what it needs.
fn settle(needs: &[Vec<usize>]) -> Vec<Option<u32>> {
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    for (plan, needed) in needs.iter().enumerate() {
        for other in needed {
            needed_by[*other].push(plan);
        }
    }
    let mut waves: Vec<Option<u32>> = open.iter().map(|count| (*count == 0).then_some(1)).collect();
    let mut ready: Vec<usize> = (0..needs.len()).filter(|plan| open[*plan] == 0).collect();
    while let Some(plan) = ready.pop() {
        for next in std::mem::take(&mut needed_by[plan]) {
            open[next] -= 1;
            if open[next] == 0 {
                let latest = needs[next].iter().filter_map(|need| waves[*need]).max().unwrap_or(0);
                waves[next] = Some(latest + 1);
                ready.push(next);
            }
        }
    }
    waves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(depends_on: &[&str], wave: Option<u32>) -> Plan {
        let depends_on = depends_on.iter().map(ToString::to_string).collect();
        Plan { file: "P.md".to_string(), depends_on, wave, ..Plan::default() }
    }

    #[test]
    fn waves_follow_dependencies_and_contradictions_are_told() {
        let phase = PhaseId::number(3);
        let plans = [
            plan(&[], Some(1)),
            plan(&["03-01"], Some(2)),
            plan(&["1", "2"], Some(2)),
            plan(&["02-09"], None),
            plan(&["07"], None),
        ];
        let numbers = ["01", "02", "03", "04", "05"];
        let refs: Vec<PlanRef<'_>> = plans
            .iter()
            .zip(numbers)
            .map(|(plan, number)| PlanRef { phase: &phase, number, plan })
            .collect();
        let (waves, findings) = compute(&refs);
        assert_eq!(waves, [Some(1), Some(2), Some(3), Some(1), Some(1)]);
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "depends on plan 07, which is not in this phase's folder",
                "declares wave 2, but its depends_on make it wave 3; wave 3 is used"
            ]
        );
    }

    #[test]
    fn a_circle_of_plans_is_an_error() {
        let phase = PhaseId::number(3);
        let plans = [plan(&["02"], None), plan(&["01"], None), plan(&[], None)];
        let refs: Vec<PlanRef<'_>> = plans
            .iter()
            .zip(["01", "02", "03"])
            .map(|(plan, number)| PlanRef { phase: &phase, number, plan })
            .collect();
        let (waves, findings) = compute(&refs);
        assert_eq!(waves, [None, None, Some(1)]);
        assert_eq!(
            findings.iter().filter(|finding| finding.severity == Severity::Error).count(),
            2
        );
    }
}
