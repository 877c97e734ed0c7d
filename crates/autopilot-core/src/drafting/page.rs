//! The page of a drafted project: what it is, what it keeps to, what was decided. Agents read it before they work; the commands are added
//! by whoever knows them.

use super::{Drafting, Idea};
use crate::convert::safe_text;
use crate::limits;

/// PROJECT.md without its commands.
pub(super) fn text(drafting: &Drafting, idea: &Idea) -> String {
    let mut text = format!(
        "# {}\n\n{}\n",
        safe_text::name(&drafting.title),
        safe_text::block(&drafting.summary)
    );
    let sections = [
        ("Constraints", &drafting.constraints),
        ("Out of scope", &drafting.out_of_scope),
        ("Decisions", &drafting.decisions),
    ];
    for (title, sentences) in sections {
        let lines: Vec<String> = sentences
            .iter()
            .map(|sentence| safe_text::inline(sentence))
            .filter(|sentence| !sentence.is_empty())
            .map(|sentence| format!("- {sentence}\n"))
            .collect();
        if !lines.is_empty() {
            text.push_str(&format!("\n## {title}\n\n{}", lines.concat()));
        }
    }
    text.push_str(&format!("\n## Source\n\n{}\n", source(idea)));
    text
}

/// A file is there to be read; what was only typed is kept in its own words.
fn source(idea: &Idea) -> String {
    match idea {
        Idea::File { name, .. } => format!("Drafted from {}.", safe_text::inline(name)),
        Idea::Words(words) => {
            let words =
                safe_text::cut(&safe_text::one_line(words), limits::DRAFTING_TEXT_CHARS_MAX);
            format!("Drafted from this idea:\n\n> {}", safe_text::inline(&words))
        }
    }
}
