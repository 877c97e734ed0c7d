//! `autopilot worktrees`: what stands in the state folder for this project, and the end of it.

use std::path::Path;

use autopilot_core::documents::worktrees::{
    KeptDocument, RemovedDocument, TreeDocument, TreeWord, WorktreesCleanDocument,
    WorktreesDocument,
};
use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_engine::start::Wish;
use autopilot_engine::worktrees::{self, Cleaned, Tree, TreeKind};

use super::run::means;
use crate::arguments::{WorktreesArguments, WorktreesCommand};
use crate::output::{BOLD, DIM, Output, WARNING, styled};
use crate::problem_text::{Form, refuse};
use crate::table::{Align, Cell, Column, render};

pub(super) fn run(
    root: &Path,
    arguments: &WorktreesArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    let shown = match arguments.command {
        None | Some(WorktreesCommand::List) => list(root, form, output),
        Some(WorktreesCommand::Clean { caches }) => clean(root, caches, form, output),
    };
    match shown {
        Ok(()) => Exit::Success,
        Err(problem) => refuse(&problem, &[], form, output),
    }
}

fn list(root: &Path, form: Form, output: &mut Output) -> Result<(), Problem> {
    let (folder, trees) = worktrees::list(root, &means()?)?;
    match form {
        Form::Json => output.document(&WorktreesDocument {
            folder: folder.display().to_string(),
            trees: trees.iter().map(of_tree).collect(),
        }),
        Form::Text if trees.is_empty() => {
            output.say_wrapped(&format!("nothing stands in {}", folder.display()));
        }
        Form::Text => {
            output.say(&styled(DIM, folder.display()));
            for line in table(&trees, output.width()) {
                output.say(&line);
            }
            output.say("");
            let text = "Take away what no run uses: autopilot worktrees clean";
            output.say_wrapped(text);
        }
    }
    Ok(())
}

fn table(trees: &[Tree], width: usize) -> Vec<String> {
    let column = |title, align, least, from| Column { title, align, least, from };
    let columns = [
        column("name", Align::Left, None, 0),
        column("for", Align::Left, Some(6), 60),
        column("size", Align::Right, None, 0),
        column("stands on", Align::Left, Some(9), 0),
        column("uncommitted", Align::Right, None, 0),
        column("unmerged", Align::Right, None, 0),
    ];
    let rows = trees.iter().map(|tree| {
        let at = tree.commit.as_ref().map(|commit| commit.as_str().get(..8).unwrap_or_default());
        let branch = tree.branch.clone().or_else(|| at.map(ToString::to_string));
        let count = |count: usize| match count {
            0 => Cell::plain("-"),
            count => Cell::styled(WARNING, count.to_string()),
        };
        vec![
            Cell::styled(BOLD, tree.name.clone()),
            Cell::plain(words(tree.kind)),
            Cell::plain(sized(tree)),
            Cell::plain(branch.unwrap_or_else(|| "-".to_string())),
            count(tree.uncommitted),
            count(tree.unmerged),
        ]
    });
    render(&columns, rows.collect(), width)
}

fn clean(root: &Path, caches: bool, form: Form, output: &mut Output) -> Result<(), Problem> {
    let wish = Wish { command: "autopilot worktrees clean".to_string(), ..Wish::default() };
    let cleaned = worktrees::clean(root, caches, &wish, &means()?)?;
    if form == Form::Json {
        output.document(&cleaned_document(&cleaned));
        return Ok(());
    }
    if cleaned.is_empty() {
        output.say("nothing stands there");
    }
    for one in &cleaned {
        match one {
            Cleaned::Removed { tree, rescues } => {
                output.say_wrapped(&format!("{} removed, {}", tree.name, sized(tree)));
                for rescue in rescues {
                    output.say_wrapped(&format!(
                        "  what it held is kept under {rescue}; look at it: git show --stat {rescue}"
                    ));
                }
            }
            Cleaned::Kept { tree, why } => {
                output.say_wrapped(&format!("{} stays: {why}", tree.name));
            }
        }
    }
    Ok(())
}

fn of_tree(tree: &Tree) -> TreeDocument {
    TreeDocument {
        name: tree.name.clone(),
        kind: match tree.kind {
            TreeKind::Slot => TreeWord::Slot,
            TreeKind::Proof => TreeWord::Proof,
            TreeKind::Prove => TreeWord::Prove,
            TreeKind::Cache => TreeWord::Cache,
            TreeKind::ThrownAway => TreeWord::ThrownAway,
            TreeKind::Other => TreeWord::Other,
        },
        path: tree.path.display().to_string(),
        bytes: tree.bytes,
        branch: tree.branch.clone(),
        commit: tree.commit.as_ref().map(ToString::to_string),
        uncommitted: tree.uncommitted as u64,
        unmerged: tree.unmerged as u64,
        in_use: tree.in_use.clone(),
    }
}

fn cleaned_document(cleaned: &[Cleaned]) -> WorktreesCleanDocument {
    let mut document = WorktreesCleanDocument { removed: Vec::new(), kept: Vec::new() };
    for one in cleaned {
        match one {
            Cleaned::Removed { tree, rescues } => document.removed.push(RemovedDocument {
                name: tree.name.clone(),
                path: tree.path.display().to_string(),
                bytes: tree.bytes,
                rescues: rescues.clone(),
            }),
            Cleaned::Kept { tree, why } => document.kept.push(KeptDocument {
                name: tree.name.clone(),
                path: tree.path.display().to_string(),
                why: why.clone(),
            }),
        }
    }
    document
}

fn words(kind: TreeKind) -> &'static str {
    match kind {
        TreeKind::Slot => "agents",
        TreeKind::Proof => "checks",
        TreeKind::Prove => "prove",
        TreeKind::Cache => "caches",
        TreeKind::ThrownAway => "thrown away",
        TreeKind::Other => "not ours",
    }
}

/// `0 B`, `12 kB`, `3.4 MB`, `1.2 GB`; one that was too large to count is at least that.
fn sized(tree: &Tree) -> String {
    let more = if tree.is_larger { "over " } else { "" };
    let bytes = tree.bytes;
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..=999 => format!("{more}{bytes} B"),
        1_000..=999_999 => format!("{more}{} kB", bytes / 1_000),
        1_000_000..=999_999_999 => format!("{more}{} MB", tenths(1_000_000)),
        _ => format!("{more}{} GB", tenths(1_000_000_000)),
    }
}
