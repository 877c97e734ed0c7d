//! `autopilot plan`: the schedule as a table, a graph or a document. It makes no plan and runs no agent.

use std::path::Path;
use std::sync::OnceLock;

use autopilot_core::config::Config;
use autopilot_core::documents::plan::PlanDocument;
use autopilot_core::exit::Exit;
use autopilot_core::finding::Finding;
use autopilot_core::outlook::{self, Outlook};
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::run::ledger::Ledger;
use autopilot_core::selection::Request;
use autopilot_core::selection::flags::Flags;
use autopilot_core::settings::Settings;
use autopilot_engine::hidden_checks::HiddenChecks;
use autopilot_engine::machine::Machine;
use autopilot_engine::{journal_read, project, settings};
use serde_json::{Map, Value};

use crate::arguments::{BoundArguments, DepthArgument, Format, PlanArguments, SelectionArguments};
use crate::output::Output;
use crate::problem_text::{Form, refuse};

mod graph_text;
mod schedule_text;

pub(crate) use graph_text::show as show_graph;
pub(crate) use schedule_text::show as show_schedule;

pub(super) fn run(root: &Path, arguments: &PlanArguments, form: Form, output: &mut Output) -> Exit {
    let roadmap = OnceLock::new();
    let look = |config: &Config| Beside::read(root, config, arguments);
    let make = |project: &mut Project<'_>, beside| outlook_of(root, project, beside, arguments);
    let (project, made) = match project::open_and(root, &roadmap, look, make) {
        Ok(read) => read,
        Err(problem) => return refuse(&problem, &[], form, output),
    };
    let (outlook, settings) = match made {
        Ok(made) => made,
        Err(problem) => return refuse(&problem, &project.findings, form, output),
    };
    show(&project, &outlook, &settings, arguments, form, output);
    // The program ends here; giving back a thousand phases piece by piece would only take time.
    std::mem::forget((project, outlook));
    std::mem::forget(roadmap);
    Exit::Success
}

/// What is read without the roadmap: what runs have left behind, and the settings.
struct Beside {
    imported: Vec<Finding>,
    ledger: Result<Ledger, Problem>,
    machine: Machine,
    settings: Settings,
    findings: Vec<Finding>,
}

impl Beside {
    fn read(root: &Path, config: &Config, arguments: &PlanArguments) -> Beside {
        let machine = Machine::of_this_process();
        let flags = settings_of(&arguments.selection);
        let (settings, findings) = settings::read(&machine, config, flags);
        let imported = journal_read::import_findings(root);
        let ledger = journal_read::ledger_of(root);
        Beside { imported, ledger, machine, settings, findings }
    }
}

/// What would be run, by the roadmap, the ledger and the settings. What is noticed on the way is added to the findings.
fn outlook_of(
    root: &Path,
    project: &mut Project<'_>,
    beside: Beside,
    arguments: &PlanArguments,
) -> Result<(Outlook, Settings), Problem> {
    let Beside { imported, ledger, machine, settings, findings } = beside;
    project.findings.extend(imported);
    journal_read::count_completed(project, &ledger?);
    project.findings.extend(findings);
    HiddenChecks::attach(&settings, &machine, root, project)?;
    let outlook = outlook::make(project, &request(arguments), &settings)?;
    Ok((outlook, settings))
}

/// The same for `run --dry-run`.
pub(super) fn show_only(
    root: &Path,
    selection: &SelectionArguments,
    phases: &[String],
    form: Form,
    output: &mut Output,
) -> Exit {
    let arguments = PlanArguments {
        phases: phases.to_vec(),
        selection: selection.clone(),
        json: form == Form::Json,
        graph: false,
        format: Format::Text,
    };
    run(root, &arguments, form, output)
}

fn show(
    project: &Project<'_>,
    outlook: &Outlook,
    settings: &Settings,
    arguments: &PlanArguments,
    form: Form,
    output: &mut Output,
) {
    match (form, arguments.format, arguments.graph) {
        (Form::Json, _, _) => output.document(&PlanDocument::of(project, outlook)),
        (Form::Text, Format::Text, false) => {
            show_schedule(project, outlook, settings, output);
            output.say("");
            output.remark_wrapped(
                "Nothing was started: plan only reads. Is this machine ready? autopilot doctor",
            );
        }
        (Form::Text, format, _) => show_graph(project, outlook, format, output),
    }
}

fn request(arguments: &PlanArguments) -> Request {
    let selection = &arguments.selection;
    Request {
        phases: arguments.phases.clone(),
        from: selection.from.clone(),
        to: selection.to.clone(),
        flags: Flags {
            complete: selection.complete,
            map: selection.map,
            force: selection.force,
            quality: selection.quality,
            gaps: selection.gaps,
        },
        command: "autopilot plan".to_string(),
    }
}

/// The settings among the flags, the strongest layer.
pub(super) fn settings_of(arguments: &SelectionArguments) -> Map<String, Value> {
    let mut flags = bounds_of(&arguments.bounds);
    let jobs = if arguments.sequential { Some(1) } else { arguments.jobs };
    if let Some(jobs) = jobs {
        flags.insert("jobs".to_string(), Value::from(jobs));
    }
    flags
}

pub(super) fn bounds_of(arguments: &BoundArguments) -> Map<String, Value> {
    let mut flags = Map::new();
    if let Some(depth) = arguments.depth {
        let word = match depth {
            DepthArgument::Auto => "auto",
            DepthArgument::Lean => "lean",
            DepthArgument::Full => "full",
        };
        flags.insert("depth".to_string(), Value::from(word));
    }
    if let Some(tokens) = arguments.max_tokens {
        flags.insert("max_tokens".to_string(), Value::from(tokens));
    }
    if let Some(cost) = &arguments.max_cost {
        flags.insert("max_cost".to_string(), settings::amount(cost));
    }
    flags
}
