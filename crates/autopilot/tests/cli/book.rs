//! The book in `docs/` against the program: its reference is what the help prints, its table of settings is core's, every command in it
//! runs, and every screen in it is what is printed. `cargo xtask book` rewrites what is generated and what is shown.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use autopilot_core::config::keys::{KEYS, Kind as SettingKind};
use autopilot_testkit::book::{self, Block, Kind};

use super::autopilot;
use stage::Stages;

#[path = "book/pages.rs"]
mod pages;
#[path = "book/screen.rs"]
mod screen;
#[path = "book/stage.rs"]
mod stage;

/// Pages of `docs/` for whoever works on autopilot.
const NOT_IN_THE_BOOK: [&str; 4] =
    ["SUMMARY.md", "model-server.md", "performance.md", "requirements.md"];
/// Written by a test as a whole.
const REFERENCE: &str = "reference.md";
const SETTINGS: (&str, &str, &str) =
    ("config.md", "<!-- generated: settings -->\n", "<!-- end of what is generated -->\n");

/// Commands of the book that are typed elsewhere, because they need more than a stage has: the page, the line or nothing for all of the
/// page, and the test, which takes them out of the page.
const TYPED_ELSEWHERE: [(&str, &str, &str); 6] = [
    // They build the program as users get it.
    ("start.md", "cargo xtask install", "install.rs"),
    ("start.md", "cargo xtask dist", "install.rs"),
    ("start.md", "sh target/dist/install.sh", "install.rs"),
    // Its lines are long ones, and their answers are compared.
    ("journal.md", "", "run/one_liners.rs"),
    // It needs bubblewrap, which would change other screens.
    ("run.md", "autopilot run next --in-place", "run/in_place.rs"),
    // It needs the agent.
    ("troubleshooting.md", "autopilot agents try claude", "agents/claude_phase.rs"),
];

/// Commands of the book that end with another code than 0 where no agent is installed.
const ENDS_WITH: [(&str, &str, i32); 3] = [
    ("start.md", "autopilot doctor", 6),
    ("troubleshooting.md", "autopilot doctor", 6),
    ("troubleshooting.md", "autopilot agents", 6),
];

/// Blocks of text that are no screen: the page, how the block begins, and what it is.
const NOT_PRINTED: [(&str, &str, &str); 5] = [
    ("commands.md", "autopilot [-C DIR]", "the form of a command"),
    (
        "commands.md",
        "run run-1:",
        "a replay of a journal that was altered; tests/cli/replay.rs compares it",
    ),
    ("honesty.md", "N lies:", "the form of a line"),
    ("journal.md", "{\"v\":1,", "one line of a journal, broken for reading; compared below"),
    ("run.md", ".autopilot/", "a picture of folders"),
];

#[test]
fn every_page_is_listed_once_and_is_there() {
    let listed = pages::listed();
    let once: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(once.len(), listed.len(), "{listed:?}");
    let entries = fs::read_dir(book::folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let there: BTreeSet<String> = names
        .filter(|name| name.ends_with(".md") && !NOT_IN_THE_BOOK.contains(&name.as_str()))
        .collect();
    assert_eq!(once, there.iter().collect::<BTreeSet<_>>());
}

#[test]
fn no_page_leads_out_of_the_book() {
    let listed = pages::listed();
    for page in &listed {
        let text = pages::text(page);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        let targets = links.map(|(target, _)| target.split('#').next().unwrap_or_default());
        let is_page = |target: &&str| target.ends_with(".md") || target.starts_with("../");
        let is_listed = |target: &str| listed.iter().any(|page| page == target);
        let outside: Vec<&str> = targets
            .filter(|target| is_page(target) && !target.contains("://") && !is_listed(target))
            .collect();
        assert!(outside.is_empty(), "docs/{page}: {outside:?}");
    }
}

#[test]
fn every_command_has_a_section_and_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let help = autopilot(folder.path()).run(&["--help"]).unwrap().stdout;
    let page = pages::text("commands.md");
    let names = commands_in(&help);
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("\n## {name}\n")), "docs/commands.md lacks ## {name}");
        assert!(page.contains(&format!("\n| [`{name}`](#{name}) |")), "no row for {name}");
    }
}

#[test]
fn the_reference_is_what_the_help_prints() {
    let mut page = "# Options of every command\n\nWhat `--help` prints, command by command; `cargo xtask book` writes this page. What the \
                    commands do\nand print is told in [Commands](commands.md).\n"
        .to_string();
    add_help(&[], &mut page);
    pages::settle(REFERENCE, &page);
}

/// The help of a command and of those below it.
fn add_help(command: &[String], page: &mut String) {
    let folder = tempfile::tempdir().unwrap();
    let mut words: Vec<&str> = command.iter().map(String::as_str).collect();
    words.push("--help");
    let ended = autopilot(folder.path()).run(&words).unwrap();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{words:?}");
    let name = [&["autopilot".to_string()], command].concat().join(" ");
    let level = if command.len() > 1 { "###" } else { "##" };
    page.push_str(&format!("\n{level} {name}\n\n```text\n{}\n```\n", ended.stdout.trim_end()));
    for inner in commands_in(&ended.stdout) {
        add_help(&[command, &[inner]].concat(), page);
    }
}

/// The names below `Commands:`, without the one that explains the others.
fn commands_in(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let list = list.split("\n\n").next().unwrap_or_default();
    let names = list.lines().filter_map(|line| line.strip_prefix("  "));
    let names =
        names.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    names.filter(|name| *name != "help").map(str::to_string).collect()
}

#[test]
fn the_table_of_settings_is_what_core_reads() {
    let (page, begin, end) = SETTINGS;
    let text = pages::text(page);
    let (before, rest) = text.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let mut table = "| key | kind | without it | meaning |\n|---|---|---|---|\n".to_string();
    for key in &KEYS {
        let kind = match key.kind {
            SettingKind::Section => "section".to_string(),
            kind => kind.words(),
        };
        table.push_str(&format!(
            "| `{}` | {kind} | {} | {} |\n",
            key.path, key.otherwise, key.about
        ));
    }
    pages::settle(page, &format!("{before}{begin}\n{table}\n{end}{after}"));
}

fn blocks(kind: Kind) -> Vec<Block> {
    let of_book = pages::listed().into_iter().filter(|page| page != REFERENCE);
    of_book.flat_map(|page| pages::blocks(&page)).filter(|block| block.kind == kind).collect()
}

fn stage_of(block: &Block) -> &str {
    let stage = block.stage.as_deref();
    stage
        .unwrap_or_else(|| panic!("docs/{}: no <!-- stage: --> above:\n{}", block.page, block.text))
}

#[test]
fn what_is_typed_elsewhere_is_taken_out_of_its_page_there() {
    for (page, line, test) in TYPED_ELSEWHERE {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(test);
        let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{test}: {error}"));
        let taken = match line {
            "" => format!("book::blocks(\"{page}\")"),
            line => format!("book::line(\"{page}\", \"{line}\")"),
        };
        assert!(source.contains(&taken), "tests/{test} does not type it: {taken}");
    }
}

/// One test, because the stages take some seconds to make.
#[test]
fn every_command_of_the_book_runs_and_every_screen_is_what_is_printed() {
    let stages = Stages::new();
    check_commands(&stages);
    check_screens(&stages);
    check_line_of_a_journal(&stages);
}

/// A journal has such a line, with other numbers and another hash.
fn check_line_of_a_journal(stages: &Stages) {
    let shown = pages::blocks("journal.md").into_iter().find(|block| block.kind == Kind::Text);
    let shown: String = shown.unwrap().text.lines().map(str::trim_start).collect();
    let parts = |line: &str| {
        let (numbers, rest) = line.split_once("\"event\":").unwrap();
        let (event, hash) = rest.split_once("\"hash\":").unwrap();
        (numbers.replace(|one: char| one.is_ascii_digit(), ""), event.to_string(), hash.len())
    };
    let journal = stages.play("done", "cat .autopilot/archive/run-*.jsonl").stdout;
    assert!(journal.lines().any(|line| parts(line) == parts(&shown)), "{shown}\n{journal}");
}

fn is_elsewhere(page: &str, line: &str) -> Option<(&'static str, &'static str)> {
    let mut all = TYPED_ELSEWHERE.iter().map(|(page, line, _)| (*page, *line));
    all.find(|(known, typed)| *known == page && (typed.is_empty() || *typed == line))
}

fn check_commands(stages: &Stages) {
    let run = stages.run_of("done");
    let mut left: BTreeSet<(&str, &str)> =
        TYPED_ELSEWHERE.iter().map(|(page, line, _)| (*page, *line)).collect();
    let mut codes: BTreeSet<(&str, &str)> =
        ENDS_WITH.iter().map(|(page, begin, _)| (*page, *begin)).collect();
    for block in blocks(Kind::Commands) {
        let is_typed = |line: &String| {
            let known = is_elsewhere(&block.page, line);
            known.is_none_or(|known| {
                left.remove(&known);
                false
            })
        };
        let mut lines: Vec<String> = block.commands().into_iter().filter(is_typed).collect();
        if block.is_in_order && !lines.is_empty() {
            lines = vec![format!("set -e\n{}", lines.join("\n"))];
        }
        for line in lines {
            let code = ENDS_WITH
                .iter()
                .find(|(page, begin, _)| *page == block.page && line.starts_with(begin));
            codes.retain(|one| code.is_none_or(|(page, begin, _)| *one != (*page, *begin)));
            let typed = line.replace("BRANCH", &format!("autopilot/{run}")).replace("RUN", &run);
            let ended = stages.play(stage_of(&block), &typed);
            let expected = code.map_or(0, |(_, _, code)| *code);
            assert_eq!(ended.code, expected, "docs/{}: {line}\n{}", block.page, ended.stdout);
        }
    }
    assert!(left.is_empty() && codes.is_empty(), "these are in no page: {left:?} {codes:?}");
}

fn check_screens(stages: &Stages) {
    let mut left: BTreeSet<(&str, &str)> =
        NOT_PRINTED.iter().map(|(page, begin, _)| (*page, *begin)).collect();
    let mut wrong = Vec::new();
    for block in blocks(Kind::Text) {
        let Some((command, shown)) = block.screen() else {
            let known = NOT_PRINTED
                .iter()
                .find(|(page, begin, _)| *page == block.page && block.text.starts_with(begin));
            let known = known.unwrap_or_else(|| {
                panic!("docs/{}: no screen and not listed:\n{}", block.page, block.text)
            });
            left.remove(&(known.0, known.1));
            continue;
        };
        let printed = stages.play(stage_of(&block), command).stdout;
        if screen::shows(shown, &printed) {
            continue;
        }
        let is_excerpt = shown.lines().any(|line| line.trim_start().starts_with('…'));
        if pages::is_rewriting() && !is_excerpt {
            let fresh = format!("$ {command}\n{}", screen::for_a_page(&printed));
            let text = pages::text(&block.page).replacen(&block.text, &fresh, 1);
            fs::write(book::folder().join(&block.page), text).unwrap();
            continue;
        }
        wrong.push(format!(
            "docs/{}, on stage {}:\n$ {command}\n{printed}",
            block.page,
            stage_of(&block)
        ));
    }
    assert!(left.is_empty(), "these are in no page: {left:?}");
    let hint = "cargo xtask book rewrites those without a line of …; the others are mended by hand";
    assert!(wrong.is_empty(), "{hint}\n\n{}", wrong.join("\n"));
}
