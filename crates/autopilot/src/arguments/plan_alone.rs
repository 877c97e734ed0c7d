//! Reads `autopilot plan` as scripts and editors type it, all the time: a folder, phases, `--json`. To put the arguments of even
//! one command together takes longer than to read most roadmaps. Whatever else is asked for is read with all commands, which
//! also explain themselves.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{Arguments, BoundArguments, Command, Format, PlanArguments, SelectionArguments};

/// `words` begin with the name of the program. None unless all of them are understood.
pub(crate) fn read(words: impl Iterator<Item = OsString>) -> Option<Arguments> {
    let mut words = words.skip(1);
    let (mut project, mut is_plan, mut json, mut phases) = (None, false, false, Vec::new());
    while let Some(word) = words.next() {
        match (word.to_str()?, is_plan) {
            // Given twice, or without its value, it is for somebody who explains.
            ("-C" | "--project", _) if project.is_none() => project = Some(folder(words.next()?)?),
            ("plan", false) => is_plan = true,
            ("--json", true) if !json => json = true,
            (phase, true) if !phase.starts_with('-') => phases.push(phase.to_string()),
            _ => return None,
        }
    }
    let plan =
        PlanArguments { phases, selection: NO_WISHES, json, graph: false, format: Format::Text };
    is_plan.then_some(Arguments { project, command: Some(Command::Plan(plan)) })
}

/// What looks like an option may be one that was typed where a folder belongs.
fn folder(word: OsString) -> Option<PathBuf> {
    let is_plain = !word.is_empty() && !word.as_encoded_bytes().starts_with(b"-");
    is_plain.then(|| word.into())
}

const NO_WISHES: SelectionArguments = SelectionArguments {
    complete: false,
    force: false,
    quality: false,
    gaps: false,
    map: false,
    from: None,
    to: None,
    jobs: None,
    sequential: false,
    bounds: BoundArguments { depth: None, max_tokens: None, max_cost: None },
};

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn words(line: &str) -> impl Iterator<Item = OsString> + Clone {
        line.split(' ').map(OsString::from)
    }

    #[test]
    fn what_is_read_alone_is_read_the_same_among_all_commands() {
        for line in [
            "autopilot plan",
            "autopilot plan --json",
            "autopilot -C plan plan 3-7 --json",
            "autopilot plan all --project x",
            "autopilot plan --json next plan -C y 6.1",
        ] {
            let alone = read(words(line)).map(|arguments| format!("{arguments:?}"));
            let among_all = Arguments::try_parse_from(words(line)).map(|all| format!("{all:?}"));
            assert_eq!(alone, among_all.ok(), "{line}");
            assert!(alone.is_some(), "{line}");
        }
    }

    /// Every line of so many words, also those that mean nothing: what is read alone is never read otherwise among all.
    #[test]
    fn no_line_is_read_alone_that_all_commands_would_read_otherwise() {
        let known = ["plan", "--json", "-C", "--project", "x", "-x", "--", "", "help", "--graph"];
        let mut read_alone = 0;
        for length in 1..=4u32 {
            for number in 0..known.len().pow(length) {
                let chosen =
                    (0..length).map(|at| known[number / known.len().pow(at) % known.len()]);
                let line: Vec<&str> = ["autopilot"].into_iter().chain(chosen).collect();
                if let Some(alone) = read(line.iter().map(OsString::from)) {
                    let all = Arguments::try_parse_from(&line).map(|all| format!("{all:?}")).ok();
                    assert_eq!(all, Some(format!("{alone:?}")), "{line:?}");
                    read_alone += 1;
                }
            }
        }
        assert!(read_alone > 100, "{read_alone}");
    }

    #[test]
    fn whatever_else_is_asked_for_is_left_to_all_commands() {
        for line in [
            "autopilot",
            "autopilot status",
            "autopilot -C plan status",
            "autopilot run plan",
            "autopilot help plan",
            "autopilot --json plan",
            "autopilot plan --help",
            "autopilot --version plan",
            "autopilot plan --project=x",
            "autopilot plan --json --graph",
            "autopilot plan --no-such-flag",
            "autopilot plan -- run",
        ] {
            assert!(read(words(line)).is_none(), "{line}");
        }
    }
}
