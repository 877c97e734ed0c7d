//! INV-4 and the reading of a whole project from disk.

use std::fs;

use super::*;

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

const ROADMAP: &str = "### Phase 1: One\n### Phase 2: Two\n**Depends on**: Phase 1\n";

#[test]
fn the_root_is_found_from_below() {
    let folder = project(&[(".planning/ROADMAP.md", ROADMAP), ("src/deep/x", "")]);
    assert_eq!(root_of(&folder.path().join("src/deep")), folder.path());
    let repository = project(&[(".git/HEAD", ""), ("src/x", "")]);
    assert_eq!(root_of(&repository.path().join("src")), repository.path());
}

#[test]
fn the_roadmap_in_planning_wins_over_the_one_at_the_root() {
    let folder = project(&[("ROADMAP.md", ROADMAP)]);
    assert_eq!(open(folder.path()).unwrap().path, "ROADMAP.md");
    fs::create_dir(folder.path().join(".planning")).unwrap();
    fs::write(folder.path().join(".planning/ROADMAP.md"), ROADMAP).unwrap();
    assert_eq!(open(folder.path()).unwrap().path, ".planning/ROADMAP.md");
    let none = project(&[("x", "")]);
    assert!(open(none.path()).unwrap_err().what.starts_with("there is no roadmap in "));
}

#[test]
fn the_spec_is_the_first_that_exists() {
    let check = |files: &[(&str, &str)], expected: &str, findings: usize| {
        let mut all = vec![(".planning/ROADMAP.md", ROADMAP), ("Cargo.toml", "")];
        all.extend(files);
        let folder = project(&all);
        let file = open(folder.path()).unwrap();
        let project = read(folder.path(), &file);
        assert_eq!(project.spec.unwrap().path, expected, "{files:?}");
        assert_eq!(project.findings.len(), findings, "{:?}", project.findings);
    };
    check(&[], ".planning/ROADMAP.md", 0);
    check(&[(".planning/PROJECT.md", "x")], ".planning/PROJECT.md", 0);
    check(
        &[(".planning/PROJECT.md", "x"), (".planning/REQUIREMENTS.md", "x")],
        ".planning/REQUIREMENTS.md",
        0,
    );
    let config = |paths: &str| format!("{{\"project\":{{\"spec_paths\":{paths}}}}}");
    check(
        &[("SPEC.md", "x"), (".planning/config.json", &config("[\"no.md\",\"SPEC.md\"]"))],
        "SPEC.md",
        0,
    );
    check(&[(".planning/config.json", &config("[\"no.md\"]"))], ".planning/ROADMAP.md", 1);
    check(&[(".planning/config.json", &config("[\"../x.md\"]"))], ".planning/ROADMAP.md", 1);
}

#[test]
fn plans_lie_in_the_phase_folder_or_in_its_plans_folder() {
    let task = "<task>\n<name>x</name>\n</task>\n";
    let folder = project(&[
        (".planning/ROADMAP.md", ROADMAP),
        (".planning/phases/01-one/01-01-PLAN.md", task),
        (".planning/phases/01-one/01-RESEARCH.md", task),
        (".planning/phases/02-two/plans/PLAN-01-x.md", task),
        (".planning/phases/02-two/plans/PLAN-02-y.md", task),
    ]);
    let file = open(folder.path()).unwrap();
    let project = read(folder.path(), &file);
    let counts: Vec<usize> =
        ["1", "2"].iter().map(|id| project.plans_of(&id.parse().unwrap()).len()).collect();
    assert_eq!(counts, [1, 2]);
}

#[test]
fn archived_phases_are_known_from_milestones() {
    let folder = project(&[
        (".planning/ROADMAP.md", "### Phase 5: Five\n**Depends on**: Phase 4, Phase 3\n"),
        (".planning/milestones/v1-ROADMAP.md", "- [x] Phase 4: Four (1/1 plans)\n"),
        (".planning/milestones/v1-phases/03-three/x.md", ""),
    ]);
    let file = open(folder.path()).unwrap();
    let archived = read(folder.path(), &file).archived;
    assert_eq!(archived.iter().map(ToString::to_string).collect::<Vec<_>>(), ["3", "4"]);
}

#[test]
fn what_cannot_be_read_is_reported_and_the_rest_is_read() {
    let folder = project(&[
        (".planning/ROADMAP.md", ROADMAP),
        (".planning/config.json/x", ""),
        ("Cargo.toml/x", ""),
    ]);
    fs::write(folder.path().join(".planning/REQUIREMENTS.md"), b"\xff").unwrap();
    let file = open(folder.path()).unwrap();
    let project = read(folder.path(), &file);
    let shown: Vec<String> = project
        .findings
        .iter()
        .map(|finding| format!("{} {}", finding.place, finding.message))
        .collect();
    assert!(
        shown.contains(
            &".planning/config.json this is not read: it is a folder, not a file".to_string()
        ),
        "{shown:?}"
    );
    assert!(
        shown.contains(
            &".planning/REQUIREMENTS.md:1 this is not read: line 1 is not UTF-8 text".to_string()
        ),
        "{shown:?}"
    );
    assert!(
        shown.contains(&"Cargo.toml this is not read: it is a folder, not a file".to_string()),
        "{shown:?}"
    );
    assert_eq!(project.roadmap.phases.len(), 2);
}

/// Beyond a size two threads read; what they found comes in the same order.
#[test]
fn a_large_roadmap_is_read_like_a_small_one() {
    let shown = |prose: &str| {
        let roadmap = format!("### Phase 1: One\n### Phase 1: One\n{prose}");
        let folder = project(&[
            (".planning/ROADMAP.md", &roadmap),
            (".planning/config.json", "{"),
            (".planning/REQUIREMENTS.md", "- [ ] **A-01**: x\n- [ ] **A-01**: y\n"),
        ]);
        let file = OnceLock::new();
        let look = |config: &Config| config.commits_docs;
        let make = |project: &mut Project<'_>, looked| (project.spec.is_some(), looked);
        let (read, (had_spec, looked)) = open_and(folder.path(), &file, look, make).unwrap();
        assert!(!had_spec, "it comes last");
        assert_eq!(looked, read.config.commits_docs, "what was looked at arrives");
        assert_eq!(read.roadmap.phases.len(), 1);
        assert_eq!(read.spec.unwrap().path, REQUIREMENTS);
        read.findings.iter().map(|finding| finding.place.to_string()).collect::<Vec<_>>()
    };
    let prose = "Words that say nothing of a phase.\n"
        .repeat(usize::try_from(by_two::BYTES_MIN).unwrap() / 30);
    assert_eq!(shown(&prose), shown(""));
    assert!(shown("").len() >= 3, "{:?}", shown(""));
}
