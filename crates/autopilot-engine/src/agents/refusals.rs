//! Why an agent cannot do the work, in the words of an error.

use autopilot_agents::profile::{PROFILES, Profile};
use autopilot_core::problem::Problem;

pub(super) fn missing(profile: &Profile) -> Problem {
    Problem::environment(
        format!("{} was not found", profile.name),
        "autopilot plans, measures and decides; the work itself is an agent's",
        format!(
            "install it: {}. Or set autopilot.agent in .planning/config.json (command for any program), or see one at work: autopilot demo",
            profile.install
        ),
    )
}

pub(super) fn broken(profile: &Profile, why: &str) -> Problem {
    Problem::environment(
        format!("{}: {why}", profile.name),
        "it is the agent that would do the work",
        format!("install it anew: {}", profile.install),
    )
}

pub(super) fn logged_out(profile: &Profile, command: &str) -> Problem {
    Problem::environment(
        format!("{} is not logged in", profile.name),
        "it is the agent that would do the work, and it works on your account",
        format!("log in: {}", profile.log_in().unwrap_or_else(|| command.to_string())),
    )
}

pub(super) fn expired(profile: &Profile, command: &str) -> Problem {
    Problem::environment(
        format!("the login of {} has expired", profile.name),
        "it is the agent that would do the work, and every request of it would be refused",
        format!("log in again: {}", profile.log_in().unwrap_or_else(|| command.to_string())),
    )
}

pub(super) fn unknown(name: &str) -> Problem {
    let known: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
    Problem::usage(
        format!("there is no agent {}", autopilot_core::finding::quote(name)),
        "the work of a run is an agent's",
        format!("name one of {}, command, acp or scripted", known.join(", ")),
    )
}

/// It may work all the same, for whoever offers a model for nothing.
pub(super) fn without_login(profile: &Profile) -> Problem {
    let name = profile.name;
    Problem::environment(
        format!("{name} has no login stored"),
        "your code goes to whoever its model belongs to, so it is not chosen by itself",
        format!("name it: --agent {name}, or autopilot.agent in .planning/config.json"),
    )
}
