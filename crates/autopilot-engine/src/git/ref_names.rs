//! What a run calls its branches and refs. The run's branch is `autopilot/<run>`, the one a person merges in the end. A phase's
//! branch is `autopilot/<run>-phase-<id>` and not `autopilot/<run>/phase-<id>`: git keeps branches like files in folders, so
//! a branch cannot lie below another one. What would be lost is kept under `refs/autopilot/<run>/rescue/`, which no list of
//! branches shows.

use super::GitError;
use autopilot_core::limits;

/// The names of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunNames {
    run: String,
}

/// A branch of a run. There is no way to make one of a user's branch, so nothing that takes this type can move those.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch {
    short: String,
}

const BETWEEN: &str = "-phase-";
/// A branch that takes a phase back which is on the user's branch already.
const BACK: &str = "-back-";

impl RunNames {
    pub fn of(run: &str) -> Result<RunNames, GitError> {
        // Otherwise the branch of this run could be the branch of another run's phase.
        if run.contains(BETWEEN) || run.contains(BACK) {
            return Err(GitError::BadName { name: run.into() });
        }
        Ok(RunNames { run: part(run)?.into() })
    }

    pub fn run(&self) -> &str {
        &self.run
    }

    pub fn branch(&self) -> Branch {
        Branch { short: format!("autopilot/{}", self.run) }
    }

    pub fn phase_branch(&self, phase: &str) -> Result<Branch, GitError> {
        Ok(Branch { short: format!("autopilot/{}{BETWEEN}{}", self.run, part(phase)?) })
    }

    /// The run's branch, or one that takes a phase back, by the name the journal has of it.
    pub fn branch_named(&self, short: &str) -> Result<Branch, GitError> {
        let own = self.branch();
        let back = short.strip_prefix(&format!("{}{BACK}", own.short));
        if short == own.short {
            return Ok(own);
        }
        match back.map(part) {
            Some(Ok(_)) => Ok(Branch { short: short.into() }),
            Some(Err(error)) => Err(error),
            None => Err(GitError::BadName { name: short.into() }),
        }
    }

    /// Fits the branches of all phases of the run.
    pub(crate) fn phase_pattern(&self) -> String {
        format!("refs/heads/autopilot/{}{BETWEEN}*", self.run)
    }

    /// Holds the last uncommitted work of the run's slot, so that no clean-up takes it.
    pub(crate) fn work(&self) -> String {
        format!("refs/autopilot/{}/work", self.run)
    }

    /// Holds what the user's files were while the run has their folder (`--in-place`).
    pub(crate) fn home(&self) -> String {
        format!("refs/autopilot/{}/home", self.run)
    }

    /// Holds the list of what git ignored then.
    pub(crate) fn home_ignored(&self) -> String {
        format!("refs/autopilot/{}/home-ignored", self.run)
    }

    pub(crate) fn rescues(&self) -> String {
        format!("refs/autopilot/{}/rescue/", self.run)
    }

    /// The first has the plain label, the others a number. The dot keeps `task-1`, second, apart from a label `task-1-2`.
    pub(crate) fn rescue(&self, label: &str, number: usize) -> Result<String, GitError> {
        let label = part(label)?;
        Ok(match number {
            1 => format!("{}{label}", self.rescues()),
            more => format!("{}{label}.{more}", self.rescues()),
        })
    }
}

impl Branch {
    /// As a person types it: `autopilot/<run>`.
    pub fn short(&self) -> &str {
        &self.short
    }

    pub fn full(&self) -> String {
        format!("refs/heads/{}", self.short)
    }
}

/// Narrower than git's own rules, which allow what shells and file systems stumble over.
fn part(text: &str) -> Result<&str, GitError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_fit = !text.is_empty()
        && text.len() <= limits::REF_PART_BYTES_MAX
        && text.chars().all(is_plain)
        && !text.starts_with(['.', '-'])
        && !text.ends_with('.')
        && !text.contains("..")
        && !text.to_ascii_lowercase().ends_with(".lock");
    if is_fit { Ok(text) } else { Err(GitError::BadName { name: text.into() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_run_can_stand_side_by_side() {
        let names = RunNames::of("20260102-0304-ab").unwrap();
        assert_eq!(names.branch().full(), "refs/heads/autopilot/20260102-0304-ab");
        let phase = names.phase_branch("2.1").unwrap();
        assert_eq!(phase.short(), "autopilot/20260102-0304-ab-phase-2.1");
        assert!(!phase.full().starts_with(&format!("{}/", names.branch().full())));
        let rescue = |number| names.rescue("task-1", number).unwrap();
        assert_eq!(rescue(1), "refs/autopilot/20260102-0304-ab/rescue/task-1");
        assert_eq!(rescue(2), "refs/autopilot/20260102-0304-ab/rescue/task-1.2");
    }

    #[test]
    fn only_branches_of_the_run_are_found_by_name() {
        let names = RunNames::of("run-1").unwrap();
        for known in ["autopilot/run-1", "autopilot/run-1-back-2.1"] {
            assert_eq!(names.branch_named(known).unwrap().short(), known);
        }
        for unknown in
            ["main", "autopilot/run-2", "autopilot/run-1-back-", "autopilot/run-1-back-a/b", ""]
        {
            assert!(names.branch_named(unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn what_git_or_a_shell_would_stumble_over_is_no_name() {
        let long = "x".repeat(limits::REF_PART_BYTES_MAX + 1);
        let bad =
            ["", "-a", ".a", "a.", "a..b", "a.lock", "a.LOCK", "a/b", "a b", "ä", "a~1", &long];
        for name in bad {
            assert!(RunNames::of(name).is_err(), "{name}");
            assert!(RunNames::of("r").unwrap().phase_branch(name).is_err(), "{name}");
        }
        assert!(RunNames::of("a-phase-1").is_err());
        assert!(RunNames::of("a-back-1").is_err());
        assert!(RunNames::of("r").unwrap().phase_branch("PROJ-42").is_ok());
    }
}
