//! Shows that nothing of a run goes on after its end. Whatever a run starts has the project's home in its environment.

use super::project::{Project, soon};

/// The processes that have the home of this project, without those that are dead and wait for their parent.
pub(crate) fn of(project: &Project) -> Vec<String> {
    let home = format!("HOME={}", project.around().display());
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let has_home = |id: &u32| {
        let variables = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes())
    };
    let words = |id: u32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        format!("{id} {}", String::from_utf8_lossy(&line).replace('\0', " "))
    };
    ids.filter(has_home).map(words).collect()
}

pub(crate) fn assert_none(project: &Project) {
    let mut left = Vec::new();
    soon("the end of every process of the run", || {
        left = of(project);
        left.is_empty()
    });
    assert!(left.is_empty(), "{left:?}");
}
