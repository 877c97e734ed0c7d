//! `autopilot run --detach`: the same run in the background. Waits until it has taken the project's lock, so that what refuses it
//! is seen here and now.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_engine::process::{Detached, start_detached};
use autopilot_journal::{Folder, Occupancy};

use crate::output::Output;
use crate::problem_text::{Form, refuse};

/// A run takes its lock within a second; a slow disk may need more.
const START_TIME_MAX: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

pub(super) fn run(root: &Path, output: &mut Output) -> Exit {
    match started(root) {
        Ok(Started::GoesOn { pid }) => {
            output.say(&format!("the run goes on in the background (process {pid})"));
            output.say("watch it: autopilot attach   stop it: autopilot stop");
            Exit::Success
        }
        Ok(Started::Ended { said, exit }) => {
            output.say_text(&said);
            exit
        }
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

enum Started {
    GoesOn {
        pid: u32,
    },
    /// It was refused, or it was short.
    Ended {
        said: String,
        exit: Exit,
    },
}

fn started(root: &Path) -> Result<Started, Problem> {
    let folder = Folder::open(root).map_err(|error| error.problem())?;
    let path = folder.path().join("run.out");
    let failed = |error: std::io::Error| {
        Problem::environment(
            format!("the run could not be started in the background: {error}"),
            "it needs a file for its output and a process of its own",
            "run it in the foreground: the same command without --detach",
        )
    };
    let file = File::create(&path).map_err(failed)?;
    let program = std::env::current_exe().map_err(failed)?;
    let arguments: Vec<OsString> =
        std::env::args_os().skip(1).filter(|word| word != "--detach").collect();
    let here = std::env::current_dir().map_err(failed)?;
    let mut child = start_detached(&program, &arguments, &here, file).map_err(failed)?;
    let deadline = Instant::now() + START_TIME_MAX;
    while Instant::now() < deadline {
        if let Some(code) = child.ended().map_err(failed)? {
            let said = fs::read_to_string(&path).unwrap_or_default();
            return Ok(Started::Ended { said, exit: Exit::of_code(code) });
        }
        if holds(&folder, &child)? {
            return Ok(Started::GoesOn { pid: child.id() });
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(Started::GoesOn { pid: child.id() })
}

fn holds(folder: &Folder, child: &Detached) -> Result<bool, Problem> {
    let held = folder.holder().map_err(|error| error.problem())?;
    Ok(matches!(held, Occupancy::Held(Some(holder)) if holder.pid == child.id()))
}
