//! `autopilot demo`: the schedule of a sample project that comes with the program, laid out in a temporary folder.

use std::fs;
use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::outlook;
use autopilot_core::problem::Problem;
use autopilot_core::selection::Request;
use autopilot_engine::machine::Machine;
use autopilot_engine::{project, settings};
use serde_json::Map;

use super::plan::{show_graph, show_schedule};
use crate::arguments::Format;
use crate::output::Output;
use crate::problem_text::{Form, refuse};

/// The sample project: paths below its folder and their texts.
const SAMPLE: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("../../sample/Cargo.toml.txt")),
    (".planning/ROADMAP.md", include_str!("../../sample/ROADMAP.md")),
    (".planning/REQUIREMENTS.md", include_str!("../../sample/REQUIREMENTS.md")),
    (".planning/config.json", include_str!("../../sample/config.json")),
    (".planning/phases/03-search/03-01-PLAN.md", include_str!("../../sample/03-01-PLAN.md")),
    (".planning/phases/03-search/03-02-PLAN.md", include_str!("../../sample/03-02-PLAN.md")),
];

pub(super) fn run(output: &mut Output) -> Exit {
    output.remark_wrapped("A sample project, a keeper of bookmarks, and what autopilot would do with it. Nothing is started.");
    output.remark("");
    match shown(output) {
        Ok(()) => {
            output.say("");
            output.remark_wrapped("The same for your project: autopilot plan. No roadmap yet? autopilot init --from FILE");
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

fn shown(output: &mut Output) -> Result<(), Problem> {
    let scratch = tempfile::tempdir().map_err(|error| no_room(&error))?;
    let root = scratch.path().join("bookmarks");
    lay_out(&root).map_err(|error| no_room(&error))?;
    let roadmap = project::open(&root)?;
    let project = project::read(&root, &roadmap);
    let (settings, _) = settings::read(&Machine::of_this_process(), &project.config, Map::new());
    let request = Request { command: "autopilot plan".to_string(), ..Request::default() };
    let outlook = outlook::make(&project, &request, &settings)?;
    show_schedule(&project, &outlook, &settings, output);
    output.say("");
    show_graph(&project, &outlook, Format::Text, output);
    Ok(())
}

fn lay_out(root: &Path) -> std::io::Result<()> {
    for (path, text) in SAMPLE {
        let path = root.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

fn no_room(error: &std::io::Error) -> Problem {
    Problem::environment(
        format!("no temporary folder could be made: {error}"),
        "the sample project is laid out in one",
        "free some space, or set TMPDIR to a folder you can write to",
    )
}
