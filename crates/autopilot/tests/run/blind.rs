//! What those who review a phase can see: the work, the plan, and nothing that others concluded of it. And that what they change is
//! dropped and named.

use std::collections::BTreeMap;
use std::fs;

use autopilot_core::run::event::Event;
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::json;

use super::outcome::records;
use super::project::Project;
use super::script::{executed, looked_at, plan_checked, plan_text, reviewed};

/// Writes down what it sees, and then what it was asked to.
const AGENT: &str = r#"cat > /dev/null
OUT=$PWD/../cache/$REQUEST_STEP-$REQUEST_PHASE
find . -type f -not -path './.git' | sort > "$OUT-files"
git status --short > "$OUT-status"
{ git log --all --format=%B; git log --format=%B; git cat-file -p HEAD; } > "$OUT-messages" 2>&1
git log --format=%s > "$OUT-subjects"
git show HEAD:.planning/phases/01-part/SCORECARD.md > "$OUT-scorecard" 2>&1
git log -p --all -- .planning/phases > "$OUT-history" 2>&1
find "$PROJECT/.autopilot" ../proof-1 -type f -exec cat {} + > "$OUT-records" 2> /dev/null
case $REQUEST_STEP in
  execute)
    mkdir -p tests build; echo "part $REQUEST_PHASE" > lib/$REQUEST_PHASE; echo "CLAIM: all is well" > build/notes.log
    if [ -n "$COMMITS" ]; then git add lib && git commit -qm "all done" -m "CLAIM: it is perfect"; fi;;
  verify|review) echo more >> lib/README; echo seen > notes.txt; echo seen > build/seen.log; rm test.sh;;
  rate) echo '# mine' >> .planning/phases/0$REQUEST_PHASE-part/0$REQUEST_PHASE-01-PLAN.md;;
esac
cat "$HOME/reply-$REQUEST_STEP"
"#;

const ROADMAP: &str = "# Roadmap: Way

### Phase 1: Part
**Success Criteria**:
  1. It is there -- verified by: `test -s lib/1`

### Phase 2: Part
**Depends on**: Phase 1
**Success Criteria**:
  1. It is there -- verified by: `test -s lib/2`
";

/// The project's own files, without what is worked on.
const OWN: [&str; 8] = [
    "./.gitignore",
    "./.planning/ROADMAP.md",
    "./.planning/config.json",
    "./.planning/phases/01-part/01-01-PLAN.md",
    "./.planning/phases/02-part/02-01-PLAN.md",
    "./lib/README",
    "./src/main.sh",
    "./test.sh",
];

fn project(depth: &str, commits: &str) -> Project {
    let project = TemporaryProject::named("way").unwrap();
    let around = project.around().to_path_buf();
    let agent = AGENT.replace("$PROJECT", project.root().to_str().unwrap());
    fs::write(around.join("agent.sh"), agent.replace("$COMMITS", commits)).unwrap();
    for entry in looked_at("1") {
        let (step, last) =
            (&entry["when"]["step"], entry["do"].as_array().unwrap().last().unwrap());
        let reply = last["reply"]["json"].to_string();
        fs::write(around.join(format!("reply-{}", step.as_str().unwrap())), reply).unwrap();
    }
    for (step, reply) in [
        ("plan_check", plan_checked()),
        ("execute", executed("1-01-1")),
        ("review", reviewed(9.5, None)),
    ] {
        fs::write(around.join(format!("reply-{step}")), reply["reply"]["json"].to_string())
            .unwrap();
    }
    let config = json!({
        "project": {"commands": {"compile": null, "test": "sh test.sh", "lint": null, "build": null}},
        "autopilot": {"agent": "command", "agent_command": ["sh", around.join("agent.sh")],
                      "depth": depth, "min_phase_time": 0, "min_verify_time": 0}
    });
    let mut project = project
        .file(".planning/ROADMAP.md", ROADMAP)
        .and_then(|it| it.file(".planning/config.json", config.to_string()))
        .and_then(|it| it.file(".gitignore", "*.log\n"))
        .and_then(|it| it.file("test.sh", "true\n"))
        .and_then(|it| it.file("src/main.sh", "true\n"))
        .and_then(|it| it.file("lib/README", "The parts.\n"))
        .unwrap();
    for number in 1..=2 {
        let folder = format!("{number:02}-part");
        let plan = plan_text(number, &folder, &[("Make it", &format!("test -s lib/{number}"), "")]);
        let path = format!(".planning/phases/{folder}/{number:02}-01-PLAN.md");
        project = project.file(&path, plan).unwrap();
    }
    let project = Project::committed(project, "{}");
    fs::write(project.root().join("src/main.sh"), "true # twice\n").unwrap();
    project.git(&["commit", "--quiet", "-am", "of the user", "-m", "With a body of the user's."]);
    project
}

fn said(project: &Project, name: &str) -> String {
    fs::read_to_string(project.cache().join(name)).unwrap()
}

/// What lies there beside the project's own files and the work.
fn beside(project: &Project, step: &str, phase: u32) -> Vec<String> {
    let files = said(project, &format!("{step}-{phase}-files"));
    let work = [1, 2].map(|number| format!("./lib/{number}"));
    let is_known = |file: &&str| OWN.contains(file) || work.iter().any(|work| work == file);
    files.lines().filter(|file| !is_known(file)).map(str::to_string).collect()
}

const REVIEWERS: [&str; 4] = ["verify", "judge", "judge_divergence", "rate"];

/// What lies there beside the project's own files and the work, for each of them.
fn expected() -> BTreeMap<&'static str, Vec<&'static str>> {
    BTreeMap::from([
        ("verify 1", vec![]),
        ("judge 1", vec![]),
        (
            "judge_divergence 1",
            vec![
                "./.planning/phases/01-part/TRIAGE.json",
                "./.planning/phases/01-part/VERIFICATION.md",
            ],
        ),
        ("rate 1", vec![]),
        ("verify 2", vec!["./.planning/phases/01-part/TRIAGE.json"]),
        ("judge 2", vec!["./.planning/phases/01-part/TRIAGE.json"]),
        (
            "judge_divergence 2",
            vec![
                "./.planning/phases/01-part/TRIAGE.json",
                "./.planning/phases/02-part/TRIAGE.json",
                "./.planning/phases/02-part/VERIFICATION.md",
            ],
        ),
        ("rate 2", vec!["./.planning/phases/01-part/TRIAGE.json"]),
    ])
}

#[test]
fn whoever_reviews_sees_the_work_and_the_plans_and_no_conclusion_of_others() {
    let project = project("full", "");
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    for (who, expected) in expected() {
        let (step, phase) = who.split_once(' ').unwrap();
        assert_eq!(beside(&project, step, phase.parse().unwrap()), expected, "{who}");
    }
    for step in REVIEWERS {
        for phase in 1..=2 {
            let status = said(&project, &format!("{step}-{phase}-status"));
            let expected = match step {
                "judge_divergence" => ["TRIAGE.json", "VERIFICATION.md"]
                    .map(|name| format!("?? .planning/phases/0{phase}-part/{name}\n"))
                    .concat(),
                _ => String::new(),
            };
            assert_eq!(status, expected, "{step} {phase}");
            let messages = said(&project, &format!("{step}-{phase}-messages"));
            assert!(!messages.contains("Autopilot-"), "{step} {phase}: {messages}");
            assert!(messages.contains("With a body of the user's."), "{messages}");
            // Neither what others said of this phase nor of another, wherever it is kept.
            let records = said(&project, &format!("{step}-{phase}-records"));
            assert_eq!(records, "", "{step} {phase}");
            let history = said(&project, &format!("{step}-{phase}-history"));
            for word in ["as asked", "lib/1:1 is there", "execution log"] {
                assert!(!history.contains(word), "{word}: {step} {phase}: {history}");
            }
        }
        let subjects = said(&project, &format!("{step}-2-subjects"));
        assert_eq!(
            subjects.lines().count(),
            5,
            "two tasks, a closing commit, two of the user: {subjects}"
        );
        assert!(subjects.contains("docs(phase 1): Part"), "{subjects}");
        let scorecard = said(&project, &format!("{step}-2-scorecard"));
        assert_eq!(scorecard, "This is not shown to whoever reviews.\n");
    }
    // An executor of the second phase may read what was found about the first.
    assert!(said(&project, "execute-2-scorecard").contains("as asked"));
}

#[test]
fn the_one_reviewer_of_a_lean_phase_sees_no_more() {
    let project = project("lean", "");
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(beside(&project, "review", 1), Vec::<String>::new());
    assert_eq!(beside(&project, "review", 2), ["./.planning/phases/01-part/TRIAGE.json"]);
    for phase in 1..=2 {
        assert_eq!(said(&project, &format!("review-{phase}-status")), "");
        assert_eq!(said(&project, &format!("review-{phase}-records")), "");
        let messages = said(&project, &format!("review-{phase}-messages"));
        assert!(!messages.contains("Autopilot-"), "{messages}");
    }
    assert!(!said(&project, "review-2-history").contains("as asked"));
}

#[test]
fn what_a_worker_wrote_under_commits_of_its_own_or_in_ignored_files_no_reviewer_finds() {
    let project = project("full", "yes").unfenced();
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(project.git(&["log", "--all", "--format=%B"]).contains("CLAIM: it is perfect"));
    for step in REVIEWERS {
        for phase in 1..=2 {
            let messages = said(&project, &format!("{step}-{phase}-messages"));
            assert!(messages.contains("all done") && !messages.contains("CLAIM"), "{messages}");
            let files = said(&project, &format!("{step}-{phase}-files"));
            assert!(!files.contains(".log"), "{step} {phase}: {files}");
        }
    }
}

fn dropped(project: &Project) -> Vec<Vec<String>> {
    let events = records(project).1.into_iter();
    let of = |event| match event {
        Event::StepCompleted { work, .. } if !work.dropped.is_empty() => Some(work.dropped),
        _ => None,
    };
    events.filter_map(|record| of(record.event)).collect()
}

#[test]
fn what_a_reviewer_changes_is_dropped_and_named() {
    for (depth, plan) in [("full", true), ("lean", false)] {
        let project = project(depth, "");
        let ended = project.run(&["run", "1"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        let looked = vec!["lib/README", "test.sh", "notes.txt"];
        let rated = vec![".planning/phases/01-part/01-01-PLAN.md"];
        let expected = if plan { vec![looked, rated] } else { vec![looked] };
        assert_eq!(dropped(&project), expected);
        let told = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = "dropped what it had changed: lib/README, test.sh, notes.txt";
        assert!(told.contains(words), "{ended:?}");
        let (run, _) = records(&project);
        let show = |path: &str| project.git(&["show", &format!("autopilot/{run}:{path}")]);
        let report = show(".planning/phases/01-part/VERIFICATION.md");
        let list = "### Files it had changed, of which nothing was kept\n\n- lib/README\n- notes.txt\n- test.sh\n";
        assert!(report.ends_with(list), "{report}");
        assert_eq!(show("lib/README"), "The parts.\n");
        assert_eq!(show("test.sh"), "true\n");
        let files = project.git(&["ls-tree", "-r", "--name-only", &format!("autopilot/{run}")]);
        assert!(!files.contains("notes.txt"), "{files}");
        let kept = project.git(&["for-each-ref", "--format=%(refname)", "refs/autopilot"]);
        assert!(!kept.contains("rescue"), "nothing of it is worth a ref: {kept}");
    }
}
