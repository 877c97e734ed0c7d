//! `autopilot prove`: measures a phase's receipt again. Only looks.

use std::path::Path;

use anstyle::Style;
use autopilot_core::documents::prove::ProveDocument;
use autopilot_core::exit::Exit;
use autopilot_core::finding::printable;
use autopilot_core::run::files::receipt::Receipt;
use autopilot_core::run::measured::{CheckResult, Measured};
use autopilot_core::run::outcome::CriterionClass;
use autopilot_core::run::proving::{Again, ProofVerdict};
use autopilot_core::run::words::seconds;
use autopilot_engine::prove::{self, Proved};

use super::run::means;
use crate::arguments::ProveArguments;
use crate::output::{BAD, DIM, GOOD, Output, WARNING, styled};
use crate::problem_text::{Form, refuse};
use crate::wrap::wrap;

pub(super) fn run(
    root: &Path,
    arguments: &ProveArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    let proved = means()
        .and_then(|means| prove::prove(root, &arguments.phase, arguments.at.as_deref(), &means));
    let proved = match proved {
        Ok(proved) => proved,
        Err(problem) => return refuse(&problem, &[], form, output),
    };
    match form {
        Form::Json => output.document(&ProveDocument::of(
            proved.phase.to_string(),
            &proved.at,
            proved.receipt.as_ref(),
            &proved.again,
            &proved.proof,
        )),
        Form::Text => show(&proved, output),
    }
    match proved.proof.verdict() {
        ProofVerdict::Proven => Exit::Success,
        ProofVerdict::NotProven => Exit::GateNotMet,
        ProofVerdict::False => Exit::Failed,
    }
}

fn show(proved: &Proved, output: &mut Output) {
    let name = proved.receipt.as_ref().map(|(_, receipt)| format!(": {}", receipt.name));
    let at = proved.at.get(..8).unwrap_or(&proved.at);
    let title = format!("Phase {}{}, measured on {at}", proved.phase, name.unwrap_or_default());
    output.say_wrapped(&printable(&title));
    if let Some((path, receipt)) = &proved.receipt {
        output.say_wrapped_in(DIM, &printable(&format!("{path}, run {}", receipt.run)));
    }
    let Again { now, before, without_work } = &proved.again;
    let width = now.iter().map(|one| one.check.to_string().len()).max().unwrap_or(0);
    for one in now {
        output.say(&row(one, colour_of(one.result), width));
    }
    if let Some((_, receipt)) = &proved.receipt {
        show_unproven(receipt, output);
        let title = format!("Before the work, on {}, where it has to fail:", receipt.base.short());
        show_red(&title, before.as_deref(), width, output);
        let commit = receipt.commit.short();
        let title = format!("On {commit} without the code of the phase, where it has to fail:");
        show_red(&title, without_work.as_deref(), width, output);
    }
    let verdict = proved.proof.verdict();
    let colour = match verdict {
        ProofVerdict::Proven => GOOD,
        ProofVerdict::NotProven => WARNING,
        ProofVerdict::False => BAD,
    };
    output.say(&format!("\n{}", styled(colour, verdict.words())));
    for line in proved.proof.differs.iter().chain(&proved.proof.missing) {
        let mark = styled(DIM, "  - ");
        for (index, line) in
            wrap(&printable(line), output.width().saturating_sub(4), 0).iter().enumerate()
        {
            output.say(&format!("{}{line}", if index == 0 { mark.as_str() } else { "    " }));
        }
    }
    let is_known = proved.receipt.as_ref().is_some_and(|(_, it)| it.inputs_known_to_the_worker);
    if is_known && verdict == ProofVerdict::Proven {
        let words = "inputs known to the worker: no check was hidden from it";
        output.say_wrapped_in(DIM, words);
    }
}

/// The criteria that green checks say nothing new about.
fn show_unproven(receipt: &Receipt, output: &mut Output) {
    for (number, criterion) in (1u32..).zip(&receipt.criteria) {
        let words = match criterion.class {
            CriterionClass::Proven => continue,
            CriterionClass::Standing => "held before the work too",
            CriterionClass::Judged => "was judged by reviewers, nothing measures it",
        };
        let line = format!("Criterion {number} {words}: {}", criterion.text);
        output.say_wrapped_in(DIM, &printable(&line));
    }
}

/// Nothing where nothing of it had to be looked at.
fn show_red(title: &str, seen: Option<&[Measured]>, width: usize, output: &mut Output) {
    let Some(seen) = seen.filter(|seen| !seen.is_empty()) else { return };
    output.say_wrapped(title);
    for one in seen {
        let is_as_it_should = matches!(one.result, CheckResult::Red { .. });
        let colour = if is_as_it_should { GOOD } else { BAD };
        output.say(&row(one, colour, width));
    }
}

fn colour_of(result: CheckResult) -> Style {
    match result {
        CheckResult::Green => GOOD,
        CheckResult::Red { .. } | CheckResult::NoTests => BAD,
        CheckResult::TimedOut | CheckResult::NotRun => WARNING,
    }
}

fn row(one: &Measured, colour: Style, width: usize) -> String {
    let (colour, word) = match one.result {
        CheckResult::Green if one.is_flaky => (WARNING, "FLAKY"),
        CheckResult::Green => (colour, "PASS"),
        CheckResult::Red { .. } => (colour, "FAIL"),
        CheckResult::TimedOut => (colour, "TIMED OUT"),
        CheckResult::NotRun => (colour, "NOT RUN"),
        CheckResult::NoTests => (colour, "NO TEST RAN"),
    };
    let (name, took) = (one.check.to_string(), seconds(one.took_ms));
    format!("  {name:width$}  {}  {}  {}", styled(colour, word), one.command, styled(DIM, took))
}
