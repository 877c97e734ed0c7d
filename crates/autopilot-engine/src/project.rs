//! Finds the project a user means and reads its planning files into a `Project`. Reading is all: the rules are in core.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use autopilot_core::commands::{self, MANIFESTS, MARKERS, Manifests};
use autopilot_core::config::{self, Config};
use autopilot_core::finding::{Finding, Place, Severity};
use autopilot_core::limits;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::plan::file_name;
use autopilot_core::problem::Problem;
use autopilot_core::project::{PlanFile, Project, read_plans};
use autopilot_core::requirements;
use autopilot_core::roadmap::{self, Roadmap};
use autopilot_core::run::gate_definitions::DefinitionLock;
pub use autopilot_core::run::gate_definitions::{CONFIG, REQUIREMENTS};
use autopilot_core::spec::{self, Spec};

use crate::files::{self, FileError};

mod by_two;

const ROADMAPS: [&str; 2] = [".planning/ROADMAP.md", "ROADMAP.md"];
/// Folders above the current one that are looked at.
const LEVELS_MAX: usize = 64;

/// The nearest folder upward with a `.planning/`; else the top of the git repository; else the folder itself.
pub fn root_of(start: &Path) -> PathBuf {
    let upward = || start.ancestors().take(LEVELS_MAX);
    let planned = upward().find(|folder| folder.join(".planning").is_dir());
    let repository = || upward().find(|folder| folder.join(".git").exists());
    planned.or_else(repository).unwrap_or(start).to_path_buf()
}

/// Where the roadmap is: `.planning/ROADMAP.md`, else `ROADMAP.md` (INV-4).
pub fn roadmap_path(root: &Path) -> Option<&'static str> {
    // A broken link is still the user's roadmap; saying so is better than quietly taking another file.
    // So is one whose folder may not be looked into.
    let is_there = |path: &&str| match root.join(path).symlink_metadata() {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
    };
    ROADMAPS.into_iter().find(is_there)
}

/// The roadmap as it lies on disk. A `Project` borrows its words from here.
#[derive(Debug)]
pub struct RoadmapFile {
    path: &'static str,
    text: String,
}

impl RoadmapFile {
    fn as_spec(&self) -> SpecText<'_> {
        SpecText { path: self.path.to_string(), text: Cow::Borrowed(&self.text) }
    }
}

/// Reads the one file no project can do without.
pub fn open(root: &Path) -> Result<RoadmapFile, Problem> {
    let Some(path) = roadmap_path(root) else { return Err(no_roadmap(root)) };
    let why =
        "the roadmap says what there is to do; without it there is nothing autopilot could run";
    let text = files::read_text(&root.join(path)).map_err(|error| error.problem(path, why))?;
    Ok(RoadmapFile { path, text })
}

/// Reads the roadmap and everything beside it. What is wrong with the other files is among the findings.
pub fn read<'t>(root: &Path, file: &'t RoadmapFile) -> Project<'t> {
    let (beside, spec) = read_beside(root);
    let project = put_together(root, roadmap::read(file.path, &file.text), beside);
    let spec = spec.unwrap_or_else(|| file.as_spec());
    Project { spec: Some(spec.hashed()), ..project }
}

/// Opens the roadmap, which then lies in `file`, reads everything and makes something of it. Its spec is hashed meanwhile and
/// `None` until `make` is done. `look` is for what needs no more than the settings; it may run beside the reading.
pub fn open_and<'t, L: Send, R>(
    root: &Path,
    file: &'t OnceLock<RoadmapFile>,
    look: impl FnOnce(&Config) -> L + Send,
    make: impl FnOnce(&mut Project<'t>, L) -> R,
) -> Result<(Project<'t>, R), Problem> {
    let size = roadmap_path(root).and_then(|path| root.join(path).metadata().ok());
    if let Some(bytes) = size.map(|seen| seen.len()).filter(|bytes| *bytes >= by_two::BYTES_MIN) {
        return by_two::open_and(root, bytes, file, look, make);
    }
    let opened = open(root)?;
    let mut project = read(root, file.get_or_init(|| opened));
    let spec = project.spec.take();
    let looked = look(&project.config);
    let made = make(&mut project, looked);
    Ok((Project { spec, ..project }, made))
}

/// What somebody is told to begin with where no run has begun: without a roadmap there is no next phase.
pub fn first_step(root: &Path) -> &'static str {
    match roadmap_path(root) {
        Some(_) => "start one: autopilot run next",
        None => "start one: autopilot do \"TASK\"",
    }
}

/// A project whose roadmap is in no file: what else there is, without what only matters to the phases of the user's own.
pub fn read_with<'t>(root: &Path, roadmap: Roadmap<'t>) -> Project<'t> {
    let (beside, spec) = read_beside(root);
    Project { roadmap, plans: Default::default(), spec: spec.map(|spec| spec.hashed()), ..beside }
}

fn put_together<'t>(root: &Path, roadmap: ReadRoadmap<'t>, beside: Project<'t>) -> Project<'t> {
    let (roadmap, mut findings) = roadmap;
    let mut project = Project { roadmap, ..beside };
    findings.append(&mut project.findings);
    if project.has_unknown_dependencies() {
        project.archived = archived(root, &mut findings);
    }
    project.findings = each_once(findings);
    project.compare_files();
    project
}

/// What a run is held to, as it is now (CHECK-19). Read once more, for whoever only looks at a plan needs none of it.
pub fn locks(root: &Path, project: &Project<'_>) -> Vec<DefinitionLock> {
    let spec = project.spec.as_ref().map(|spec| spec.path.as_str());
    let plans = project.plans.values().flatten().map(|plan| plan.plan.file.as_str());
    let roadmap = roadmap_path(root);
    let mut paths: Vec<&str> = spec.into_iter().chain([REQUIREMENTS, CONFIG]).collect();
    paths.dedup();
    let others = paths.into_iter().filter(|path| Some(*path) != roadmap).chain(plans);
    let read = roadmap.into_iter().chain(others).filter_map(|path| {
        let text = files::read_text(&root.join(path)).ok()?;
        Some(DefinitionLock::of(path, &text))
    });
    read.collect()
}

type ReadRoadmap<'t> = (Roadmap<'t>, Vec<Finding>);

/// The text a run is held to, before it is hashed.
struct SpecText<'t> {
    path: String,
    text: Cow<'t, str>,
}

impl SpecText<'_> {
    fn hashed(&self) -> Spec {
        Spec::of(&self.path, &self.text)
    }
}

/// A project without its roadmap and its spec: everything that is read from other files. Without a spec of its own, the
/// roadmap is it.
fn read_beside<'p, 't>(root: &Path) -> (Project<'p>, Option<SpecText<'t>>) {
    let mut findings = Vec::new();
    let config = read_config(root, &mut findings);
    let spec = read_spec(root, &config, &mut findings);
    let requirements = read_requirements(root, &mut findings);
    let (commands, found) =
        commands::settle(CONFIG, &config.project, &read_manifests(root, &mut findings));
    findings.extend(found);
    let (plans, found) = read_plans(&plan_files(root, &mut findings));
    findings.extend(found);
    let project = Project {
        name: root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        requirements,
        commands,
        plans,
        config,
        findings,
        ..Project::default()
    };
    (project, spec)
}

/// A file that serves as spec and as requirements is read twice; what is wrong with it is said once.
fn each_once(findings: Vec<Finding>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    findings
        .into_iter()
        .filter(|finding| seen.insert((finding.place.clone(), finding.message.clone())))
        .collect()
}

fn no_roadmap(root: &Path) -> Problem {
    Problem::usage(
        format!("there is no roadmap in {}", root.display()),
        "autopilot works through a roadmap, phase by phase; without one it has nothing to do",
        "do one thing without one: autopilot do \"task\"; draft one from an idea: autopilot new \"what you want\"; make one from what you have: autopilot init --from FILE (a prd.json, a plan, a task list); or write .planning/ROADMAP.md",
    )
}

/// The text of a file that may be absent; anything else that keeps it from being read is reported.
fn optional(
    root: &Path,
    file: &str,
    severity: Severity,
    findings: &mut Vec<Finding>,
) -> Option<String> {
    match files::read_text(&root.join(file)) {
        Ok(text) => Some(text),
        Err(FileError::Absent) => None,
        Err(error) => {
            findings.push(error.finding(file, severity));
            None
        }
    }
}

pub fn read_config(root: &Path, findings: &mut Vec<Finding>) -> Config {
    // Settings that cannot be read must not be replaced by guesses, so this is an error and stops a run.
    let Some(text) = optional(root, CONFIG, Severity::Error, findings) else {
        return Config::default();
    };
    let (config, found) = config::read(CONFIG, &text);
    findings.extend(found);
    config
}

fn read_requirements(
    root: &Path,
    findings: &mut Vec<Finding>,
) -> Option<requirements::Requirements> {
    let text = optional(root, REQUIREMENTS, Severity::Error, findings)?;
    let (read, found) = requirements::read(REQUIREMENTS, &text);
    findings.extend(found);
    Some(read)
}

/// The first of the configured paths that exists, else of the usual ones.
fn read_spec<'t>(
    root: &Path,
    config: &Config,
    findings: &mut Vec<Finding>,
) -> Option<SpecText<'t>> {
    let mut configured = Vec::new();
    for path in &config.project.spec_paths {
        if stays_inside(path) {
            configured.push(path.as_str());
        } else {
            let message =
                format!("project.spec_paths: {path} leads out of the project and is not read");
            findings.push(Finding {
                severity: Severity::Warning,
                place: Place::file(CONFIG),
                message,
            });
        }
    }
    for path in configured.iter().copied().chain(spec::DEFAULT_PATHS) {
        if let Some(text) = optional(root, path, Severity::Error, findings) {
            return Some(SpecText { path: path.to_string(), text: Cow::Owned(text) });
        }
        if configured.last() == Some(&path) {
            let message =
                "project.spec_paths: none of these files exists; the usual ones are tried"
                    .to_string();
            findings.push(Finding {
                severity: Severity::Warning,
                place: Place::file(CONFIG),
                message,
            });
        }
    }
    None
}

fn stays_inside(path: &str) -> bool {
    let is_plain =
        |component: Component<'_>| matches!(component, Component::Normal(_) | Component::CurDir);
    Path::new(path).components().all(is_plain)
}

/// What commands are detected from, in the project's root.
pub fn read_manifests(root: &Path, findings: &mut Vec<Finding>) -> Manifests {
    let mut manifests = Manifests::default();
    for name in MANIFESTS {
        if let Some(text) = optional(root, name, Severity::Warning, findings) {
            manifests.texts.insert(name.to_string(), text);
        }
    }
    let present = MARKERS.into_iter().filter(|name| root.join(name).exists());
    manifests.present.extend(present.map(str::to_string));
    manifests
}

/// Every plan in `.planning/phases/NN-slug/` and in its `plans/`.
fn plan_files(root: &Path, findings: &mut Vec<Finding>) -> Vec<PlanFile> {
    let mut plans = Vec::new();
    let mut bytes = 0u64;
    for folder in names(root, ".planning/phases", findings) {
        if file_name::phase_of_folder(&folder).is_none() {
            continue;
        }
        for below in
            [format!(".planning/phases/{folder}"), format!(".planning/phases/{folder}/plans")]
        {
            for name in names(root, &below, findings) {
                if file_name::plan_of_file(&name).is_none() || plans.len() >= limits::PLANS_MAX {
                    continue;
                }
                let path = format!("{below}/{name}");
                let Some(text) = optional(root, &path, Severity::Warning, findings) else {
                    continue;
                };
                bytes += text.len() as u64;
                if bytes > limits::PLAN_BYTES_TOTAL_MAX {
                    let message = "the plans of this project are too large to read together; the rest is not read".to_string();
                    findings.push(Finding {
                        severity: Severity::Error,
                        place: Place::file(path),
                        message,
                    });
                    return plans;
                }
                plans.push(PlanFile { folder: folder.clone(), name, path, text });
            }
        }
    }
    plans
}

fn names(root: &Path, folder: &str, findings: &mut Vec<Finding>) -> Vec<String> {
    match files::names_in(&root.join(folder)) {
        Ok(names) => names,
        Err(error) => {
            findings.push(error.finding(folder, Severity::Warning));
            Vec::new()
        }
    }
}

/// The phases of finished milestones: in their roadmaps and in the names of their folders.
fn archived(root: &Path, findings: &mut Vec<Finding>) -> BTreeSet<PhaseId> {
    const FOLDER: &str = ".planning/milestones";
    let mut ids = BTreeSet::new();
    for name in names(root, FOLDER, findings) {
        let path = format!("{FOLDER}/{name}");
        if root.join(&path).is_dir() {
            ids.extend(
                names(root, &path, findings)
                    .iter()
                    .filter_map(|folder| file_name::phase_of_folder(folder)),
            );
        } else if name.to_ascii_lowercase().ends_with("roadmap.md")
            && let Some(text) = optional(root, &path, Severity::Warning, findings)
        {
            ids.extend(roadmap::read(&path, &text).0.phases.into_iter().map(|phase| phase.id));
        }
    }
    ids
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
