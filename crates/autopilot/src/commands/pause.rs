//! `autopilot pause`: asks the run that is going on to stand still after its step. It is `stop` without its `--now`, under the name
//! people look for: a run that was stopped is paused, and there is no third state.

use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::run::event::StopRequest;
use autopilot_core::run::request::Request;

use super::stop;
use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(root: &Path, output: &mut Output) -> Exit {
    match stop::ask(root, &Request::Stop { how: StopRequest::AfterStep }) {
        Ok(()) => {
            output.say("asked to pause; it ends its step first. Go on later: autopilot resume");
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}
