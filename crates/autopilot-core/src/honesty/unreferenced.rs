//! New source files that nothing mentions: code that was written and never joined to the program.

use super::language::{Language, file_name, is_foreign, is_test_path};
use super::{Doubt, DoubtKind, FileChange, doubt};

/// Names that tools find by themselves.
const FOUND_BY_NAME: [&str; 18] = [
    "main",
    "index",
    "lib",
    "mod",
    "build",
    "setup",
    "conftest",
    "manage",
    "app",
    "wsgi",
    "asgi",
    "program",
    "page",
    "layout",
    "route",
    "middleware",
    "server",
    "cli",
];
/// Folders whose files are started or found without being named.
const FOUND_BY_FOLDER: [&str; 14] = [
    "bin",
    "scripts",
    "examples",
    "benches",
    "migrations",
    "pages",
    "routes",
    "app",
    "cmd",
    "tools",
    "fuzz_targets",
    "hooks",
    "docs",
    "fixtures",
];

/// `mentioned` says whether a word stands anywhere in the project outside the file itself.
pub(super) fn look(changes: &[FileChange<'_>], mentioned: &dyn Fn(&str) -> bool) -> Vec<Doubt> {
    let new = changes.iter().filter(|change| {
        change.before.is_none()
            && change.after.is_some_and(|text| !text.trim().is_empty())
            && change.renamed_from.is_none()
    });
    let alone = new.filter(|change| {
        let Some(stem) = stem(change.path) else { return false };
        let names = [stem.to_string(), camel(stem)];
        let in_change = changes.iter().filter(|other| other.path != change.path).any(|other| {
            other.after.is_some_and(|text| names.iter().any(|name| has_word(text, name)))
        });
        !in_change && !names.iter().any(|name| mentioned(name))
    });
    let doubts = alone.map(|change| {
        let fact =
            "nothing in the project mentions this new file, so no code references it".to_string();
        doubt(DoubtKind::Unreferenced, change.path, None, fact)
    });
    doubts.collect()
}

/// The name others would use for a file, if they have to use one.
fn stem(path: &str) -> Option<&str> {
    let language = Language::of(path)?;
    let name = file_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let by_folder = path.split('/').rev().skip(1).any(|folder| FOUND_BY_FOLDER.contains(&folder));
    let by_name =
        FOUND_BY_NAME.contains(&stem.to_ascii_lowercase().as_str()) || stem.starts_with("__");
    // Files of one package of Go see each other without a word; scripts are started by people.
    let by_language = matches!(language, Language::Go | Language::Shell);
    let is_known = name.contains(".config.") || name.contains(".d.") || name.contains(".stories.");
    let is_asked = !(by_folder || by_name || by_language || is_known || stem.is_empty());
    (is_asked && !is_test_path(path) && !is_foreign(path)).then_some(stem)
}

/// `user_service` is `UserService` where it is used.
fn camel(stem: &str) -> String {
    let parts = stem.split(['_', '-']).filter(|part| !part.is_empty());
    let part = |part: &str| {
        let mut rest = part.chars();
        let first = rest.next().map(|first| first.to_uppercase().collect::<String>());
        format!("{}{}", first.unwrap_or_default(), rest.as_str())
    };
    parts.map(part).collect()
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}
