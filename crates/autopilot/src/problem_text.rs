//! Refusals for people and for programs: the three parts of a `Problem`, and what the argument parser objects to put the same
//! way.

use autopilot_core::documents::error::ErrorDocument;
use autopilot_core::exit::Exit;
use autopilot_core::finding::{Finding, Severity, printable, quote};
use autopilot_core::limits;
use autopilot_core::problem::Problem;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::output::{BAD, BOLD, DIM, Output, WARNING, styled};
use crate::wrap::wrap;

/// How results and refusals are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
}

impl Form {
    pub(crate) fn json_if(json: bool) -> Form {
        if json { Form::Json } else { Form::Text }
    }
}

/// Says why not, with everything that was noticed before, and gives the exit code back.
pub(crate) fn refuse(
    problem: &Problem,
    findings: &[Finding],
    form: Form,
    output: &mut Output,
) -> Exit {
    if form == Form::Json {
        output.document(&ErrorDocument::of(problem, findings));
        return problem.exit;
    }
    let related = related(findings, problem);
    for line in finding_lines(&related, output.width()) {
        output.remark(&line);
    }
    if !related.is_empty() {
        output.remark("");
    }
    let what = match problem.place.as_ref().filter(|place| place.line.is_some()) {
        Some(place) if !problem.what.starts_with(&place.file) => {
            format!("{place}: {}", problem.what)
        }
        _ => problem.what.clone(),
    };
    for (label, style, text) in
        [("error:", BAD, &what), ("why:", BOLD, &problem.why), ("fix:", BOLD, &problem.fix)]
    {
        for line in labelled(label, style, text, output.width()) {
            output.remark(&line);
        }
    }
    problem.exit
}

/// What belongs to a refusal: the other errors, and remarks on the file that is at fault. The rest would bury the message.
fn related(findings: &[Finding], problem: &Problem) -> Vec<Finding> {
    let file = problem.place.as_ref().map(|place| place.file.as_str());
    let is_at_fault = |finding: &&Finding| {
        findings.iter().any(|other| other.severity == Severity::Error)
            && Some(finding.place.file.as_str()) == file
    };
    let is_told = |finding: &&Finding| {
        problem.what.starts_with(&finding.message) && Some(&finding.place) == problem.place.as_ref()
    };
    let others = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error || is_at_fault(finding));
    others.filter(|finding| !is_told(finding)).cloned().collect()
}

/// `label: text` with the text aligned below itself.
pub(crate) fn labelled(
    label: &str,
    style: anstyle::Style,
    text: &str,
    width: usize,
) -> Vec<String> {
    const INDENT: usize = 7;
    let lines = wrap(&printable(text), width.saturating_sub(INDENT), 0);
    let prefix = |index: usize| match index {
        0 => {
            format!("{}{:pad$}", styled(style, label), "", pad = INDENT.saturating_sub(label.len()))
        }
        _ => " ".repeat(INDENT),
    };
    lines.iter().enumerate().map(|(index, line)| format!("{}{line}", prefix(index))).collect()
}

/// The findings, worst first, each with its place.
pub(crate) fn finding_lines(findings: &[Finding], width: usize) -> Vec<String> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let mut lines = Vec::new();
    for finding in sorted {
        let style = match finding.severity {
            Severity::Error => BAD,
            Severity::Warning => WARNING,
            Severity::Note => DIM,
        };
        let word = finding.severity.word();
        let text =
            format!("{}: {}", printable(&finding.place.to_string()), printable(&finding.message));
        let wrapped = wrap(&text, width.saturating_sub(10), 0);
        for (index, line) in wrapped.iter().enumerate() {
            let head = if index == 0 {
                format!("{}{:pad$}", styled(style, word), "", pad = 8 - word.len())
            } else {
                " ".repeat(8)
            };
            lines.push(format!("  {head}{line}"));
        }
    }
    lines
}

/// What clap objects to. Help and version come this way too and are no errors.
pub(crate) fn of_arguments(error: &clap::Error, wants_json: bool, output: &mut Output) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        output.say_text(&error.render().ansi().to_string());
        return Exit::Success;
    }
    refuse(&problem_of(error), &[], Form::json_if(wants_json), output)
}

fn problem_of(error: &clap::Error) -> Problem {
    let context = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let invalid = context(ContextKind::InvalidArg);
    let usage = context(ContextKind::Usage);
    let usage = usage.trim().trim_start_matches("Usage:").trim();
    let command = usage
        .split([' ', '\n'])
        .take_while(|word| word.chars().all(|c| c.is_ascii_lowercase()))
        .collect::<Vec<_>>()
        .join(" ");
    let command = if command.contains(' ') { command } else { typed_command() };
    let help = format!("{command} --help lists what there is");
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let suggested = context(ContextKind::SuggestedArg);
            let advice = if suggested.is_empty() {
                help
            } else {
                format!("did you mean {suggested}? {help}")
            };
            Problem::usage(
                format!("{command} has no option {invalid}"),
                "autopilot does not guess what an option might mean",
                format!("{advice}. Available: {}", options_of(&command)),
            )
        }
        ErrorKind::InvalidSubcommand => no_command(
            &context(ContextKind::InvalidSubcommand),
            &context(ContextKind::SuggestedSubcommand),
        ),
        ErrorKind::MissingRequiredArgument => Problem::usage(
            format!("{command} needs {invalid}"),
            "without it there is nothing to do",
            help,
        ),
        _ => {
            let text = error.to_string();
            let first =
                text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
            let valid = context(ContextKind::ValidValue);
            let advice = if valid.is_empty() { help } else { format!("choose one of: {valid}") };
            Problem::usage(first, "the command line does not say one clear thing", advice)
        }
    }
}

fn no_command(typed: &str, suggested: &str) -> Problem {
    if typed.trim().contains(char::is_whitespace) {
        return Problem::usage(
            format!("autopilot has no command {}", quote(typed)),
            "no command has a blank in it; what is to be done is said behind do",
            format!("do it: autopilot do {}", shell_word(typed)),
        );
    }
    let advice = match suggested {
        "" => String::new(),
        suggested => format!("did you mean {suggested}? "),
    };
    Problem::usage(
        format!("autopilot has no command {typed}"),
        "autopilot does not guess what a command might mean",
        format!("{advice}Available: {}", commands()),
    )
}

/// To be copied where a shell reads it as it stands here; else only where it goes is shown.
fn shell_word(text: &str) -> String {
    let is_read_otherwise = |c: char| c.is_control() || matches!(c, '"' | '$' | '`' | '\\' | '!');
    let is_short = text.chars().count() <= limits::QUOTE_CHARS_MAX;
    match is_short && !text.contains(is_read_otherwise) {
        true => quote(text),
        false => "\"…\"".to_string(),
    }
}

/// The command the user typed, for objections that do not carry it.
fn typed_command() -> String {
    let top = crate::arguments::command(80);
    let known = std::env::args().skip(1).find(|word| top.find_subcommand(word).is_some());
    known.map_or_else(|| "autopilot".to_string(), |name| format!("autopilot {name}"))
}

fn commands() -> String {
    let command = crate::arguments::command(80);
    command.get_subcommands().map(|sub| sub.get_name().to_string()).collect::<Vec<_>>().join(", ")
}

fn options_of(command: &str) -> String {
    let top = crate::arguments::whole_command(80);
    let name = command.split(' ').nth(1).unwrap_or_default();
    let sub = top.find_subcommand(name).unwrap_or(&top);
    let options = sub.get_arguments().filter_map(|option| option.get_long());
    options.map(|long| format!("--{long}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_without_its_command_is_shown_behind_it() {
        let check = |typed: &str, expected: &str| assert_eq!(no_command(typed, "").fix, expected);
        check("add a function hello", "do it: autopilot do \"add a function hello\"");
        check("print \"hello\" and $HOME", "do it: autopilot do \"…\"");
        check(&"word ".repeat(100), "do it: autopilot do \"…\"");
        assert!(no_command("paln", "plan").fix.starts_with("did you mean plan? Available: plan, "));
    }
}
