//! CHECK-7: a phase brings the evidence its kind asks for, measured by the engine: every check that is configured, a difference
//! that is not empty, and in a data phase JSON that can be read.

use crate::phase_type::PhaseType;
use crate::run::checks::{Found, Integrity, quoted};
use crate::run::measured::CheckName;
use crate::run::pipeline::At;

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let mut reasons = missing(at);
    let candidate = &at.work.candidate;
    let has_commits = at.work.head != at.work.base;
    if let Some(difference) = &candidate.difference {
        if has_commits && difference.files == 0 {
            reasons.push(
                "the commits of this phase change nothing in the end: they undo each other"
                    .to_string(),
            );
        }
        if at.phase.phase_type == PhaseType::Data {
            let bad = difference.bad_json.iter();
            reasons.extend(bad.map(|file| format!("{} is no JSON that can be read", quoted(file))));
        }
    }
    match reasons.is_empty() {
        true => Vec::new(),
        false => vec![Found::Rejected { check: Integrity::PhaseTypeEvidence, reasons }],
    }
}

/// Checks of the project that were not run on the candidate.
fn missing(at: At<'_>) -> Vec<String> {
    let measured: Vec<CheckName> =
        at.work.candidate.evidence.iter().flatten().map(|one| one.check).collect();
    let asked = at.run.project.iter().flat_map(|project| &project.checks);
    let asked = asked.map(|check| check.name).filter(|name| match at.phase.phase_type {
        PhaseType::Ui => matches!(name, CheckName::Compile | CheckName::Build),
        PhaseType::Protocol | PhaseType::Data | PhaseType::Mixed => true,
    });
    let missing = asked.filter(|name| !measured.contains(name));
    missing.map(|name| format!("{name} was not run on the candidate")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::Difference;
    use crate::run::checks::fixture::{Scene, commit, told};

    #[test]
    fn an_empty_difference_and_json_that_cannot_be_read_are_seen() {
        let check = |kind: PhaseType, files: u32, bad: &[&str], expected: &str| {
            let mut scene = Scene::new();
            scene.phase.phase_type = kind;
            scene.work.head = commit(2);
            let bad_json = bad.iter().map(ToString::to_string).collect();
            scene.work.candidate.difference =
                Some(Difference { files, bad_json, ..Difference::default() });
            assert_eq!(told(&look(scene.at())), expected);
        };
        check(PhaseType::Mixed, 1, &[], "");
        check(PhaseType::Mixed, 1, &["a.json"], "");
        let json = "rejected phase_type_evidence: \"a.json\" is no JSON that can be read";
        check(PhaseType::Data, 1, &["a.json"], json);
        let empty = "rejected phase_type_evidence: the commits of this phase change nothing in the end: they undo each other";
        check(PhaseType::Ui, 0, &[], empty);
    }

    #[test]
    fn a_configured_check_that_was_not_run_is_named() {
        let mut scene = Scene::new();
        scene.configure(&[CheckName::Compile, CheckName::Test]);
        scene.measure(&[CheckName::Test]);
        let expected = "rejected phase_type_evidence: compile was not run on the candidate";
        assert_eq!(told(&look(scene.at())), expected);
        scene.phase.phase_type = PhaseType::Ui;
        scene.measure(&[CheckName::Compile]);
        assert_eq!(told(&look(scene.at())), "");
    }
}
