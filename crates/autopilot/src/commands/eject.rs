//! `autopilot eject prompts`: writes autopilot's own prompts into the project, where they can be changed.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_core::prompt::templates;
use autopilot_engine::prompts::FOLDER;

use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn prompts(root: &Path, output: &mut Output) -> Exit {
    match written(root) {
        Ok(lines) => {
            lines.iter().for_each(|line| output.say(line));
            output.remark_wrapped("A prompt that lies there is used instead of autopilot's own; delete the ones you do not change.");
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

/// A file that is there already is the user's and stays as it is.
fn written(root: &Path) -> Result<Vec<String>, Problem> {
    let folder = root.join(FOLDER);
    let failed = |error: std::io::Error| {
        Problem::environment(
            format!("{FOLDER} cannot be written: {error}"),
            "prompts of your own lie there",
            "give yourself the right to write there, or make room",
        )
    };
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut lines = Vec::new();
    for (name, text) in templates() {
        let name = format!("{name}.md");
        let file = fs::File::options().write(true).create_new(true).open(folder.join(&name));
        match file {
            Ok(mut file) => {
                std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
                lines.push(format!("{FOLDER}/{name}"));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                lines.push(format!("{FOLDER}/{name} is there already and stays as it is"));
            }
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(lines)
}
