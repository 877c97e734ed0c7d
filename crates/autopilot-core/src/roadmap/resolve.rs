//! Settles what "Depends on" lines mean once all phases are known: ranges and "all previous phases" become ids.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Bound::Included;

use crate::finding::{Findings, quote};
use crate::limits;
use crate::phase_id::PhaseId;
use crate::roadmap::Phase;
use crate::roadmap::depends_on::{self, Dependency, DependsOn};

pub(super) fn dependencies(
    phases: &mut [Phase<'_>],
    depends_on: &[Option<(u32, Cow<'_, str>)>],
    findings: &mut Findings,
) {
    let mut roadmap: Option<Ids> = None;
    let mut left = limits::DEPENDENCIES_MAX;
    for index in 0..phases.len() {
        let Some((line, text)) = depends_on.get(index).and_then(Option::as_ref) else { continue };
        let mut named = match depends_on::plain_ids(text) {
            Some(ids) => ids,
            None => {
                let read = depends_on::read(text);
                report(&read, &phases[index].id, *line, findings);
                let ids = roadmap.get_or_insert_with(|| Ids::of(phases));
                ids.meant_by(read.named, index, left)
            }
        };
        // What was written down counts, repetitions too: they cost the same.
        left = left.saturating_sub(named.len());
        named.sort();
        named.dedup();
        if left == 0 {
            let message = format!(
                "more than {} dependencies; the rest is not read",
                limits::DEPENDENCIES_MAX
            );
            findings.error(*line, message);
            return;
        }
        phases[index].depends_on = named;
    }
}

/// The ids of the roadmap, for what names several at once; most roadmaps name them one by one and never need this.
struct Ids {
    in_order: Vec<PhaseId>,
    /// Without the backlog, which no range covers.
    sorted: BTreeSet<PhaseId>,
}

impl Ids {
    fn of(phases: &[Phase<'_>]) -> Ids {
        let in_order: Vec<PhaseId> = phases.iter().map(|phase| phase.id.clone()).collect();
        let sorted = in_order.iter().filter(|id| !id.is_backlog()).cloned().collect();
        Ids { in_order, sorted }
    }

    /// What the phase at this place in the roadmap waits for. `most` bounds what ranges and "all previous" come to.
    fn meant_by(&self, dependencies: Vec<Dependency>, index: usize, most: usize) -> Vec<PhaseId> {
        let mut named: Vec<PhaseId> = Vec::with_capacity(dependencies.len());
        for dependency in dependencies {
            match dependency {
                Dependency::On(id) => named.push(id),
                Dependency::Range(first, last) => {
                    let inside = self
                        .sorted
                        .range::<PhaseId, _>((Included(&first), Included(&last)))
                        .filter(|id| **id != self.in_order[index]);
                    named.extend(inside.take(most.saturating_sub(named.len())).cloned());
                    named.extend([first, last]);
                }
                Dependency::AllPrevious => {
                    let earlier = self.in_order[..index].iter().filter(|id| !id.is_backlog());
                    named.extend(earlier.take(most.saturating_sub(named.len())).cloned());
                }
            }
        }
        named
    }
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
