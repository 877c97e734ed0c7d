//! The user's book as it lies in `docs/`: what each page has people type and what it shows, for the tests that do and compare it. Where a
//! line is typed is their business.

use std::path::{Path, PathBuf};
use std::{fs, io};

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

pub fn text(page: &str) -> io::Result<String> {
    let read = fs::read_to_string(folder().join(page));
    read.map_err(|error| io::Error::new(error.kind(), format!("docs/{page}: {error}")))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Commands to type.
    Commands,
    /// Something printed, or a picture of something.
    Text,
}

#[derive(Debug, Clone)]
pub struct Block {
    pub page: String,
    pub kind: Kind,
    /// Lines without the fences, each with its end.
    pub text: String,
    /// What the last `<!-- stage: NAME -->` above it names.
    pub stage: Option<String>,
    /// `<!-- stage: NAME, in order -->`: the commands follow each other instead of standing side by side.
    pub is_in_order: bool,
}

/// The blocks of a page that are fenced as `sh` or `text`.
pub fn blocks(page: &str) -> io::Result<Vec<Block>> {
    let whole = text(page)?;
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
    Ok(found)
}

/// The line itself, for whoever types it, as long as the page has people type exactly that.
pub fn line<'a>(page: &str, line: &'a str) -> io::Result<&'a str> {
    let blocks = blocks(page)?.into_iter().filter(|block| block.kind == Kind::Commands);
    match blocks.flat_map(|block| block.commands()).any(|command| command == line) {
        true => Ok(line),
        false => Err(io::Error::other(format!("docs/{page} has nobody type `{line}`"))),
    }
}

impl Block {
    /// The command lines without their remarks; a line that ends with a backslash goes on.
    pub fn commands(&self) -> Vec<String> {
        let joined = self.text.replace("\\\n", " ");
        let plain = joined.lines().map(|line| line.split(" # ").next().unwrap_or(line).trim());
        let is_command = |line: &&str| !line.is_empty() && !line.starts_with('#');
        plain.filter(is_command).map(str::to_string).collect()
    }

    /// The command after the `$ ` of its first line, and what is shown below it.
    pub fn screen(&self) -> Option<(&str, &str)> {
        self.text.strip_prefix("$ ")?.split_once('\n')
    }
}
