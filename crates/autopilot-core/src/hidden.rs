//! Checks that no agent may know (PIPE-5a). Beside the roadmap's own `verified by (hidden):` they may stand in a file that is in no
//! commit; here it is read and laid over the roadmap. A run records such a command by its hash alone: what it stands for is looked
//! up where the user keeps it, each time it is run. Where that is, is the engine's; what agents get instead of a text that tells a
//! hidden command, `redact`'s.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::criterion::{Check, Criterion};
use crate::digest;
use crate::finding::{Finding, Findings};
use crate::limits;
use crate::phase_id::PhaseId;
use crate::roadmap::Roadmap;

pub mod redact;

/// What is shown instead of a hidden command.
pub const SHOWN: &str = "(hidden)";
/// How a command is written that stands elsewhere.
const ELSEWHERE: &str = "hidden:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenCheck {
    pub phase: PhaseId,
    /// Counted from 1.
    pub criterion: u32,
    pub command: String,
}

/// The user's file: phases, in them the number of a criterion and its command.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    phases: BTreeMap<String, BTreeMap<String, String>>,
}

/// What is wrong is said without a word of the file: whoever reads the message may be an agent.
pub fn read(text: &str) -> Result<Vec<HiddenCheck>, String> {
    let document: Document = serde_json::from_str(text).map_err(|error| {
        format!(
            "line {}: it must be {{\"phases\": {{\"2\": {{\"1\": \"the command\"}}}}}}, phases and in them numbers of criteria",
            error.line()
        )
    })?;
    let mut checks = Vec::new();
    for (phase, criteria) in document.phases {
        let id: PhaseId = phase.parse().map_err(|_| format!("{phase:?} is no phase"))?;
        for (number, command) in criteria {
            let criterion = number.parse().ok().filter(|number| *number > 0);
            let criterion =
                criterion.ok_or_else(|| format!("phase {id}: {number:?} is no number"))?;
            if command.trim().is_empty() {
                return Err(format!("phase {id}: criterion {criterion} has an empty command"));
            }
            checks.push(HiddenCheck { phase: id.clone(), criterion, command });
        }
    }
    Ok(checks)
}

/// Gives the criteria their hidden checks. One that has a command of its own already is followed by another with the same words: both
/// must hold. All of them or an error: a check that is hidden from the run too would help nobody.
pub fn attach(roadmap: &mut Roadmap<'_>, checks: &[HiddenCheck]) -> Result<(), String> {
    for check in checks {
        let phase = roadmap.phases.iter_mut().find(|phase| phase.id == check.phase);
        let phase = phase.ok_or_else(|| format!("phase {} is not in the roadmap", check.phase))?;
        let index = usize::try_from(check.criterion).unwrap_or(usize::MAX) - 1;
        let count = phase.criteria.len();
        let written = Check::Hidden(Cow::Owned(reference(&check.command)));
        let Some(criterion) = phase.criteria.get_mut(index) else {
            let (phase, number) = (&check.phase, check.criterion);
            return Err(format!("phase {phase} has no criterion {number}: it has {count}"));
        };
        match criterion.check {
            Check::Judged => criterion.check = written,
            Check::Command(_) | Check::Hidden(_) if count < limits::CRITERIA_PER_PHASE_MAX => {
                let text = Cow::Owned(format!("{}, also as it is not shown", criterion.text));
                phase.criteria.push(Criterion { text, check: written });
            }
            Check::Command(_) | Check::Hidden(_) => {
                return Err(format!("phase {} has too many criteria", check.phase));
            }
        }
    }
    Ok(())
}

/// A command by its hash, for the journal.
pub fn reference(command: &str) -> String {
    format!("{ELSEWHERE}{}", digest::text(&Sha256::digest(command.as_bytes())))
}

/// Whether a command is only named by its hash.
pub fn is_reference(written: &str) -> bool {
    written.strip_prefix(ELSEWHERE).is_some_and(|rest| rest.starts_with(digest::PREFIX))
}

/// Says of every open phase whose hidden check stands in the roadmap that git has it.
pub fn told_by(roadmap: &Roadmap<'_>) -> Vec<Finding> {
    let mut findings = Findings::of_file(roadmap.file.clone());
    for phase in roadmap.phases.iter().filter(|phase| !phase.standing.is_settled()) {
        let is_told = |criterion: &&Criterion<'_>| match &criterion.check {
            Check::Hidden(written) => !is_reference(written),
            Check::Judged | Check::Command(_) => false,
        };
        if phase.criteria.iter().any(|criterion| is_told(&criterion)) {
            findings.warn(
                phase.line,
                format!(
                    "a hidden check of phase {} stands in this file: agents get a copy without it, but one that searches the history of the repository can find it; the setting hidden_checks names a place that is in no commit",
                    phase.id
                ),
            );
        }
    }
    findings.into_list()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roadmap;

    const ROADMAP: &str = "### Phase 1: Base\n**Success Criteria**:\n1. Prose\n2. Seen -- verified by: `make test`\n3. Told -- verified by (hidden): `./told.sh`\n\n### Phase 2.1: Next\n";

    fn attached(text: &str) -> Result<Vec<(String, Check<'static>)>, String> {
        let (mut roadmap, _) = roadmap::read("R.md", ROADMAP);
        attach(&mut roadmap, &read(text)?)?;
        let criteria = roadmap.phases[0].criteria.iter().cloned().map(Criterion::into_owned);
        Ok(criteria.map(|it| (it.text.to_string(), it.check)).collect())
    }

    #[test]
    fn a_hidden_check_goes_to_its_criterion_or_beside_it_and_is_named_by_its_hash_alone() {
        let written = |command: &str| Check::Hidden(Cow::Owned(reference(command)));
        let found = attached(r#"{"phases": {"1": {"1": "./a.sh", "2": "./b.sh"}}}"#).unwrap();
        let expected = [
            ("Prose", written("./a.sh")),
            ("Seen", Check::Command("make test".into())),
            ("Told", Check::Hidden("./told.sh".into())),
            ("Seen, also as it is not shown", written("./b.sh")),
        ];
        assert_eq!(found, expected.map(|(text, check)| (text.to_string(), check)));
        assert!(is_reference(&reference("./a.sh")) && !is_reference("hidden: ./a.sh"));
        assert!(!format!("{found:?}").contains("a.sh"));
    }

    #[test]
    fn a_file_that_cannot_be_followed_whole_is_refused_without_telling_what_it_says() {
        let check = |text: &str, expected: &str| {
            let why = attached(text).unwrap_err();
            assert!(why.starts_with(expected), "{why}");
            assert!(!why.contains("secret"), "{why}");
        };
        check("{\n\"phases\": [\"secret\"]}", "line 2: it must be {\"phases\": ");
        check(r#"{"phases": {}, "secret": 1}"#, "line 1: it must be ");
        check(r#"{"phases": {"one": {"1": "secret"}}}"#, "\"one\" is no phase");
        check(r#"{"phases": {"1": {"0": "secret"}}}"#, "phase 1: \"0\" is no number");
        check(r#"{"phases": {"1": {"1": " "}}}"#, "phase 1: criterion 1 has an empty");
        check(r#"{"phases": {"1": {"4": "secret"}}}"#, "phase 1 has no criterion 4: it has 3");
        check(r#"{"phases": {"2.1": {"1": "secret"}}}"#, "phase 2.1 has no criterion 1: it has 0");
        check(r#"{"phases": {"7": {"1": "secret"}}}"#, "phase 7 is not in the roadmap");
    }

    #[test]
    fn only_what_stands_in_the_roadmap_itself_is_warned_of_and_only_while_it_is_open() {
        let told = |text: &str| {
            let (mut roadmap, _) = roadmap::read("R.md", text);
            let checks = read(r#"{"phases": {"1": {"1": "./a.sh"}}}"#).unwrap();
            attach(&mut roadmap, &checks).unwrap();
            told_by(&roadmap).iter().map(|one| one.place.line).collect::<Vec<_>>()
        };
        assert_eq!(told(ROADMAP), [Some(1)]);
        let unseen = ROADMAP.replace(" -- verified by (hidden): `./told.sh`", "");
        assert_eq!(told(&unseen), []);
        assert_eq!(told(&format!("- [x] **Phase 1: Base**\n\n{ROADMAP}")), []);
    }
}
