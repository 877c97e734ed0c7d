//! The projects the readers are measured on: generated ones of four lengths, and real ones where they lie beside the repository.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use autopilot_testkit::generate;

use crate::program::root;

const LENGTHS: [usize; 4] = [10, 100, 1_000, 10_000];
/// How long the one without a check-list is. What it takes is shown, and nothing is expected of it: most roadmaps have a list.
const DETAILS_ONLY: usize = 1_000;
/// Any number does; it only must not change, or figures of two days could not be compared.
const SEED: u64 = 1;
/// Real roadmaps of public projects, kept outside because they are not ours to publish.
const REAL_ROADMAPS: &str = "../shared/corpus/roadmap";

pub(super) struct Project {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    /// How many phases were generated; `None` for one of which nothing is expected.
    pub(super) generated: Option<usize>,
}

pub(super) fn make(inside: &Path) -> Result<Vec<Project>> {
    let mut projects = Vec::new();
    for phases in LENGTHS {
        let name = format!("generated, {phases} phases");
        let folder =
            written(inside, &format!("generated-{phases}"), &generate::roadmap(phases, SEED))?;
        projects.push(Project { name, folder, generated: Some(phases) });
    }
    let details = generate::details_only(&generate::roadmap(DETAILS_ONLY, SEED));
    let folder = written(inside, "details-only", &details)?;
    projects.push(Project {
        name: format!("{DETAILS_ONLY} phases, details only"),
        folder,
        generated: None,
    });
    let real = root().join(REAL_ROADMAPS);
    if !real.is_dir() {
        println!(
            "no real roadmaps: {REAL_ROADMAPS} is not there; only generated ones are measured"
        );
        return Ok(projects);
    }
    let entries = fs::read_dir(&real).with_context(|| real.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let folder = written(inside, &name, &text)?;
        projects.push(Project { name, folder, generated: None });
    }
    Ok(projects)
}

fn written(inside: &Path, name: &str, roadmap: &str) -> Result<PathBuf> {
    let folder = inside.join(name);
    let planning = folder.join(".planning");
    fs::create_dir_all(&planning).with_context(|| planning.display().to_string())?;
    fs::write(planning.join("ROADMAP.md"), roadmap)
        .with_context(|| planning.display().to_string())?;
    Ok(folder)
}
