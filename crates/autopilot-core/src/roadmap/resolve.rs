//! Settles what "Depends on" lines mean once all phases are known: ranges and "all previous phases" become ids.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::Included;

use crate::finding::{Findings, quote};
use crate::limits;
use crate::phase_id::PhaseId;
use crate::roadmap::depends_on::{self, Dependency, DependsOn};
use crate::roadmap::{Detailed, Phase};

pub(super) fn dependencies(
    phases: &mut [Phase],
    detailed: &BTreeMap<&PhaseId, &Detailed>,
    findings: &mut Findings,
) {
    let order: Vec<PhaseId> = phases.iter().map(|phase| phase.id.clone()).collect();
    let known: BTreeSet<&PhaseId> = order.iter().filter(|id| !id.is_backlog()).collect();
    let mut left = limits::DEPENDENCIES_MAX;
    for (index, phase) in phases.iter_mut().enumerate() {
        let Some(details) = detailed.get(&phase.id) else { continue };
        let Some((line, text)) = &details.section.depends_on else { continue };
        let read = depends_on::read(text);
        report(&read, &phase.id, *line, findings);
        let mut named: BTreeSet<PhaseId> = BTreeSet::new();
        for dependency in &read.named {
            match dependency {
                Dependency::On(id) => {
                    named.insert(id.clone());
                }
                Dependency::Range(first, last) => {
                    named.extend([first.clone(), last.clone()]);
                    let inside = between(&known, first, last).filter(|id| *id != &phase.id);
                    named.extend(inside.take(left).cloned());
                }
                Dependency::AllPrevious => {
                    let earlier = order[..index].iter().filter(|id| !id.is_backlog());
                    named.extend(earlier.take(left).cloned());
                }
            }
        }
        left = left.saturating_sub(named.len());
        if left == 0 {
            let message = format!(
                "more than {} dependencies; the rest is not read",
                limits::DEPENDENCIES_MAX
            );
            findings.error(*line, message);
            return;
        }
        phase.depends_on = named.into_iter().collect();
    }
}

/// The known ids from `first` to `last`; both orders of the ends must be checked before.
pub(super) fn between<'a>(
    known: &BTreeSet<&'a PhaseId>,
    first: &PhaseId,
    last: &PhaseId,
) -> impl Iterator<Item = &'a PhaseId> {
    known.range::<PhaseId, _>((Included(first), Included(last))).copied()
}

fn report(read: &DependsOn, id: &PhaseId, line: u32, findings: &mut Findings) {
    for words in &read.not_understood {
        let message = format!(
            "\"Depends on\" of phase {id}: {} is not understood as a dependency",
            quote(words)
        );
        match read.named.is_empty() {
            true => findings.warn(line, message),
            false => findings.note(line, message),
        }
    }
}
