//! What prose claims that can be looked up: places (`src/lib.rs:12`), the code it quotes there, and commits. Agents write freely, so
//! whatever may be something else is no claim: hosts with ports, times, files that tools make, hex that nobody calls a commit.

use serde::{Deserialize, Serialize};

use crate::contract::returns::{CriterionStatus, Execution, Judgement, Verification};
use crate::limits;
use crate::run::checks::places::Place;

/// A commit that a return names, and the files it is said to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitClaim {
    /// Seven to forty hex digits.
    pub name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// Everything a return claims that can be looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    pub places: Vec<Place>,
    pub commits: Vec<CommitClaim>,
}

impl Claims {
    pub fn add(&mut self, other: Claims) {
        for place in other.places {
            if self.places.len() < limits::PROSE_PLACES_MAX && !self.places.contains(&place) {
                self.places.push(place);
            }
        }
        for commit in other.commits {
            if self.commits.len() < limits::COMMITS_CLAIMED_MAX && !self.commits.contains(&commit) {
                self.commits.push(commit);
            }
        }
    }

    fn read(&mut self, text: &str) {
        self.add(of_text(text));
    }
}

pub(in crate::run) fn of_execution(said: &Execution) -> Claims {
    let mut claims = Claims::default();
    for sha in said.commit_shas.iter().filter_map(|sha| commit_name(sha.trim())) {
        claims.add(Claims {
            commits: vec![CommitClaim { name: sha, files: Vec::new() }],
            ..Claims::default()
        });
    }
    said.evidence.iter().flat_map(|one| &one.criteria_met).for_each(|text| claims.read(text));
    claims
}

/// What was not verified is no evidence.
pub(super) fn of_verification(said: &Verification) -> Claims {
    let mut claims = Claims::default();
    let verified = said.criteria_results.iter();
    let verified = verified.filter(|one| one.status == CriterionStatus::Verified);
    verified.for_each(|one| claims.read(&one.evidence));
    claims
}

pub(super) fn of_judgement(said: &Judgement) -> Claims {
    let mut claims = Claims::default();
    said.independent_evidence.iter().for_each(|text| claims.read(text));
    claims
}

/// The claims of one piece of prose.
fn of_text(text: &str) -> Claims {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let mut places: Vec<Place> = Vec::new();
    let mut files: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let Some((file, line)) = place(word) else {
            files.extend(plain_file(word));
            continue;
        };
        files.push(file.clone());
        let place = Place { file, line: Some(line), is_prose: true, ..Place::default() };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    // Somebody who says what is not there names places that are not there.
    if has(&ABSENT) {
        places.clear();
    }
    // Of several places each quotation belongs to one of them, and nobody says to which.
    if let [place] = places.as_mut_slice()
        && !has(&DENIED)
    {
        place.any_of = quotations(text);
        if place.any_of.is_empty() {
            place.mentions = mentions(text);
        }
    }
    files.truncate(limits::CLAIMED_FILES_MAX);
    let says_change = has(&CHANGING) && !has(&DENIED);
    let named = commits(text);
    let files = if says_change && named.len() == 1 { files } else { Vec::new() };
    let commits = named.into_iter().map(|name| CommitClaim { name, files: files.clone() });
    Claims { places, commits: commits.collect() }
}

const ABSENT: [&str; 12] = [
    "missing",
    "not exist",
    "no such",
    "absent",
    "nonexistent",
    "non-existent",
    "removed",
    "deleted",
    "renamed",
    "not there",
    "should be",
    "gone",
];
const DENIED: [&str; 12] = [
    " not ",
    "n't ",
    " no ",
    "missing",
    "lack",
    "without",
    "never",
    "removed",
    "deleted",
    "instead of",
    "rather than",
    "renamed",
];
const CHANGING: [&str; 9] =
    ["touch", "change", "adds", "added", "modif", "edit", "creat", "implement", "introduc"];

/// Source and text files that people write, by their ending. A name without one of these may be a host, a version or a word.
const ENDINGS: [&str; 62] = [
    "rs", "py", "pyi", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "go", "java", "kt",
    "kts", "rb", "php", "cs", "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm", "swift",
    "scala", "clj", "ex", "exs", "erl", "hs", "ml", "lua", "pl", "r", "jl", "dart", "zig", "nim",
    "sh", "bash", "bats", "ps1", "sql", "html", "css", "scss", "vue", "svelte", "md", "rst", "txt",
    "toml", "yaml", "yml", "json", "proto", "graphql", "tf",
];
/// Folders that tools fill, and that no commit has.
const MADE: [&str; 11] = [
    "node_modules",
    "target",
    "dist",
    "build",
    ".venv",
    "venv",
    "site-packages",
    "vendor",
    ".git",
    ".cargo",
    "rustc",
];

/// `src/lib.rs:12`, also `:12-20`, `:12:5`, `#L12`.
fn place(word: &str) -> Option<(String, u32)> {
    let word = bare(word);
    let (path, rest) = word.split_once(':').or_else(|| word.split_once('#'))?;
    let rest = rest.strip_prefix('L').unwrap_or(rest);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let line: u32 = rest[..digits].parse().ok()?;
    let after = rest[digits..].chars().next();
    let is_over = after.is_none_or(|next| !next.is_alphanumeric() && next != '.' && next != '%');
    (line > 0 && is_over).then(|| file(path)).flatten().map(|file| (file, line))
}

fn plain_file(word: &str) -> Option<String> {
    let word = bare(word);
    word.contains('/').then(|| file(word)).flatten()
}

fn bare(word: &str) -> &str {
    let word =
        word.trim_start_matches(['`', '\'', '"', '*', '(', '<', ',', ';', '[', '{', '“', '‘']);
    word.trim_end_matches([
        '`', '\'', '"', '*', ')', '>', ',', ';', ']', '}', '.', '!', '?', ':', '”', '’',
    ])
}

fn file(path: &str) -> Option<String> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
    let is_plain = |c: char| c.is_alphanumeric() || "_-./+@$[]()".contains(c);
    let count = |wanted: char| path.matches(wanted).count();
    let is_balanced = count('[') == count(']') && count('(') == count(')');
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let is_source = ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) && !stem.is_empty();
    let is_made = path.split('/').any(|part| MADE.contains(&part) || part == "..");
    // Its files lie there for agents and are in no commit until the phase is over.
    let is_planning =
        path.starts_with(".planning") || name.to_ascii_uppercase().ends_with("PLAN.MD");
    let is_short = path.chars().count() <= limits::PLACE_PATH_CHARS_MAX;
    let is_file = path.chars().all(is_plain) && is_balanced && is_source && is_short;
    (is_file && !is_made && !is_planning).then(|| path.to_string())
}

/// Code between backticks, as far as it is that.
fn quotations(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without its fellow: nobody knows what is quoted.
    if parts.len().is_multiple_of(2) {
        return Vec::new();
    }
    let quoted = parts.into_iter().skip(1).step_by(2).map(str::trim);
    let code = quoted.filter(|quote| is_code(quote));
    code.take(limits::CLAIM_QUOTES_MAX)
        .map(|quote| quote.chars().take(limits::CLAIM_QUOTE_CHARS_MAX).collect())
        .collect()
}

/// Words of code that stand in a sentence without backticks: `check_user`, `ValueError`, `parse(`. Ordinary words, names of products
/// and whatever may be one are none.
fn mentions(text: &str) -> Vec<String> {
    const CHARS_MIN: usize = 4;
    let mut found: Vec<String> = Vec::new();
    for word in text.split_whitespace().filter(|word| place(word).is_none()) {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
        let (name, rest) = word.split_at(end);
        let is_called = rest.starts_with('(') && name.chars().any(char::is_lowercase);
        let has_line = name.trim_matches('_').contains('_');
        // A second capital behind a small letter, as in `ValueError`; GitHub and TypeScript have that too, and no code ends in them.
        let is_error = ["Error", "Exception"].iter().any(|end| name.ends_with(end) && name != *end);
        let is_code = (is_called || has_line || is_error) && name.chars().count() >= CHARS_MIN;
        let is_plain =
            name.is_ascii() && plain_file(word).is_none() && !rest.starts_with(['/', '.']);
        if is_code && is_plain && !found.iter().any(|known| known == name) {
            found.push(name.to_string());
        }
    }
    found.truncate(limits::CLAIM_QUOTES_MAX);
    found
}

/// Programs people run: their names in backticks are commands, not code.
const PROGRAMS: [&str; 30] = [
    "cargo", "npm", "npx", "pnpm", "yarn", "bun", "node", "deno", "python", "python3", "pytest",
    "uv", "pip", "go", "make", "git", "sh", "bash", "grep", "rg", "test", "curl", "ruby", "bundle",
    "rake", "mvn", "gradle", "dotnet", "docker", "cat",
];

fn is_code(quote: &str) -> bool {
    const CHARS_MIN: usize = 4;
    let first = quote.split_whitespace().next().unwrap_or_default();
    let is_command = PROGRAMS.contains(&first) || first.starts_with(['-', '$', '.', '/']);
    let is_file = place(quote).is_some() || file(quote).is_some() || quote.contains("://");
    let has_word = quote.chars().any(char::is_alphabetic);
    quote.chars().count() >= CHARS_MIN
        && has_word
        && !is_command
        && !is_file
        && !quote.contains("->")
}

/// Hex digits that the words beside them call a commit.
fn commits(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let calls = |word: &&str| {
        let word = word.to_ascii_lowercase();
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        matches!(
            word,
            "commit" | "commits" | "committed" | "sha" | "revision" | "commit_sha" | "commit_shas"
        )
    };
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let inner = word.rsplit([':', '=']).next().unwrap_or(word);
        let Some(name) = commit_name(bare(inner)) else { continue };
        // `commit:abc1234` is one word.
        let is_called = calls(&word.split([':', '=']).next().unwrap_or_default())
            || words[at.saturating_sub(3)..at].iter().any(calls)
            || words.get(at + 1).is_some_and(calls);
        if is_called && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Seven to forty hex digits with a digit and a letter among them: `defaced` is a word, and `20261116` a day.
fn commit_name(word: &str) -> Option<String> {
    let is_hex = word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let (has_digit, has_letter) = (
        word.bytes().any(|byte| byte.is_ascii_digit()),
        word.bytes().any(|byte| byte.is_ascii_alphabetic()),
    );
    ((7..=40).contains(&word.len()) && is_hex && has_digit && has_letter).then(|| word.to_string())
}

#[cfg(test)]
#[path = "claimed_tests.rs"]
mod tests;
