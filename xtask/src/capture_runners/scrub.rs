//! Takes out of a runner's output what tells of the machine it ran on. What is left over is an error, not a committed file.

use std::path::Path;

use anyhow::{Result, bail};
use autopilot_testkit::cache_folder::cache_folder;

use crate::program::{answer, program};

pub(super) fn scrub(text: &str, scratch: &Path, project: &Path) -> Result<String> {
    let mut text = text.to_string();
    let home = std::env::var("HOME").unwrap_or_default();
    let cache = cache_folder().unwrap_or_default().display().to_string();
    // The longer ones first: they begin with the others.
    let places = [
        (project.display().to_string(), "/project"),
        (scratch.display().to_string(), "/scratch"),
        (cache, "/tools"),
        (home.clone(), "/user"),
    ];
    for (place, neutral) in &places {
        // A relative TMPDIR or a missing HOME would replace everything.
        if place.len() > 1 {
            text = text.replace(place.as_str(), neutral);
        }
    }
    let host = answer(&mut program("hostname")).unwrap_or_default();
    text = text.replace(&format!("hostname=\"{host}\""), "hostname=\"host\"");
    let temporary = std::env::temp_dir().display().to_string();
    for left in [home, temporary, host, "https://registry".into(), "pypi".into()] {
        if left.len() > 3 && text.contains(&left) {
            bail!("`{left}` is left in what was printed:\n{text}");
        }
    }
    Ok(text)
}
