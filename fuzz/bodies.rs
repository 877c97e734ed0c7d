//! What each fuzz target does with a text. Shared by the targets and by the test that replays the seeds on stable Rust.

use autopilot_core::finding::Severity;
use autopilot_core::{
    commands, config, convert, limits, outlook, plan, project, requirement_id, requirements,
    roadmap, selection, settings, spec, test_counts,
};

type Body = fn(&str);

/// Name and body of every target.
pub(crate) const TARGETS: [(&str, Body); 8] = [
    ("roadmap", read_roadmap),
    ("requirements", read_requirements),
    ("plan", read_plan),
    ("config", read_config),
    ("commands", detect_commands),
    ("convert", convert_and_read_back),
    ("selection", select),
    ("test_counts", count_tests),
];

/// Runs the body of the target with this name.
pub(crate) fn run(name: &str, text: &str) {
    if let Some((_, body)) = TARGETS.iter().find(|(target, _)| *target == name) {
        body(text);
    }
}

/// Reading is the same each time, and the schedule of what was read is made or refused.
fn read_roadmap(text: &str) {
    let (read, findings) = roadmap::read("ROADMAP.md", text);
    assert_eq!(roadmap::read("ROADMAP.md", text), (read.clone(), findings.clone()));
    assert!(
        !read.phases.is_empty()
            || findings.iter().any(|finding| finding.severity == Severity::Error)
    );
    let project = project::Project { roadmap: read, findings, ..Default::default() };
    let (settings, _) = settings::settle(&[]);
    let _ = outlook::make(&project, &Default::default(), &settings);
}

fn read_requirements(text: &str) {
    let (read, _) = requirements::read("REQUIREMENTS.md", text);
    assert!(read.list.iter().all(|requirement| text.contains(&requirement.id)));
    let _ = spec::content_hash(text);
}

fn read_plan(text: &str) {
    let (read, _) = plan::read("PLAN.md", text);
    assert!(read.tasks.iter().all(|task| task.line >= 1));
    let _ = plan::file_name::plan_of_file(text);
    let _ = plan::file_name::phase_of_folder(text);
}

/// What is no JSON object is an error, and nothing else is.
fn read_config(text: &str) {
    let (_, findings) = config::read("config.json", text);
    let is_error = findings.iter().any(|finding| finding.severity == Severity::Error);
    let json = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let is_object =
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(json).is_ok();
    assert_eq!(is_error, !is_object);
}

fn detect_commands(text: &str) {
    for name in commands::MANIFESTS {
        let texts = [(name.to_string(), text.to_string())].into_iter().collect();
        let manifests = commands::Manifests { texts, present: vec!["tests".to_string()] };
        let _ = commands::settle("config.json", &Default::default(), &manifests);
    }
}

/// What is written of a draft reads back with as many phases.
fn convert_and_read_back(text: &str) {
    let (draft, _) = convert::convert("tasks.md", text);
    let written = convert::roadmap_text(&draft, "tasks.md");
    let (read, _) = roadmap::read("ROADMAP.md", &written);
    assert_eq!(read.phases.len(), draft.phases.len());
    let _ = convert::requirements_text(&draft, "tasks.md");
}

fn select(text: &str) {
    let phases = "### Phase 1: A\n### Phase 2.1: B\n**Depends on**: Phase 1\n### Phase PROJ-3: C\n### Phase 999.1: D\n";
    let (read, _) = roadmap::read("ROADMAP.md", phases);
    let request = selection::Request { phases: vec![text.to_string()], ..Default::default() };
    let project = project::Project { roadmap: read, ..Default::default() };
    let _ = selection::select(&project, &request);
    let _ = roadmap::depends_on::read(text);
    let _ = requirement_id::ids_in(text);
}

/// Counting is the same each time and line by line, and names are kept in their bounds.
fn count_tests(text: &str) {
    let counts = test_counts::TestCounter::read(text.as_bytes());
    assert_eq!(test_counts::TestCounter::read(text.as_bytes()), counts);
    let names = counts.map(|counts| counts.failed_names).unwrap_or_default();
    assert!(names.iter().map(String::len).sum::<usize>() <= limits::TEST_NAMES_BYTES_MAX);
}
