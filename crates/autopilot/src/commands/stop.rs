//! `autopilot stop`: asks the run that is going on, in whatever process, to stop.

use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_core::run::event::StopRequest;
use autopilot_core::run::request::Request;
use autopilot_engine::clock::{Clock, WallClock};
use autopilot_journal::{Folder, Occupancy, inbox};

use crate::arguments::StopArguments;
use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(root: &Path, arguments: &StopArguments, output: &mut Output) -> Exit {
    let how = if arguments.now { StopRequest::Now } else { StopRequest::AfterStep };
    match ask(root, &Request::Stop { how }) {
        Ok(()) => {
            output.say("asked to stop; what it does meanwhile: autopilot why");
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

/// Puts a request where the run that is going on looks for them.
pub(super) fn ask(root: &Path, request: &Request) -> Result<(), Problem> {
    let nobody = || {
        Problem::usage(
            "no run is going on in this project",
            "there is nobody to ask",
            "see where it stands: autopilot status",
        )
    };
    let folder = Folder::find(root).map_err(|error| error.problem())?.ok_or_else(nobody)?;
    if folder.holder().map_err(|error| error.problem())? == Occupancy::Free {
        return Err(nobody());
    }
    let name = format!("{:016}-{}", WallClock::default().now().0, std::process::id());
    inbox::put(&folder, &name, request).map_err(|error| error.problem())
}
