//! `autopilot do`: one task through the same pipeline as a phase, without a roadmap. Reads what is asked for, hands it to `run`, and
//! shows at the end what came of it.

use std::io::Read;
use std::path::Path;

use autopilot_core::errand::Errand;
use autopilot_core::exit::Exit;
use autopilot_core::limits;
use autopilot_core::problem::Problem;
use autopilot_core::run::state::{PhaseStatus, RunState};
use autopilot_engine::files;
use autopilot_engine::start::{Means, Wish};

use super::{plan, run as runs, show};
use crate::arguments::DoArguments;
use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(
    start: &Path,
    root: &Path,
    arguments: &DoArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    let errand = text(arguments).and_then(|text| Errand::of(&text, &arguments.check));
    let errand = match errand {
        Ok(errand) => errand,
        Err(problem) => return refuse(&problem, &[], form, output),
    };
    let mut settings = plan::bounds_of(&arguments.bounds);
    settings.extend(runs::agents_of(&arguments.agents));
    settings.extend(runs::fence_of(&arguments.allowed));
    let wish = Wish {
        command: format!("autopilot do {:?}", errand.name()),
        flags: runs::flags_of(&arguments.allowed),
        folder: Some(start.to_path_buf()),
        errand: Some(errand.clone()),
        settings,
        ..Wish::default()
    };
    let is_same = |state: &RunState| state.definition.errand.as_deref() == Some(errand.text());
    runs::begin(root, &wish, is_same, form, output)
}

/// What changed, what was proven, what it cost, and what can be done with it. Where nothing was worked on, the announcement says all.
pub(super) fn show_result(root: &Path, state: &RunState, means: &Means, output: &mut Output) {
    let worked_on = state.phases.iter().find(|phase| phase.work_summary().is_some());
    let Some(phase) = worked_on else { return };
    let is_kept = matches!(phase.status, PhaseStatus::Passed(_));
    let has_landed =
        state.branch.as_ref().is_some_and(|branch| state.landing.has_landed(&branch.head));
    let mut more = Vec::new();
    if is_kept && !has_landed {
        let branch = state.definition.user_branch.as_deref().unwrap_or("your branch");
        more.push(("autopilot merge".to_string(), format!("bring it to {branch}")));
    }
    output.say("");
    if let Err(problem) = show::page(root, &phase.definition.id, &more, means, output) {
        output.remark(&problem.what);
    }
}

fn text(arguments: &DoArguments) -> Result<String, Problem> {
    let Some(path) = &arguments.prompt_file else { return Ok(arguments.task.join(" ")) };
    const WHY: &str = "it says what is to be done";
    if path != Path::new("-") {
        return files::read_text(path)
            .map_err(|error| error.problem(&path.display().to_string(), WHY));
    }
    // A little more than is taken, so that too much is seen to be too much.
    let most = u64::try_from(limits::ERRAND_CHARS_MAX).unwrap_or(u64::MAX).saturating_mul(8);
    let mut bytes = Vec::new();
    let failed = |what: String| {
        Problem::usage(what, WHY, "name a file with --prompt-file, or type the task itself")
    };
    std::io::stdin()
        .lock()
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| failed(format!("standard input cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| failed("standard input is no text".to_string()))
}
