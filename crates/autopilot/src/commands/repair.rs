//! `autopilot doctor --repair`: mends damaged journals. The damaged file is kept aside whole; the run goes on from the longest
//! part that is sound.

use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_engine::clock::{Clock, WallClock};
use autopilot_journal::repair::repair;
use autopilot_journal::{Folder, Holder};

use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(root: &Path, output: &mut Output) -> Exit {
    match repaired(root) {
        Ok(lines) => {
            lines.iter().for_each(|line| output.say_wrapped(line));
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

fn repaired(root: &Path) -> Result<Vec<String>, Problem> {
    let nothing = || vec!["there is no journal to repair: autopilot has not run here".to_string()];
    let Some(folder) = Folder::find(root).map_err(|error| error.problem())? else {
        return Ok(nothing());
    };
    let holder = Holder {
        pid: std::process::id(),
        host: String::new(),
        command: "autopilot doctor --repair".to_string(),
        started_at: WallClock::default().now().0,
    };
    let lock = folder.lock(&holder).map_err(|error| error.problem())?;
    let mut lines = Vec::new();
    for run in folder.runs().map_err(|error| error.problem())? {
        let done = repair(&folder, &lock, &run).map_err(|error| error.problem())?;
        if done.set_aside.is_empty() {
            lines.push(format!("{run}: sound, {} events", done.records_kept));
            continue;
        }
        lines.push(format!(
            "{run}: {} events are sound, {} bytes after them are not",
            done.records_kept, done.bytes_cut
        ));
        for path in done.set_aside {
            lines.push(format!("kept aside: {}", path.display()));
        }
        lines.push("go on from there: autopilot resume".to_string());
    }
    Ok(if lines.is_empty() { nothing() } else { lines })
}
