//! Settings of tests, lints and continuous integration that a change makes less strict. Reading is `entries`', which settings
//! are there to be strict is `rules`', what commands run is `commands`', and comments that silence a file are `inline`'s.

mod commands;
mod entries;
mod format;
mod inline;
mod rules;

use std::collections::BTreeSet;

use super::language::is_test_path;
use super::source::Source;
use super::{Doubt, DoubtKind, FileChange, doubt};
use crate::finding::quote;
use commands::Care;
use entries::Entry;
use format::{Format, format};

/// A settings file of the change, read on both sides.
struct Read<'a> {
    path: &'a str,
    before: Vec<Entry>,
    after: Vec<Entry>,
    is_gone: bool,
}

pub(super) fn look(changes: &[FileChange<'_>]) -> Vec<Doubt> {
    let read: Vec<Read<'_>> = changes.iter().filter_map(read).collect();
    let mut doubts = Vec::new();
    for file in &read {
        let others = || read.iter().filter(|other| !std::ptr::eq(*other, file));
        let elsewhere =
            |key: &str| others().any(|other| other.after.iter().any(|entry| entry.key() == key));
        if file.is_gone
            && others().any(|other| format(other.path).is_some() && !other.after.is_empty())
        {
            // Settings that moved from one file to another are compared by what the commands still run.
            doubts.extend(lost_runners(file, &read));
            continue;
        }
        for loosened in rules::compare(file.path, &file.before, &file.after, &elsewhere) {
            let fact = format!("the setting {} {}", quote(&loosened.path), loosened.what);
            doubts.push(doubt(DoubtKind::SettingLoosened, file.path, loosened.line, fact));
        }
        doubts.extend(lost_runners(file, &read));
        doubts.extend(commands_of(file));
    }
    doubts.extend(changes.iter().flat_map(silenced));
    doubts
}

fn read<'a>(change: &FileChange<'a>) -> Option<Read<'a>> {
    if change.before.is_none() || change.before == change.after {
        // A new file loosens nothing that was there; it may take up what another one had.
        let (format, after) =
            (format(change.path)?, change.after.filter(|_| change.before.is_none())?);
        return Some(Read {
            path: change.path,
            before: Vec::new(),
            after: entries(format, after),
            is_gone: false,
        });
    }
    let format = format(change.renamed_from.unwrap_or(change.path))?;
    let before = change.before.map(|text| entries(format, text)).unwrap_or_default();
    let after = change.after.map(|text| entries(format, text)).unwrap_or_default();
    Some(Read { path: change.path, before, after, is_gone: change.after.is_none() })
}

fn entries(format: Format, text: &str) -> Vec<Entry> {
    match format {
        Format::Objects => entries::of_objects(text),
        Format::Lines => entries::of_lines(text),
        Format::Yaml => entries::of_yaml(text),
        Format::Makefile => entries::of_makefile(text),
    }
}

/// Whether the value of an entry is a command line.
fn is_command(path: &str, entry: &Entry) -> bool {
    match format(path) {
        Some(Format::Objects) => {
            entry.path.starts_with("scripts.") || entry.path.starts_with("tasks.")
        }
        Some(Format::Yaml) => {
            matches!(entry.key(), "run" | "script" | "command" | "cmds" | "bash" | "before_script")
        }
        Some(Format::Makefile) => true,
        Some(Format::Lines) => matches!(entry.key(), "addopts" | "commands"),
        None => false,
    }
}

/// What a file's commands ran and no settings file of the candidate runs any more.
fn lost_runners(file: &Read<'_>, all: &[Read<'_>]) -> Vec<Doubt> {
    let run = |path: &str, entries: &[Entry]| {
        let lines = entries.iter().filter(|entry| is_command(path, entry));
        lines.flat_map(|entry| commands::runners(&entry.value)).collect::<BTreeSet<_>>()
    };
    let had = run(file.path, &file.before);
    let has: BTreeSet<_> = all.iter().flat_map(|other| run(other.path, &other.after)).collect();
    let mut doubts = Vec::new();
    for care in [Care::Tests, Care::Lint] {
        let of_care = |set: &BTreeSet<(&'static str, Care)>| {
            set.iter().filter(|(_, of)| *of == care).map(|(name, _)| *name).collect::<Vec<_>>()
        };
        let (had, has) = (of_care(&had), of_care(&has));
        let lost = had.iter().find(|name| !has.contains(name));
        // One runner in the place of another is a change of tools.
        if let (Some(lost), true) = (lost, has.len() < had.len()) {
            let fact = format!(
                "{} is no longer run by any command of this file, which ran {} with it",
                quote(lost),
                care.told()
            );
            doubts.push(doubt(DoubtKind::SettingLoosened, file.path, None, fact));
        }
    }
    doubts
}

/// Commands that let failures pass or leave tests out. They are compared place by place, or with all of the file where a place
/// has several.
fn commands_of(file: &Read<'_>) -> Vec<Doubt> {
    let old: Vec<&Entry> =
        file.before.iter().filter(|entry| is_command(file.path, entry)).collect();
    let mut doubts = Vec::new();
    let mut told = |line: u32, fact: String| {
        doubts.push(doubt(DoubtKind::SettingLoosened, file.path, Some(line), fact));
    };
    for entry in file.after.iter().filter(|entry| is_command(file.path, entry)) {
        if old.iter().any(|other| other.value == entry.value) {
            continue;
        }
        let here: Vec<&str> = old
            .iter()
            .filter(|other| other.path == entry.path)
            .map(|other| other.value.as_str())
            .collect();
        let had = here.join(" ");
        let new = format!("{} {}", prefix(entry), entry.value);
        let cares = !commands::runners(&new).is_empty()
            || entry.key().starts_with("test")
            || entry.key() == "addopts"
            || entry.path.starts_with("test");
        if !cares || here.is_empty() && format(file.path) != Some(Format::Yaml) {
            continue;
        }
        let name = quote(&entry.value);
        if let Some(excuse) = commands::new_excuse(&had, &new) {
            told(
                entry.line,
                format!("the command {name} lets failures pass, by {}", quote(&excuse)),
            );
        } else if let Some(option) =
            commands::new_narrowing(&format!("{} {had}", prefix(entry)), &new)
        {
            told(entry.line, format!("the command {name} leaves tests out, by {}", quote(&option)));
        } else if here.len() == 1
            && let Some(what) = commands::lowered_threshold(&had, &new)
        {
            told(entry.line, format!("in the command {name} {what}"));
        }
        let is_test_script = matches!(entry.path.as_str(), "scripts.test" | "tasks.test");
        let ran = commands::runners(&had).iter().any(|(_, care)| *care == Care::Tests);
        let runs = commands::runners(&new).iter().any(|(_, care)| *care == Care::Tests);
        if is_test_script && ran && !runs {
            told(
                entry.line,
                format!("the script \"test\" is {name} now and starts no runner that is known"),
            );
        }
    }
    doubts
}

/// Options in `addopts` belong to pytest.
fn prefix(entry: &Entry) -> &'static str {
    if entry.key() == "addopts" { "pytest" } else { "" }
}

/// What silences a whole file and did not before, and lints a crate no longer denies.
fn silenced(change: &FileChange<'_>) -> Vec<Doubt> {
    let Some(after) = change.after.and_then(|text| Source::read(change.path, text)) else {
        return Vec::new();
    };
    if change.before == change.after || super::language::is_foreign(change.path) {
        return Vec::new();
    }
    let before = change.before.and_then(|text| Source::read(change.path, text));
    // New helpers of tests are silenced by custom, and generated files say that they are.
    let is_generated = after
        .comments
        .iter()
        .take(5)
        .any(|comment| comment.text.to_ascii_lowercase().contains("generated"));
    if before.is_none() && (is_generated || is_test_path(change.path)) {
        return Vec::new();
    }
    let had = before.as_ref().map(inline::find).unwrap_or_default();
    let new =
        inline::find(&after).into_iter().filter(|new| !had.iter().any(|old| old.what == new.what));
    let mut doubts: Vec<Doubt> = new
        .map(|new| {
            doubt(
                DoubtKind::SettingLoosened,
                change.path,
                Some(new.line),
                format!("{} silences the whole file", new.what),
            )
        })
        .collect();
    let denied = inline::denied(&after);
    let lost = before.as_ref().map(inline::denied).unwrap_or_default();
    let lost = lost.into_iter().filter(|lint| !denied.contains(lint));
    doubts.extend(lost.map(|lint| {
        doubt(
            DoubtKind::SettingLoosened,
            change.path,
            None,
            format!("the crate no longer denies {}", quote(&lint)),
        )
    }));
    doubts
}

#[cfg(test)]
#[path = "settings/settings_tests.rs"]
mod tests;
