//! Which files of a change the command of a criterion runs as its check: a script of acceptance, a file of tests, a makefile, a script
//! of package.json. Who changes those changes what is asked. A command that only reads a file, or runs the program that is being
//! built, is asked about the work itself, so those do not count.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::honesty::{self, FileChange};

/// A file that the command of a criterion runs, and that is another than before the phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    pub criterion: u32,
    pub file: String,
}

const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "bats"];
const LANGUAGES: [&str; 14] = [
    "python", "python3", "pytest", "py.test", "node", "deno", "bun", "tsx", "ts-node", "ruby",
    "perl", "php", "jest", "vitest",
];
const MAKERS: [&str; 2] = ["make", "gmake"];
const PACKAGERS: [&str; 4] = ["npm", "yarn", "pnpm", "bun"];
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// How words begin that name a folder or file of checks.
const OF_CHECKS: [&str; 7] = ["accept", "check", "verif", "test", "spec", "e2e", "smoke"];

/// `was_there` says whether a file stood at the root before the phase.
pub fn of(
    command: &str,
    changes: &[FileChange<'_>],
    was_there: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let parts: Vec<Vec<&str>> = parts(command);
    let is_alone = parts.len() == 1;
    let is_run = |change: &&FileChange<'_>| {
        parts.iter().any(|words| is_run_by(words, is_alone, change, was_there))
    };
    changes.iter().filter(is_run).map(|change| change.path.to_string()).collect()
}

/// The words of each command in it, without quotes.
fn parts(command: &str) -> Vec<Vec<&str>> {
    let parts = command.split(|character| "|;&()`\n".contains(character));
    let words = parts.map(|part| {
        let words = part.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        words.map(|word| word.strip_prefix("./").unwrap_or(word)).collect::<Vec<_>>()
    });
    words.filter(|words| !words.is_empty()).collect()
}

fn is_run_by(
    words: &[&str],
    is_alone: bool,
    change: &FileChange<'_>,
    was_there: &dyn Fn(&str) -> bool,
) -> bool {
    // Others stand before it: variables, `env`, `npx`, `poetry run`.
    let known = words.iter().enumerate().find_map(|(at, word)| {
        let name = word.rsplit('/').next().unwrap_or_default();
        let is_known = |names: &[&str]| names.contains(&name);
        (is_known(&SHELLS) || is_known(&LANGUAGES) || is_known(&MAKERS) || is_known(&PACKAGERS))
            .then_some((name, &words[at + 1..]))
    });
    let Some((program, rest)) = known else {
        // Run by its own name.
        return words.iter().take(1).any(|word| is_named(word, change.path))
            && is_check(change, is_alone);
    };
    if MAKERS.contains(&program) {
        return is_makefile(change, was_there);
    }
    if PACKAGERS.contains(&program) && is_package_script(rest, change) {
        return true;
    }
    let mut named = rest.iter().filter(|word| !word.starts_with('-'));
    named.any(|word| is_named(word, change.path) || is_module(word, change.path))
        && is_check(change, is_alone)
}

/// It was there, is another now, and decides: by its name, or because a script is all there is to the command.
fn is_check(change: &FileChange<'_>, is_alone: bool) -> bool {
    let is_script = is_shell(change.path);
    let is_other = match is_script {
        true => change.before.is_some() && change.before != change.after,
        false => has_lost_lines(change),
    };
    is_other && (is_alone && is_script || is_of_checks(change.path))
}

fn is_shell(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    extension.is_none_or(|extension| ["sh", "bash", "bats"].contains(&extension))
}

fn is_of_checks(path: &str) -> bool {
    let words = path.split(['/', '.', '_', '-']).map(str::to_ascii_lowercase);
    let is_word = |word: String| OF_CHECKS.iter().any(|start| word.starts_with(start));
    honesty::belongs_to_tests(path) || words.into_iter().any(is_word)
}

/// New tests beside the old ones ask for no less.
fn has_lost_lines(change: &FileChange<'_>) -> bool {
    let Some(before) = change.before else { return false };
    let mut after = change.after.unwrap_or_default().lines();
    !before.lines().all(|line| after.any(|other| other == line))
}

/// The path as a command writes it, also from the folder it lies in and with a test's name behind it.
fn is_named(word: &str, path: &str) -> bool {
    let word = word.split("::").next().unwrap_or_default();
    let is_below = || path.strip_suffix(word).is_some_and(|folder| folder.ends_with('/'));
    path == word || !word.is_empty() && word.contains('.') && is_below()
}

/// `tests.test_named.Named.test_it` of Python.
fn is_module(word: &str, path: &str) -> bool {
    let Some(path) = path.strip_suffix(".py") else { return false };
    let module = path.replace('/', ".");
    word == module || word.strip_prefix(&module).is_some_and(|rest| rest.starts_with('.'))
}

/// Also one that takes the place of another.
fn is_makefile(change: &FileChange<'_>, was_there: &dyn Fn(&str) -> bool) -> bool {
    let is_makefile = MAKEFILES.contains(&change.path)
        || Path::new(change.path).extension().is_some_and(|extension| extension == "mk");
    let is_shadow = change.before.is_none()
        && MAKEFILES.iter().any(|other| *other != change.path && was_there(other));
    is_makefile && (is_shadow || has_lost_lines(change))
}

fn is_package_script(words: &[&str], change: &FileChange<'_>) -> bool {
    match change.path {
        "package.json" => {
            let mut names = words
                .iter()
                .filter(|word| !word.starts_with('-') && !["run", "run-script"].contains(word));
            let script = |text: Option<&str>, name: &str| -> Option<Value> {
                let all: Value = serde_json::from_str(text?).ok()?;
                all.get("scripts")?.get(name).cloned()
            };
            names.next().is_some_and(|name| {
                let before = script(change.before, name);
                before.is_some() && before != script(change.after, name)
            })
        }
        ".npmrc" => {
            let sets = |text: Option<&str>| text.is_some_and(|text| text.contains("script-shell"));
            sets(change.after) && !sets(change.before)
        }
        _ => false,
    }
}

#[cfg(test)]
#[path = "run_files_tests.rs"]
mod tests;
