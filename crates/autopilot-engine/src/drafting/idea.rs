//! What the user typed after `new`: the name of a file, or the idea itself. Refuses what no agent should be paid for.

use std::path::Path;

use autopilot_core::drafting::Idea;
use autopilot_core::finding::quote;
use autopilot_core::limits;
use autopilot_core::problem::Problem;

use crate::{files, init};

const WHY: &str = "the roadmap is drafted from it";
const EXAMPLE: &str =
    "say it in a sentence: autopilot new \"a command that prints the tides of a harbour\"";

/// A file where the words name one, looked for from `start`; else the words themselves.
pub fn read(start: &Path, root: &Path, words: &[String]) -> Result<Idea, Problem> {
    let typed = words.join(" ");
    let typed = typed.trim();
    let path = start.join(typed);
    let idea = if !typed.is_empty() && path.symlink_metadata().is_ok() {
        let name = init::shown_name(root, &path);
        if path.is_dir() {
            let what = format!("{} is a folder", quote(typed));
            return Err(Problem::usage(what, WHY, format!("name a text file in it; or {EXAMPLE}")));
        }
        let text = files::read_text(&path).map_err(|error| error.problem(&name, WHY))?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text).to_string();
        Idea::File { name, text }
    } else {
        Idea::Words(typed.to_string())
    };
    match refused(&idea) {
        None => Ok(idea),
        Some(problem) => Err(problem),
    }
}

fn refused(idea: &Idea) -> Option<Problem> {
    let text = idea.text();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count();
    if text.len() > limits::IDEA_BYTES_MAX {
        return Some(Problem::usage(
            format!(
                "{} has {} bytes; at most {} are taken",
                subject(idea),
                text.len(),
                limits::IDEA_BYTES_MAX
            ),
            "all of it is given to the agent, which has to keep it in mind while it reads your project",
            "leave out what the first milestone does not need, and draft the rest later",
        ));
    }
    if words >= limits::IDEA_WORDS_MIN {
        return None;
    }
    Some(match idea {
        Idea::File { name, .. } => Problem::usage(
            format!("{name} says too little: it has {words} words"),
            WHY,
            "write down what you want to be able to do with the project, in a sentence or a page",
        ),
        Idea::Words(text) if text.is_empty() => {
            Problem::usage("there is no idea", "without one there is nothing to draft", EXAMPLE)
        }
        Idea::Words(text) => Problem::usage(
            format!("{} is no file, and too little for an idea", quote(text)),
            "an agent would have to guess what you want, and you would pay for the guess",
            EXAMPLE,
        ),
    })
}

fn subject(idea: &Idea) -> &str {
    match idea {
        Idea::File { name, .. } => name,
        Idea::Words(_) => "the idea",
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn typed(folder: &Path, words: &[&str]) -> Result<Idea, String> {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        read(folder, folder, &words).map_err(|problem| problem.what)
    }

    #[test]
    fn words_are_an_idea_unless_they_name_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        fs::write(at.join("my notes.md"), "\u{FEFF}A shop for tea.\n").unwrap();
        let words = |text: &str| Ok(Idea::Words(text.into()));
        assert_eq!(typed(at, &["A shop for tea"]), words("A shop for tea"));
        assert_eq!(typed(at, &["A", "shop", "for", "tea"]), words("A shop for tea"));
        let file = Idea::File { name: "my notes.md".into(), text: "A shop for tea.\n".into() };
        assert_eq!(typed(at, &["my notes.md"]), Ok(file.clone()));
        assert_eq!(typed(at, &["my", "notes.md"]), Ok(file));
    }

    #[test]
    fn what_nobody_should_be_paid_for_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        fs::write(at.join("empty.md"), "\n").unwrap();
        fs::write(at.join("bytes.md"), [b'a', 0xff]).unwrap();
        fs::write(at.join("long.md"), "tea ".repeat(limits::IDEA_BYTES_MAX / 4 + 1)).unwrap();
        let check = |words: &[&str], expected: &str| {
            assert_eq!(typed(at, words), Err(expected.to_string()), "{words:?}");
        };
        check(&[""], "there is no idea");
        check(&["tea"], "\"tea\" is no file, and too little for an idea");
        check(&["missing.md"], "\"missing.md\" is no file, and too little for an idea");
        check(&["."], "\".\" is a folder");
        check(&["empty.md"], "empty.md says too little: it has 0 words");
        check(&["bytes.md"], "bytes.md cannot be used: line 1 is not UTF-8 text");
        check(&["long.md"], "long.md has 131076 bytes; at most 131072 are taken");
    }
}
