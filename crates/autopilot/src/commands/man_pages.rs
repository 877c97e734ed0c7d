//! `autopilot man-pages DIR`, for those who pack autopilot: writes a page for the program and one for each of its commands, made of
//! the same arguments as the help. Like the other orders of this kind it is no `Command`, so that no help names it.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::output::Output;
use crate::problem_text::{Form, refuse};

const SUBCOMMAND: &str = "man-pages";
const PROGRAM: &str = "autopilot";
/// Pages of commands a user types.
const SECTION: &str = "1";

struct Page {
    file: String,
    text: Vec<u8>,
}

/// Writes them if the first argument says so.
pub(crate) fn if_asked(output: &mut Output) -> Option<ExitCode> {
    let asked: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (order, folders) = asked.split_first()?;
    if order != SUBCOMMAND {
        return None;
    }
    let written = match folders {
        [folder] => write(Path::new(folder)),
        _ => Err(Problem::usage(
            "man-pages takes one folder",
            "it writes a file for every command, and asks nobody where to",
            "autopilot man-pages DIR",
        )),
    };
    let exit = match written {
        Ok(()) => Exit::Success,
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    };
    Some(ExitCode::from(exit.code()))
}

fn write(folder: &Path) -> Result<(), Problem> {
    let written = pages().and_then(|pages| {
        fs::create_dir_all(folder)?;
        pages.iter().try_for_each(|page| fs::write(folder.join(&page.file), &page.text))
    });
    written.map_err(|error| {
        Problem::environment(
            format!("the man pages cannot be written to {}: {error}", folder.display()),
            "what is there now may be cut short",
            "name a folder that can be written",
        )
    })
}

fn pages() -> io::Result<Vec<Page>> {
    // How wide a page is decides whoever shows it, so this width has no effect.
    let mut program = crate::arguments::command(80).disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    collect(&program, &mut pages)?;
    Ok(pages)
}

fn collect(command: &clap::Command, pages: &mut Vec<Page>) -> io::Result<()> {
    pages.push(page(command)?);
    command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
        .try_for_each(|inner| collect(inner, pages))
}

fn page(command: &clap::Command) -> io::Result<Page> {
    let source = format!("{PROGRAM} {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).section(SECTION).source(source);
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    if let Some(after) = command.get_after_help() {
        below_help(&after.to_string()).to_writer(&mut text)?;
    }
    let name = command.get_display_name().unwrap_or(PROGRAM);
    if name != PROGRAM {
        let mut see = Roff::new();
        see.control("SH", ["SEE ALSO"]).text([bold(PROGRAM), roman(format!("({SECTION})"))]);
        see.to_writer(&mut text)?;
    }
    Ok(Page { file: man.get_filename(), text })
}

/// What stands below the options in the help: a line that ends with a colon is a heading, and what is indented below it keeps its
/// lines. Left to itself a page would run examples together into one paragraph.
fn below_help(text: &str) -> Roff {
    let mut roff = Roff::new();
    // Whatever came before it has ended.
    roff.control("PP", []);
    let mut is_kept = false;
    for line in text.lines() {
        if line.starts_with(' ') != is_kept && !line.is_empty() {
            is_kept = !is_kept;
            roff.control(if is_kept { "nf" } else { "fi" }, []);
        }
        match line.strip_suffix(':').filter(|heading| !heading.starts_with(' ')) {
            Some(heading) => roff.control("SH", [shouted(heading).as_str()]),
            None if line.is_empty() => roff.control("PP", []),
            None => roff.text([roman(line)]),
        };
    }
    if is_kept {
        roff.control("fi", []);
    }
    roff
}

/// As headings of pages are written; an option keeps its letters.
fn shouted(heading: &str) -> String {
    let word = |word: &str| {
        if word.starts_with('-') { word.to_string() } else { word.to_uppercase() }
    };
    heading.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_every_page_its_examples() {
        let pages = pages().unwrap();
        let text = |file: &str| {
            let page = pages.iter().find(|page| page.file == file);
            String::from_utf8(page.unwrap_or_else(|| panic!("no {file}")).text.clone()).unwrap()
        };
        let program = text("autopilot.1");
        assert!(program.contains(".SH \"EXIT CODES\""), "{program}");
        for command in crate::arguments::command(80).get_subcommands() {
            let page = text(&format!("autopilot-{}.1", command.get_name()));
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert_eq!(page.contains(".SH EXAMPLES\n.nf\n"), after.contains("Examples:"), "{page}");
            assert!(page.ends_with("\\fBautopilot\\fR(1)\n"), "{page}");
        }
        assert!(text("autopilot-journal-show.1").contains("autopilot journal show"));
    }

    #[test]
    fn lines_of_examples_stay_lines() {
        let text = below_help("Sources --from understands:\n  a\n  b\n\nExamples:\n  c").to_roff();
        let expected = ".PP\n.SH \"SOURCES --from UNDERSTANDS\"\n.nf\n  a\n  b\n.PP\n.fi\n.SH EXAMPLES\n.nf\n  c\n.fi\n";
        assert_eq!(text, expected);
    }
}
