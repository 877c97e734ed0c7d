//! Looks at the machine before a run does: every part is really tried, not only found. Owns what a check says and the order
//! of the report; each topic has a file in `doctor/`. Prints nothing and mends nothing.

use std::path::Path;

use autopilot_core::exit::Exit;

use crate::machine::Machine;

mod agent_probe;
mod browser_probe;
mod command_probe;
mod disk_probe;
mod git_probe;
mod leftover_probe;
mod project_probe;
mod sandbox_probe;

pub use agent_probe::agents;
pub use browser_probe::browser;
pub use command_probe::{Tried, try_command};
pub use disk_probe::disk;
pub use git_probe::git;
pub use leftover_probe::BeforeTrying;
pub use project_probe::project;
pub use sandbox_probe::sandbox;

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// One word: what was looked at.
    pub topic: String,
    pub state: CheckState,
    /// What was seen, short enough to stand beside topic and state in 80 columns.
    pub detail: String,
    /// What to do, a command where there is one. Nothing that is good needs it.
    pub fix: Option<String>,
    /// A run could not start before this is mended.
    pub blocks_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckState {
    Good,
    /// It works, and there is something to know about it.
    Warning,
    Missing,
    /// It is there and does not do its work.
    Broken,
}

impl Check {
    /// The state for people: what is not there and is not needed either is no alarm.
    pub fn word(&self) -> &'static str {
        match (self.state, self.blocks_run) {
            (CheckState::Missing, false) => "absent",
            (CheckState::Missing, true) => "missing",
            (CheckState::Good, _) => "good",
            (CheckState::Warning, _) => "warning",
            (CheckState::Broken, _) => "broken",
        }
    }

    pub(crate) fn new(
        topic: impl Into<String>,
        state: CheckState,
        detail: impl Into<String>,
    ) -> Self {
        Check { topic: topic.into(), state, detail: detail.into(), fix: None, blocks_run: false }
    }

    pub(crate) fn good(topic: impl Into<String>, detail: impl Into<String>) -> Self {
        Check::new(topic, CheckState::Good, detail)
    }

    pub(crate) fn fix(self, fix: impl Into<String>) -> Self {
        Check { fix: Some(fix.into()), ..self }
    }

    pub(crate) fn blocking(self) -> Self {
        Check { blocks_run: true, ..self }
    }
}

/// Everything about the machine and the project's folder; first what a run cannot do without. Each topic is reported as soon
/// as it is known, for the slow ones take seconds.
pub fn examine(machine: &Machine, root: &Path, mut report: impl FnMut(Vec<Check>)) {
    report(git(machine, root));
    report(agents(machine));
    let config = crate::project::read_config(root, &mut Vec::new());
    let (settings, _) = crate::settings::read(machine, &config, Default::default());
    report(disk(machine, root, settings.free_disk_mebibytes_min));
    report(sandbox(machine));
    report(vec![browser(machine)]);
}

/// What the report means for whoever started us.
pub fn exit(checks: &[Check]) -> Exit {
    let is_blocked = checks.iter().any(|check| check.blocks_run);
    if is_blocked { Exit::Environment } else { Exit::Success }
}

#[cfg(test)]
#[path = "doctor_tests.rs"]
mod tests;
