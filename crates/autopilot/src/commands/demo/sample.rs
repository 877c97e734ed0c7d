//! The sample project: its files as they are before the run, and the script of the agents that work on it. Made of the files
//! below `sample/`; nothing here touches a disk.

use autopilot_agents::script::{Action, Entry, Script, VERSION, When};

use super::language::Language;
use super::scene::{Part, parts};

/// How long an agent seems to think, so that a person can read along. Ten steps a phase at most: under 20 s in all.
const PAUSE_MS: u64 = 350;

/// Who watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// A person: every agent waits a moment before it answers.
    ForPeople,
    ForPrograms,
}

macro_rules! shared {
    ($path:literal) => {
        include_str!(concat!("../../../sample/shared/", $path))
    };
}

/// What is the same in every language: paths in the project, and texts with `{test}` and `{code PART}` in them.
const FILES: [(&str, &str); 15] = [
    (".planning/ROADMAP.md", shared!("ROADMAP.md")),
    (".planning/REQUIREMENTS.md", shared!("REQUIREMENTS.md")),
    (".planning/config.json", shared!("config.json")),
    (".planning/phases/02-find/02-01-PLAN.md", shared!("2-find-PLAN.md")),
    (".planning/phases/03-tags/03-01-PLAN.md", shared!("3-tags-PLAN.md")),
    (".planning/phases/04-export/04-01-PLAN.md", shared!("4-export-PLAN.md")),
    (".planning/phases/05-help/05-01-PLAN.md", shared!("5-help-PLAN.md")),
    ("acceptance/setup.sh", shared!("acceptance/setup.sh")),
    ("acceptance/add.sh", shared!("acceptance/add.sh")),
    ("acceptance/find.sh", shared!("acceptance/find.sh")),
    ("acceptance/find-any-case.sh", shared!("acceptance/find-any-case.sh")),
    ("acceptance/tags.sh", shared!("acceptance/tags.sh")),
    ("acceptance/export.sh", shared!("acceptance/export.sh")),
    ("acceptance/help.sh", shared!("acceptance/help.sh")),
    ("README.md", shared!("README.md")),
];

/// What agents say in each phase.
const SAID: [&str; 5] = [
    shared!("1-add-and-list.txt"),
    shared!("2-find.txt"),
    shared!("3-tags.txt"),
    shared!("4-export.txt"),
    shared!("5-help.txt"),
];
const SAID_OTHERWISE: &str = shared!("every-phase.txt");
/// The parts of the program that texts name.
const PARTS: [&str; 7] = ["main", "store", "list", "find", "tag", "page", "help"];

/// Paths and texts of the project, the script among them. An error means that the sample itself is at fault.
pub(super) fn files(language: Language, pace: Pace) -> Result<Vec<(String, String)>, String> {
    let shared = FILES.into_iter().map(|(path, text)| (path.to_string(), filled(text, language)));
    let mut files: Vec<(String, String)> = shared.collect();
    for part in parts(language.scenes().start)? {
        match part {
            Part::Do(Action::Write { path, text, .. }) => files.push((path, text)),
            other => return Err(format!("no file of the start: {other:?}")),
        }
    }
    let script = script(language, pace)?;
    let script = serde_json::to_string_pretty(&script).map_err(|error| error.to_string())?;
    files.push((".planning/script.json".to_string(), format!("{script}\n")));
    Ok(files)
}

fn script(language: Language, pace: Pace) -> Result<Script, String> {
    let otherwise = entries(None, &filled(SAID_OTHERWISE, language), Vec::new())?;
    let mut all = otherwise.clone();
    for (number, (edits, said)) in (1..).zip(language.scenes().phases.iter().zip(SAID)) {
        let phase = number.to_string();
        let found = entries(Some(&phase), edits, Vec::new())?;
        all.extend(entries(Some(&phase), &filled(said, language), found)?);
    }
    for entry in &mut all {
        let is_answered = entry.actions.iter().any(|one| matches!(one, Action::Reply(_)));
        if !is_answered {
            let usual = otherwise.iter().find(|other| other.when.step == entry.when.step);
            entry.actions.extend(usual.into_iter().flat_map(|usual| usual.actions.clone()));
        }
        match pace {
            Pace::ForPeople => entry.actions.insert(0, Action::Wait { ms: PAUSE_MS }),
            Pace::ForPrograms => {}
        }
    }
    Ok(Script { version: VERSION, recorded: None, entries: all })
}

/// The entries of a scene; what is done at a step that `found` has already is added to it.
fn entries(phase: Option<&str>, text: &str, mut found: Vec<Entry>) -> Result<Vec<Entry>, String> {
    let mut current = None;
    for part in parts(text)? {
        match (part, current) {
            (Part::Step(when), _) => {
                let when = When { phase: phase.map(str::to_string), ..when };
                let known = found.iter().position(|entry| entry.when == when);
                current = Some(known.unwrap_or(found.len()));
                if known.is_none() {
                    found.push(Entry { when, actions: Vec::new() });
                }
            }
            (Part::Do(action), Some(place)) => found[place].actions.push(action),
            (Part::Do(_), None) => return Err("something is done before any step".to_string()),
        }
    }
    Ok(found)
}

fn filled(text: &str, language: Language) -> String {
    let text = text.replace("{test}", language.test());
    PARTS
        .into_iter()
        .fold(text, |text, part| text.replace(&format!("{{code {part}}}"), &language.code(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_whole_sample() {
        for language in Language::ALL {
            let files = files(language, Pace::ForPrograms).unwrap();
            let text_of = |path: &str| {
                let found = files.iter().find(|(known, _)| known == path);
                found.map(|(_, text)| text.as_str()).unwrap_or_default()
            };
            for (path, text) in &files {
                assert!(
                    !text.contains("{code ") && !text.contains("{test}"),
                    "{language:?} {path}"
                );
            }
            assert!(!text_of("bin/bookmarks").is_empty(), "{language:?}");
            assert!(text_of(".planning/config.json").contains(language.test()), "{language:?}");
            let script = Script::read(text_of(".planning/script.json").as_bytes()).unwrap();
            let is_answered = |entry: &Entry| {
                matches!(entry.actions.last(), Some(Action::Reply(_))) && entry.actions.len() < 8
            };
            assert!(script.entries.iter().all(is_answered), "{language:?}");
        }
    }

    #[test]
    fn agents_take_their_time_for_people_only() {
        let waits = |pace: Pace| {
            let script = script(Language::Shell, pace).unwrap();
            let is_wait = |action: &Action| matches!(action, Action::Wait { .. });
            let count = script.entries.iter().filter(|entry| entry.actions.iter().any(is_wait));
            (count.count(), script.entries.len())
        };
        assert_eq!(waits(Pace::ForPrograms).0, 0);
        let (paced, all) = waits(Pace::ForPeople);
        assert_eq!(paced, all);
    }
}
