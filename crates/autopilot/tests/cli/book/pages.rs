//! The pages of the book as they lie in `docs/`, and what is to be tried of them: blocks of commands and blocks of output, each with the
//! stage it is played on.

use std::fs;
use std::path::{Path, PathBuf};

pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

pub(super) fn text(page: &str) -> String {
    fs::read_to_string(folder().join(page)).unwrap_or_else(|error| panic!("docs/{page}: {error}"))
}

pub(super) fn is_rewriting() -> bool {
    std::env::var_os("AUTOPILOT_REWRITE").is_some()
}

/// Compares a page with what it should be, or writes it where that is asked for.
pub(super) fn settle(page: &str, expected: &str) {
    if is_rewriting() && text(page) != expected {
        fs::write(folder().join(page), expected).unwrap();
    }
    assert!(text(page) == expected, "docs/{page} is not up to date: cargo xtask book");
}

/// The pages SUMMARY.md lists, in its order.
pub(super) fn listed() -> Vec<String> {
    let summary = text("SUMMARY.md");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(page, _)| page.to_string()).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Commands to type.
    Commands,
    /// Something printed, or a picture of something.
    Text,
}

#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) page: String,
    pub(super) kind: Kind,
    /// Lines without the fences, each with its end.
    pub(super) text: String,
    /// What the last `<!-- stage: NAME -->` above it names.
    pub(super) stage: Option<String>,
    /// `<!-- stage: NAME, in order -->`: the commands follow each other instead of standing side by side.
    pub(super) is_in_order: bool,
}

/// The blocks of a page that are fenced as `sh` or `text`.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let whole = text(page);
    let mut found = Vec::new();
    let (mut stage, mut is_in_order) = (None, false);
    let mut lines = whole.lines();
    while let Some(line) = lines.next() {
        if let Some(named) = line.strip_prefix("<!-- stage: ") {
            let named = named.trim_end_matches(" -->");
            is_in_order = named.ends_with(", in order");
            stage = Some(named.trim_end_matches(", in order").to_string());
        }
        let Some(language) = line.strip_prefix("```") else { continue };
        assert!(!language.is_empty(), "docs/{page}: a block that does not say what it is");
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let kind = match language {
            "sh" => Kind::Commands,
            "text" => Kind::Text,
            _ => continue,
        };
        let text: String = inside.iter().map(|line| format!("{line}\n")).collect();
        let page = page.to_string();
        found.push(Block { page, kind, text, stage: stage.clone(), is_in_order });
    }
    found
}

impl Block {
    /// The command lines without their remarks; a line that ends with a backslash goes on.
    pub(super) fn commands(&self) -> Vec<String> {
        let joined = self.text.replace("\\\n", " ");
        let plain = joined.lines().map(|line| line.split(" # ").next().unwrap_or(line).trim());
        let is_command = |line: &&str| !line.is_empty() && !line.starts_with('#');
        plain.filter(is_command).map(str::to_string).collect()
    }

    /// The command after the `$ ` of its first line, and what is shown below it.
    pub(super) fn screen(&self) -> Option<(&str, &str)> {
        self.text.strip_prefix("$ ")?.split_once('\n')
    }
}
