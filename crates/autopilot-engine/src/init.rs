//! Makes `.planning/` for a project that has none: what would be written is prepared and read back with our own readers first,
//! then written, never over a file that is there.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use autopilot_core::commands::{self, Commands, Slot};
use autopilot_core::config::ProjectConfig;
use autopilot_core::convert::{self, Draft};
use autopilot_core::finding::{Finding, Severity};
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::{limits, markdown, outlook, roadmap, selection, settings};
use serde_json::{Map, Value, json};

use crate::doctor::Tried;
use crate::files;
use crate::project;

/// What the source and the project's manifests tell, before anything is written.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub draft: Option<Draft>,
    source_name: String,
    /// PROJECT.md without its commands, where somebody else wrote it.
    page: Option<String>,
    pub commands: Commands,
    pub findings: Vec<Finding>,
}

impl Prepared {
    /// A draft that an agent made, and its page; whoever calls has read it back.
    pub(crate) fn use_draft(&mut self, draft: &Draft, source_name: &str, page: &str) {
        self.draft = Some(draft.clone());
        self.source_name = source_name.to_string();
        self.page = Some(page.to_string());
    }
}

/// A detected command and what came of trying it; `None` when it was not tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedCommand {
    pub slot: Slot,
    pub line: String,
    pub source: String,
    pub tried: Option<Tried>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub new: Vec<String>,
    /// Files that were there before.
    pub kept: Vec<String>,
}

const PROJECT: &str = ".planning/PROJECT.md";
pub(crate) const ROADMAP: &str = ".planning/ROADMAP.md";
/// Characters of the README's first paragraph that go into PROJECT.md.
const ABOUT_CHARS_MAX: usize = 1_200;

/// Reads the source and detects commands. Refuses where a roadmap is already there or the source gives none.
pub fn prepare(
    root: &Path,
    source: Option<&Path>,
) -> Result<Prepared, Box<(Problem, Vec<Finding>)>> {
    if let Some(problem) = unusable_folder(root) {
        return Err(Box::new((problem, Vec::new())));
    }
    let mut findings = Vec::new();
    let config = project::read_config(root, &mut findings);
    let manifests = project::read_manifests(root, &mut findings);
    let (commands, found) =
        commands::settle(project::CONFIG, &ProjectConfig { ..config.project }, &manifests);
    findings.extend(found);
    if let Some(error) = findings.iter().find(|finding| finding.severity == Severity::Error) {
        let problem = Problem::usage(
            error.message.clone(),
            "what init writes stands beside these settings, and nothing can be built on broken ones",
            format!("mend {} and try again", error.place),
        );
        return Err(Box::new((problem.at(error.place.clone()), findings)));
    }
    let mut prepared =
        Prepared { draft: None, source_name: String::new(), page: None, commands, findings };
    let Some(source) = source else { return Ok(prepared) };
    if let Some(existing) = project::roadmap_path(root) {
        let problem = Problem::usage(
            format!("there is a roadmap already: {existing}"),
            "init never overwrites what you have",
            format!(
                "look at it with autopilot plan; or move it away first: mv {existing} {existing}.old"
            ),
        );
        return Err(Box::new((problem, Vec::new())));
    }
    prepared.source_name = shown_name(root, source);
    let name = prepared.source_name.clone();
    let why = "the roadmap is made of what stands in it";
    let text = files::read_text(source)
        .map_err(|error| Box::new((error.problem(&name, why), Vec::new())))?;
    let (draft, found) = convert::convert(&name, &text);
    prepared.findings.extend(found.into_list());
    if draft.phases.is_empty() {
        let first = prepared.findings.iter().find(|finding| finding.severity == Severity::Error);
        let what =
            first.map_or("nothing in it reads as a phase", |finding| finding.message.as_str());
        let problem = Problem::usage(
            format!("{name} gives no roadmap: {what}"),
            "init converts what is there and makes nothing up",
            "use a file with user stories, tasks or a check-list; autopilot init --help names the forms",
        );
        return Err(Box::new((problem, prepared.findings)));
    }
    read_back(&draft, &name).map_err(|problem| Box::new((problem, prepared.findings.clone())))?;
    prepared.draft = Some(draft);
    Ok(prepared)
}

/// `.planning` must be a folder of the project itself, or not there yet.
fn unusable_folder(root: &Path) -> Option<Problem> {
    let kind = root.join(".planning").symlink_metadata().ok()?.file_type();
    let what = match kind {
        kind if kind.is_dir() => return None,
        kind if kind.is_symlink() => ".planning is a symbolic link",
        _ => ".planning is a file, not a folder",
    };
    Some(Problem::usage(
        what,
        "init writes only into the project's own folder and never over what is there",
        "move it away first: mv .planning planning.old",
    ))
}

pub(crate) fn shown_name(root: &Path, source: &Path) -> String {
    let below = source.strip_prefix(root).ok().or_else(|| source.file_name().map(Path::new));
    let name = below.filter(|below| !below.as_os_str().is_empty()).unwrap_or(source);
    name.display().to_string()
}

/// What is about to be written must be a project `plan` accepts.
fn read_back(draft: &Draft, source: &str) -> Result<(), Problem> {
    let texts = [convert::roadmap_text(draft, source), convert::requirements_text(draft, source)];
    if let Some(text) = texts.iter().find(|text| text.len() as u64 > limits::FILE_BYTES_MAX) {
        return Err(Problem::usage(
            format!("{source} would become a file of {} bytes", text.len()),
            format!("planning files of more than {} bytes are not read", limits::FILE_BYTES_MAX),
            "convert a part of it at a time",
        ));
    }
    let (roadmap, findings) = roadmap::read(ROADMAP, &texts[0]);
    let count = roadmap.phases.len();
    let project = Project { roadmap, findings, ..Project::default() };
    let request = selection::Request {
        command: "autopilot plan".to_string(),
        ..selection::Request::default()
    };
    outlook::make(&project, &request, &settings::settle(&[]).0)?;
    if count == draft.phases.len() {
        return Ok(());
    }
    Err(Problem::usage(
        format!(
            "{source} has {} phases, but only {count} of them could be written as a roadmap",
            draft.phases.len()
        ),
        "a roadmap with phases missing would be worse than none",
        "give the phases different, plain names and try again",
    ))
}

/// What would be written, path and text.
pub(crate) fn files(
    root: &Path,
    prepared: &Prepared,
    tried: &[TriedCommand],
) -> Vec<(&'static str, String)> {
    let mut files =
        vec![(project::CONFIG, config_text(tried)), (PROJECT, project_text(root, prepared, tried))];
    if let Some(draft) = &prepared.draft {
        files.push((
            project::REQUIREMENTS,
            convert::requirements_text(draft, &prepared.source_name),
        ));
        files.push((ROADMAP, convert::roadmap_text(draft, &prepared.source_name)));
    }
    files
}

/// Writes what is not there yet.
pub fn write(root: &Path, prepared: &Prepared, tried: &[TriedCommand]) -> Result<Written, Problem> {
    let mut written = Written::default();
    for (path, text) in files(root, prepared, tried) {
        match write_new(&root.join(path), &text) {
            Ok(()) => written.new.push(path.to_string()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                written.kept.push(path.to_string())
            }
            Err(error) => {
                return Err(Problem::environment(
                    format!("{path} cannot be written: {error}"),
                    format!(
                        "written so far: {}",
                        if written.new.is_empty() {
                            "nothing".to_string()
                        } else {
                            written.new.join(", ")
                        }
                    ),
                    "make room or give yourself the right to write there, then run the same command again",
                ));
            }
        }
    }
    Ok(written)
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // A file cut short would be taken for the user's own the next time.
        let _ = fs::remove_file(path);
    }
    written
}

/// Commands that could not even start are left out, so that detection finds them again once they can.
fn config_text(tried: &[TriedCommand]) -> String {
    let works = |command: &&TriedCommand| !matches!(command.tried, Some(Tried::CannotStart { .. }));
    let commands: Map<String, Value> = tried
        .iter()
        .filter(works)
        .map(|command| (command.slot.word().to_string(), json!(command.line)))
        .collect();
    let config = json!({ "model_profile": "balanced", "commit_docs": true, "project": { "commands": commands } });
    let mut text = serde_json::to_string_pretty(&config).unwrap_or_default();
    text.push('\n');
    text
}

/// What is known about the project: the opening of its README and the commands. Nothing is invented.
fn project_text(root: &Path, prepared: &Prepared, tried: &[TriedCommand]) -> String {
    if let Some(page) = &prepared.page {
        return format!("{page}\n{}", commands_text(tried));
    }
    let folder =
        root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (title, about) = readme_opening(root);
    let title = title
        .or_else(|| prepared.draft.as_ref().map(|draft| draft.title.clone()))
        .filter(|title| !title.is_empty());
    let mut text = format!("# {}\n\n", title.unwrap_or(folder));
    text.push_str(&about.unwrap_or_else(|| {
        "What this project is for, who uses it and what must never break: agents read it here before they work.".to_string()
    }));
    text.push_str(&format!("\n\n{}", commands_text(tried)));
    if prepared.draft.is_some() {
        text.push_str(&format!(
            "\n## Source\n\nThe roadmap was converted from {}.\n",
            prepared.source_name
        ));
    }
    text
}

fn commands_text(tried: &[TriedCommand]) -> String {
    let mut text = "## Commands\n\n".to_string();
    if tried.is_empty() {
        text.push_str("None was detected. Name them in `config.json` under `project.commands`.\n");
    }
    for command in tried {
        let remark = match command.tried {
            Some(Tried::CannotStart { .. }) => ", could not start when it was tried",
            _ => "",
        };
        let line = format!(
            "- {}: `{}` (from {}{remark})\n",
            command.slot.word(),
            command.line,
            command.source
        );
        text.push_str(&line);
    }
    text
}

fn readme_opening(root: &Path) -> (Option<String>, Option<String>) {
    let names = ["README.md", "Readme.md", "readme.md"];
    let Some(text) = names.iter().find_map(|name| files::read_text(&root.join(name)).ok()) else {
        return (None, None);
    };
    let mut findings = autopilot_core::finding::Findings::of_file("README.md");
    let mut title = None;
    let mut about = String::new();
    for line in markdown::structure(&text, &mut findings).iter().take(limits::FINDINGS_PER_FILE_MAX)
    {
        let trimmed = line.text.trim();
        if let Some(heading) = markdown::heading(line.text) {
            if !about.is_empty() {
                break;
            }
            title = title.or_else(|| Some(heading.text.to_string()));
        } else if trimmed.is_empty() {
            if !about.is_empty() {
                break;
            }
        } else if !trimmed.starts_with(['[', '!', '<', '|', '>'])
            && about.chars().count() < ABOUT_CHARS_MAX
        {
            about.push_str(if about.is_empty() { "" } else { " " });
            about.push_str(trimmed);
        }
    }
    (title, Some(about).filter(|about| !about.is_empty()))
}

#[cfg(test)]
#[path = "init_tests.rs"]
mod tests;
