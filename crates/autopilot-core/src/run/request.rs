//! What people and their tools may ask of a run while it goes on. A request becomes an event or is refused with a reason; nothing
//! else comes in from outside (invariant 6).

use serde::{Deserialize, Serialize};

use crate::run::addition::{self, Addition};
use crate::run::event::{Event, StopRequest};
use crate::run::state::{RunState, RunStatus};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "ask")]
pub enum Request {
    Stop {
        how: StopRequest,
    },
    /// Take more phases.
    Add(Addition),
}

/// Why a request was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// What comes of a request: the events that follow it, in their order.
pub fn admit(state: &RunState, request: &Request) -> Result<Vec<Event>, Refused> {
    match request {
        Request::Stop { how } => stop(state, *how).map(|event| vec![event]),
        Request::Add(addition) => addition::admit(state, addition),
    }
}

fn stop(state: &RunState, how: StopRequest) -> Result<Event, Refused> {
    if state.status != RunStatus::Running {
        return Err(Refused("the run stands still already".to_string()));
    }
    if state.stop == Some(how) {
        return Err(Refused("the run is stopping already".to_string()));
    }
    Ok(Event::StopRequested { how })
}
