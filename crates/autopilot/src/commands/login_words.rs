//! What a person does about a run that paused because its agent has no login that works.

use autopilot_agents::profile::{self, Profile};
use autopilot_core::run::outcome::Pause;
use autopilot_core::run::state::{RunState, RunStatus};

/// None where the run stands still for another reason.
pub(super) fn log_in_first(state: &RunState) -> Option<String> {
    match &state.status {
        RunStatus::Paused(Pause::NotLoggedIn) => {}
        RunStatus::Paused(Pause::Stopped | Pause::Limit { .. } | Pause::Breaker { .. })
        | RunStatus::Running
        | RunStatus::Halted(_)
        | RunStatus::Completed(_) => return None,
    }
    let agent = &state.definition.agent;
    let is_alone = agent.roles.is_empty() && agent.fallback.is_empty();
    let way = profile::named(&agent.name).filter(|_| is_alone).and_then(Profile::log_in);
    Some(match way {
        Some(way) => format!("log in first: {way}"),
        None => "log in first; autopilot agents says who needs it and how".to_string(),
    })
}
