//! `autopilot abandon`: gives an unfinished run up. Its journal goes to the archive; its branches and everything on them stay.

use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_engine::clock::{Clock, WallClock};
use autopilot_engine::start::unfinished;
use autopilot_journal::archive::archive;
use autopilot_journal::{Folder, Holder};

use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(root: &Path, output: &mut Output) -> Exit {
    match abandoned(root) {
        Ok(lines) => {
            lines.iter().for_each(|line| output.say_wrapped(line));
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

fn abandoned(root: &Path) -> Result<Vec<String>, Problem> {
    let nothing = || {
        Problem::usage(
            "there is no unfinished run",
            "only a run that was stopped, failed or crashed can be given up",
            "see where the project stands: autopilot status",
        )
    };
    let folder = Folder::find(root).map_err(|error| error.problem())?.ok_or_else(nothing)?;
    let holder = Holder {
        pid: std::process::id(),
        host: String::new(),
        command: "autopilot abandon".to_string(),
        started_at: WallClock::default().now().0,
    };
    let lock = folder.lock(&holder).map_err(|error| error.problem())?;
    let left = match unfinished(&folder) {
        Ok(run) => run.map(|run| (run.id, run.state.branch)),
        // A journal that cannot be followed must not be in the way for ever; it is kept as it is.
        Err(_) => folder.runs().map_err(|error| error.problem())?.pop().map(|id| (id, None)),
    };
    let (id, branch) = left.ok_or_else(nothing)?;
    archive(&folder, &lock, &id).map_err(|error| error.problem())?;
    let mut lines = vec![format!("run {id} is given up; its journal is in .autopilot/archive/")];
    if let Some(branch) = &branch {
        lines.push(format!("what passed is on {} at {}", branch.name, branch.head.short()));
    }
    Ok(lines)
}
