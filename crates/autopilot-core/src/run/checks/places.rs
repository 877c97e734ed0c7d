//! The places in files that returns name as evidence, and what the engine sees there; likewise commits. Looking into the candidate is
//! an effect; what counts as found is decided here.

use serde::{Deserialize, Serialize};

use crate::contract::Role;
use crate::contract::returns::CriterionResult;
use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::checks::claimed::CommitClaim;
use crate::run::ids::Commit;

/// How far from the named line quoted words may stand (CHECK-8).
const LINES_AROUND: usize = 3;
/// The same for code that prose quotes: people name the line where something begins, or where it matters.
const PROSE_LINES_AROUND: usize = 10;
/// How far behind the end of a file a line may lie that prose names: lines move by a few while others work.
const PROSE_LINES_BEYOND: usize = 3;
/// Files of the same ending that are looked into where prose names only that.
const NAMESAKES_MAX: usize = 5;

/// An order to look places and commits up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookUpOrder {
    pub phase: PhaseId,
    /// Whose return names them.
    #[serde(default = "verifier")]
    pub role: Role,
    pub at: Commit,
    pub places: Vec<Place>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CommitClaim>,
}

/// Nobody else's places were looked up by earlier versions.
fn verifier() -> Role {
    Role::Verify
}

/// As somebody named it: a claim, and never a path that is followed outside the commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// It stands in a sentence: the file may be named by its end alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_prose: bool,
    /// Code that the sentence quotes, one of which stands there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub any_of: Vec<String>,
    /// Words of code in the sentence, most of which stand in the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<String>,
    /// The commit it was named for, where that is not the order's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Commit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    There,
    /// No file of that name, or one that is none: a folder, a link, a path out of the project.
    NoFile,
    NoLine,
    /// The quoted words stand nowhere near the line.
    NoWords,
    /// No text, too much of it, or nothing that is the project's.
    NotText,
    /// It was there when the phase began.
    Gone,
}

impl Seen {
    pub fn words(self) -> &'static str {
        match self {
            Seen::There => "is there",
            Seen::NoFile => "is no file of the candidate",
            Seen::NoLine => "has no such line",
            Seen::NoWords => "does not have the quoted words within three lines of that line",
            Seen::NotText => "is no text that could be looked into",
            Seen::Gone => "was there when the phase began",
        }
    }
}

/// What is known of a commit that a return names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitSeen {
    /// Of the phase or its past, or made by whoever worked on it.
    Known,
    Missing,
    Elsewhere,
    /// It changes none of the files it is said to change.
    Untouched,
    /// The name fits several.
    Unclear,
}

/// A place and what was seen there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedUp {
    pub place: Place,
    pub seen: Seen,
    /// What stands there really, where it is something else.
    pub fact: String,
}

/// Everything that was looked up for one return.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looked {
    pub places: Vec<LookedUp>,
    pub commits: Vec<(CommitClaim, CommitSeen)>,
}

/// What the named place of a result is, cut to what an event can hold.
pub(super) fn place_of(result: &CriterionResult) -> Option<Place> {
    let file = result.file.as_deref().map(str::trim).filter(|file| !file.is_empty())?;
    let file = file.strip_prefix("./").unwrap_or(file);
    // `src/lib.rs:12`, as people write it.
    let (file, line) = match (result.line, file.rsplit_once(':')) {
        (None, Some((file, line))) if line.parse::<u32>().is_ok() => (file, line.parse().ok()),
        (line, _) => (file, line),
    };
    let quote = result.quote.as_deref().map(str::trim).filter(|quote| !quote.is_empty());
    Some(Place {
        file: cut(file, limits::PLACE_PATH_CHARS_MAX),
        line,
        quote: quote.map(|quote| cut(quote, limits::PLACE_QUOTE_CHARS_MAX)),
        ..Place::default()
    })
}

fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect()
}

/// Whether a claimed path names something inside a commit and nothing else.
pub fn is_inside(file: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    let has_control = file.chars().any(char::is_control);
    !has_control && !file.starts_with('/') && file.split('/').all(is_plain)
}

/// The files that prose may mean: those that end as it says, and those that it names with a folder too many in front.
pub fn meant<'a>(files: impl Iterator<Item = &'a str>, named: &str) -> Vec<&'a str> {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let is_meant = |file: &&str| ends(file, named) || file.contains('/') && ends(named, file);
    files.filter(is_meant).take(NAMESAKES_MAX).collect()
}

/// What is seen at a place in the text of its file, and what stands there where that is something else.
pub fn look(text: &str, place: &Place) -> (Seen, String) {
    let lines: Vec<&str> = text.lines().collect();
    let beyond = if place.is_prose { PROSE_LINES_BEYOND } else { 0 };
    let line = match place.line.map(|number| usize::try_from(number).unwrap_or(usize::MAX)) {
        None => None,
        Some(number) if number == 0 || number > lines.len() + beyond => {
            return (Seen::NoLine, format!("it has {} lines", lines.len()));
        }
        Some(number) => Some(number.min(lines.len().max(1))),
    };
    let near = |around: usize| match line {
        None => lines.as_slice(),
        Some(number) => {
            let from = number.saturating_sub(1 + around).min(lines.len());
            &lines[from..lines.len().min(number + around)]
        }
    };
    let is_there = match (&place.quote, place.any_of.is_empty()) {
        (Some(quote), _) => squeezed(&near(LINES_AROUND).join(" ")).contains(&squeezed(quote)),
        (None, true) => true,
        (None, false) => {
            let near = squeezed(&near(PROSE_LINES_AROUND).join(" ")).to_lowercase();
            let all = || squeezed(text).to_lowercase();
            place.any_of.iter().any(|quote| match is_name(quote) {
                // A line in the middle of something is named for the whole.
                true => has_most(&all(), quote),
                false => has_most(&near, quote),
            })
        }
    };
    if is_there && has_mentioned(text, &place.mentions) {
        return (Seen::There, String::new());
    }
    let stands = line.and_then(|number| lines.get(number - 1)).map_or("", |line| line.trim());
    (Seen::NoWords, format!("there stands `{}`", cut(stands, limits::QUOTE_CHARS_MAX)))
}

/// More than half of them: a sentence may speak of something else on the way.
fn has_mentioned(text: &str, mentions: &[String]) -> bool {
    let found = mentions.iter().filter(|name| text.contains(name.as_str())).count();
    mentions.is_empty() || found * 2 > mentions.len()
}

/// Indentation and line breaks are nobody's words.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_name(quote: &str) -> bool {
    quote.chars().all(|c| c.is_alphanumeric() || "_:.()&!?".contains(c))
}

/// Whether most words of some code stand in a text: people quote from memory, and change a name or a type.
fn has_most(text: &str, code: &str) -> bool {
    const WORD_CHARS_MIN: usize = 3;
    let code = code.to_lowercase();
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words: Vec<&str> = words.filter(|word| word.chars().count() >= WORD_CHARS_MIN).collect();
    let found = words.iter().filter(|word| text.contains(**word)).count();
    words.is_empty() || found * 2 > words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_words_are_not_most_of_them() {
        let check = |code: &str, expected: bool| {
            assert_eq!(has_most("fn refuse(name: &str)", code), expected, "{code}");
        };
        check("refuse(password)", false);
        check("refuse(name, password)", true);
        check("{ }", true);
    }

    #[test]
    fn quoted_words_stand_within_three_lines_of_the_named_one() {
        let text = "a\nb\nc\nfn found() {\n    one();\n    two();\n}\nh\ni\n";
        let check = |line: Option<u32>, quote: Option<&str>, expected: Seen| {
            let quote = quote.map(ToString::to_string);
            let place = Place { file: "x".to_string(), line, quote, ..Place::default() };
            assert_eq!(look(text, &place).0, expected, "{place:?}");
        };
        check(Some(4), Some("fn found()"), Seen::There);
        check(Some(1), Some("fn found()"), Seen::There);
        check(Some(7), Some("fn found()"), Seen::There);
        check(Some(8), Some("fn found()"), Seen::NoWords);
        check(Some(5), Some("one(); two();"), Seen::There);
        check(Some(4), Some("fn lost()"), Seen::NoWords);
        check(Some(9), None, Seen::There);
        check(Some(10), None, Seen::NoLine);
        check(Some(0), None, Seen::NoLine);
        check(None, Some("h i"), Seen::There);
        check(Some(u32::MAX), Some("a"), Seen::NoLine);
    }

    #[test]
    fn a_place_is_read_as_people_write_it() {
        let check = |file: &str, line: Option<u32>, expected: Option<(&str, Option<u32>)>| {
            let mut result = crate::run::checks::fixture::result("it works", "seen");
            (result.file, result.line) = (Some(file.to_string()), line);
            let place = place_of(&result).map(|place| (place.file, place.line));
            assert_eq!(place, expected.map(|(file, line)| (file.to_string(), line)));
        };
        check("src/lib.rs", Some(3), Some(("src/lib.rs", Some(3))));
        check(" ./src/lib.rs:12 ", None, Some(("src/lib.rs", Some(12))));
        check("a:b", None, Some(("a:b", None)));
        check("a:7", Some(2), Some(("a:7", Some(2))));
        check("  ", Some(2), None);
    }

    #[test]
    fn a_path_that_leaves_the_commit_is_none() {
        for inside in ["src/lib.rs", "a", "a/b c/ü", "..a/b"] {
            assert!(is_inside(inside), "{inside}");
        }
        for outside in ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a/", "a\nb", "a\0"] {
            assert!(!is_inside(outside), "{outside:?}");
        }
    }

    #[test]
    fn prose_is_believed_a_few_lines_off_and_told_what_stands_there() {
        let text = "fn parse(text: &str) {\r\n    one();\r\n}\r\n".to_string()
            + &"\r\n".repeat(30)
            + "end\r\n";
        let check = |line: u32, any_of: &[&str], expected: (Seen, &str)| {
            let any_of = any_of.iter().map(ToString::to_string).collect();
            let place = Place { line: Some(line), is_prose: true, any_of, ..Place::default() };
            assert_eq!(look(&text, &place), (expected.0, expected.1.to_string()), "{place:?}");
        };
        check(34, &[], (Seen::There, ""));
        check(37, &[], (Seen::There, ""));
        check(38, &[], (Seen::NoLine, "it has 34 lines"));
        check(2, &["fn parse(input: &str)"], (Seen::There, ""));
        check(30, &["parse()"], (Seen::There, ""));
        check(30, &["fn parse(text: &str)"], (Seen::NoWords, "there stands ``"));
        check(2, &["check_signature(key)", "nowhere"], (Seen::NoWords, "there stands `one();`"));
        check(2, &["nowhere", "one()"], (Seen::There, ""));
        check(2, &["ONE ();"], (Seen::There, ""));
    }

    #[test]
    fn most_words_of_code_in_a_sentence_stand_in_the_file() {
        let text = "def test_groups(self):\n    self.assertEqual(window([1, 2], 2), [[1, 2]])\n";
        let check = |mentions: &[&str], expected: Seen| {
            let mentions = mentions.iter().map(ToString::to_string).collect();
            let place = Place { line: Some(1), is_prose: true, mentions, ..Place::default() };
            assert_eq!(look(text, &place).0, expected, "{place:?}");
        };
        check(&[], Seen::There);
        check(&["window"], Seen::There);
        check(&["window", "ValueError"], Seen::NoWords);
        check(&["window", "test_groups", "ValueError"], Seen::There);
        check(&["check_user"], Seen::NoWords);
    }

    #[test]
    fn a_file_may_be_named_by_its_end_or_with_a_folder_too_many() {
        let files = ["src/auth/login.rs", "src/login.rs", "web/login.ts", "main.rs"];
        let check = |named: &str, expected: &[&str]| {
            assert_eq!(meant(files.into_iter(), named), expected, "{named}");
        };
        check("login.rs", &["src/auth/login.rs", "src/login.rs"]);
        check("auth/login.rs", &["src/auth/login.rs"]);
        check("way/src/login.rs", &["src/login.rs"]);
        check("ogin.rs", &[]);
        check("other/main.rs", &[]);
    }
}
