//! Reads a proposal back with the ordinary readers: what they call an error, and what would not be read as it was meant, is a fault of the
//! draft.

use super::Proposal;
use crate::convert::{Draft, DraftPhase};
use crate::finding::{Severity, quote};
use crate::project::Project;
use crate::roadmap::{self, Phase};
use crate::selection::Request;
use crate::settings;
use crate::{limits, outlook, requirements};

const ROADMAP: &str = ".planning/ROADMAP.md";
const REQUIREMENTS: &str = ".planning/REQUIREMENTS.md";

/// Roadmap and requirements as they would be read, and what the readers notice.
pub(super) fn read(proposal: &Proposal) -> Project<'_> {
    let (roadmap, found) = roadmap::read(ROADMAP, &proposal.roadmap);
    let (requirements, more) = requirements::read(REQUIREMENTS, &proposal.requirements);
    let findings = found.into_iter().chain(more).collect();
    Project { roadmap, requirements: Some(requirements), findings, ..Project::default() }
}

pub(super) fn faults(proposal: &Proposal) -> Vec<String> {
    let project = read(proposal);
    let errors = project.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let mut faults: Vec<String> =
        errors.map(|finding| format!("{}: {}", finding.place, finding.message)).collect();
    faults.extend(lost_phases(&proposal.draft, &project.roadmap.phases));
    let listed = project.requirements.iter().flat_map(|requirements| &requirements.list);
    let known: Vec<&str> = listed.map(|it| it.id.as_str()).collect();
    let lost = proposal.draft.requirements.iter().filter(|it| !known.contains(&it.id.as_str()));
    faults.extend(lost.map(|it| format!("the requirement {} cannot be read back", quote(&it.id))));
    let bytes = proposal.roadmap.len().max(proposal.requirements.len());
    if bytes as u64 > limits::FILE_BYTES_MAX {
        faults.push(format!("a file of {bytes} bytes would not be read"));
    }
    if faults.is_empty() {
        let request = Request { command: "autopilot plan".to_string(), ..Request::default() };
        let refused = outlook::make(&project, &request, &settings::settle(&[]).0).err();
        faults.extend(refused.map(|problem| problem.what));
    }
    faults
}

fn lost_phases(draft: &Draft, read: &[Phase<'_>]) -> Vec<String> {
    let mut faults = Vec::new();
    if read.len() != draft.phases.len() {
        faults.push(format!(
            "{} phases were drafted, and {} are read from what was written: give them plain names",
            draft.phases.len(),
            read.len()
        ));
    }
    for phase in &draft.phases {
        let Some(back) = read.iter().find(|it| it.id == phase.number) else { continue };
        faults.extend(lost_parts(phase, back));
    }
    faults
}

fn lost_parts(phase: &DraftPhase, back: &Phase<'_>) -> Vec<String> {
    let number = &phase.number;
    let mut faults = Vec::new();
    if back.depends_on != phase.depends_on {
        faults.push(format!("what phase {number} depends on is not read as it was meant"));
    }
    if back.criteria.len() != phase.criteria.len() {
        faults.push(format!(
            "phase {number} has {} criteria, and {} are read: write each in plain words",
            phase.criteria.len(),
            back.criteria.len()
        ));
    }
    for (at, (meant, read)) in (1..).zip(phase.criteria.iter().zip(&back.criteria)) {
        if read.command() != meant.command.as_deref() {
            faults.push(format!(
                "criterion {at} of phase {number}, {}: its command is not read as it was meant; name commands in `command` only",
                quote(&meant.text)
            ));
        }
    }
    faults
}
