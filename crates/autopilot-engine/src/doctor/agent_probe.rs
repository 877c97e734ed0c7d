//! Which agents work? A line for each of the catalogue, and a last one that blocks when none of them could work in a run.

use autopilot_agents::profile::{PROFILES, Profile};

use super::{Check, CheckState};
use crate::agents::probe::{self, Patience, Probed, Seen, State};
use crate::machine::Machine;

pub fn agents(machine: &Machine) -> Vec<Check> {
    agents_within(machine, Patience::USUAL)
}

pub(super) fn agents_within(machine: &Machine, patience: Patience) -> Vec<Check> {
    let probed = probe::all(machine, patience);
    // A program has one line, however many ways there are to talk to it.
    let is_first = |probed: &&Probed| probed.profile.name == probed.profile.program();
    let checks: Vec<Check> = probed.iter().filter(is_first).map(check).collect();
    checks.into_iter().chain(none_ready(&probed)).collect()
}

fn check(probed: &Probed) -> Check {
    let profile = probed.profile;
    let (version, login) = match &probed.state {
        State::Missing => {
            return Check::new(profile.name, CheckState::Missing, "not found on PATH");
        }
        State::Broken { why } => {
            return Check::new(profile.name, CheckState::Broken, why)
                .fix(format!("install it anew: {}", profile.install));
        }
        State::Works { version, login, .. } => (version, login),
    };
    let (state, said) = match login {
        Seen::In(_) => (CheckState::Good, ", logged in".to_string()),
        Seen::Key(key) => (CheckState::Good, format!(", {key} is set")),
        Seen::NotAsked => (CheckState::Good, "; login not asked".to_string()),
        Seen::NoneStored => (CheckState::Warning, "; no login stored".to_string()),
        Seen::Unknown { why } => (CheckState::Warning, format!("; login unknown: {why}")),
        Seen::Out { .. } => (CheckState::Broken, ", not logged in".to_string()),
        Seen::Expired { .. } => (CheckState::Broken, ", the login has expired".to_string()),
    };
    let untried = if profile.standing.is_tried() { "" } else { "; untried" };
    let check = Check::new(profile.name, state, format!("{version}{said}{untried}"));
    match login {
        Seen::Out { command } | Seen::Expired { command } => check.fix(log_in(profile, command)),
        Seen::NoneStored => check.fix(by_name(profile.name)),
        Seen::In(_) | Seen::Key(_) | Seen::NotAsked | Seen::Unknown { .. } => check,
    }
}

fn log_in(profile: &Profile, command: &str) -> String {
    profile.log_in().unwrap_or_else(|| command.to_string())
}

fn by_name(name: &str) -> String {
    format!("name it, if it works all the same: autopilot run --agent {name}")
}

/// An agent that was never tried is chosen by nobody, so it does not count.
fn none_ready(probed: &[Probed]) -> Option<Check> {
    let tried = || probed.iter().filter(|probed| probed.profile.standing.is_tried());
    if tried().any(Probed::is_ready) {
        return None;
    }
    let command = tried().find_map(|probed| match &probed.state {
        State::Works { login: Seen::Out { command } | Seen::Expired { command }, .. } => {
            Some(log_in(probed.profile, command))
        }
        State::Works { login: Seen::NoneStored, .. } => Some(by_name(probed.profile.name)),
        State::Works { .. } | State::Missing | State::Broken { .. } => None,
    });
    let install = || PROFILES[0].install.to_string();
    let check = Check::new("agents", CheckState::Missing, "none is ready, and a run needs one");
    Some(check.fix(command.unwrap_or_else(install)).blocking())
}
