//! What `init` writes is accepted by `plan`, and nothing that is there is touched.

use std::time::Duration;

use super::*;

fn tried(slot: Slot, line: &str, tried: Tried) -> TriedCommand {
    TriedCommand {
        slot,
        line: line.to_string(),
        source: "Makefile".to_string(),
        tried: Some(tried),
    }
}

#[test]
fn what_is_written_reads_without_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("tasks.md");
    fs::write(&source, "# Shop\n\n## Login\n- [ ] form\n- [ ] session\n\n## Cart\n- [ ] add\n")
        .unwrap();
    fs::write(
        folder.path().join("README.md"),
        "# Shop\n\n[![badge](x)](y)\n\nSells tea.\nAnd pots.\n\n## More\n",
    )
    .unwrap();
    let prepared = prepare(folder.path(), Some(&source)).unwrap();
    let commands = [
        tried(
            Slot::Test,
            "make test",
            Tried::Failed { code: 1, took: Duration::ZERO, tail: Vec::new() },
        ),
        tried(Slot::Lint, "make lint", Tried::CannotStart { why: "no make".to_string() }),
    ];
    let written = write(folder.path(), &prepared, &commands).unwrap();
    assert_eq!(
        written.new,
        [
            ".planning/config.json",
            ".planning/PROJECT.md",
            ".planning/REQUIREMENTS.md",
            ".planning/ROADMAP.md"
        ]
    );
    let file = project::open(folder.path()).unwrap();
    let project = project::read(folder.path(), &file);
    assert_eq!(project.roadmap.phases.len(), 2);
    let errors: Vec<&Finding> =
        project.findings.iter().filter(|finding| finding.severity > Severity::Note).collect();
    assert_eq!(errors, Vec::<&Finding>::new());
    assert_eq!(project.commands.get(Slot::Test).unwrap().line, "make test");
    assert_eq!(project.commands.get(Slot::Lint), None, "what cannot start is not written down");
    let about = fs::read_to_string(folder.path().join(PROJECT)).unwrap();
    assert!(about.starts_with("# Shop\n\nSells tea. And pots.\n"), "{about}");
    let again = write(folder.path(), &prepared, &commands).unwrap();
    assert_eq!((again.new.len(), again.kept.len()), (0, 4));
}

#[test]
fn a_roadmap_that_is_there_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ROADMAP.md"), "mine").unwrap();
    let source = folder.path().join("tasks.md");
    fs::write(&source, "## A\n- [ ] b\n").unwrap();
    let refused = prepare(folder.path(), Some(&source)).unwrap_err();
    assert_eq!(refused.0.what, "there is a roadmap already: ROADMAP.md");
    assert!(prepare(folder.path(), None).is_ok());
}

#[test]
fn a_source_without_phases_is_refused_with_its_findings() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("notes.md");
    fs::write(&source, "just prose\n").unwrap();
    let refused = prepare(folder.path(), Some(&source)).unwrap_err();
    assert!(refused.0.what.starts_with("notes.md gives no roadmap"), "{}", refused.0.what);
    assert!(!refused.1.is_empty());
    let absent = prepare(folder.path(), Some(&folder.path().join("no.md"))).unwrap_err();
    assert_eq!(absent.0.what, "no.md cannot be used: it does not exist");
}
