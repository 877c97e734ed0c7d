//! Hidden checks in a whole run: an agent that searches whatever it can reach for a word of the hidden command, in every step, and what
//! is told when such a check is red.

use std::fs;
use std::path::{Path, PathBuf};

use autopilot_core::run::event::Event;
use autopilot_core::run::measured::{CheckName, CheckResult};
use autopilot_testkit::built_command::Ended;
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::{Value, json};

use super::outcome::records;
use super::project::Project;
use super::script::{debugged, executed, looked_at, plan_checked, plan_text, reviewed};

/// Writes down where the word can be found. The pattern is not the word, so that the search does not find itself, and each project has
/// another, for whose hidden check runs at the same time can be seen by everybody.
const AGENT: &str = r#"T=${TMPDIR:-$PWD/../cache}; cat > "$T/prompt"
FOUND=$PWD/../cache/found; P='xyzzy[m]ark-TAG-'; ROADMAP=.planning/ROADMAP.md
look() { if "$@" 2> /dev/null | grep -qas "$P"; then echo "$REQUEST_STEP $*" >> "$FOUND"; fi; }
echo "$REQUEST_STEP" >> "$PWD/../cache/steps"
look cat "$T/prompt"
look env
look grep -ras "$P" .
for line in "git show HEAD:$ROADMAP" "git log -p --all" "git log -p -- $ROADMAP" "git grep -n . -- .planning" \
  "git grep -n . HEAD~1 -- .planning" "git diff" "git diff HEAD" "git diff HEAD~1" "git diff --cached" "git cat-file -p HEAD:$ROADMAP" "git blame -s $ROADMAP"; do
  look $line
done
test -z "$(git status --short -- $ROADMAP)" || echo "$REQUEST_STEP git status" >> "$FOUND"
look grep -ras "$P" "$HOME" --exclude-dir=.git
look cat /proc/[0-9]*/environ
look cat /proc/[0-9]*/cmdline
case $REQUEST_STEP in
  execute) echo base > lib/1;;
  debug) echo pleasant >> lib/1; cp "$T/prompt" "$PWD/../cache/prompt-debug";;
esac
cat "$HOME/reply-$REQUEST_STEP"
"#;

const ROADMAP: &str = "# Roadmap: Way

### Phase 1: Base
**Goal**: There is a base
**Depends on**: Nothing
**Success Criteria**:
  1. The base is there -- verified by: `grep -q base lib/1`
  2. The base is pleasant to look at
";

#[derive(Clone, Copy, PartialEq)]
enum Stands {
    InTheFolder,
    InTheRoadmap,
}

/// A project, and a word that stands in its hidden check and nowhere else.
fn secretive(stands: Stands, depth: &str, tag: &str) -> (Project, String) {
    let word = format!("xyzzymark-{tag}-{depth}");
    let project = TemporaryProject::named("way").unwrap();
    let around = project.around().to_path_buf();
    let put = |name: &str, text: &str| fs::write(around.join(name), text).unwrap();
    put("agent.sh", &AGENT.replace("TAG-", &format!("{tag}-{depth}")));
    let replies = looked_at("1").into_iter().map(|entry| {
        let step = entry["when"]["step"].as_str().unwrap().to_string();
        (step, entry["do"].as_array().unwrap().last().unwrap().clone())
    });
    let own = [
        ("execute", executed("1-01-1")),
        ("plan_check", plan_checked()),
        ("debug", debugged()),
        ("review", reviewed(9.5, None)),
    ];
    for (step, reply) in
        own.map(|(step, reply)| (step.to_string(), reply)).into_iter().chain(replies)
    {
        put(&format!("reply-{step}"), &reply["reply"]["json"].to_string());
    }
    let mut own = json!({"agent": "command", "agent_command": ["sh", around.join("agent.sh")],
                         "depth": depth, "min_phase_time": 0, "min_verify_time": 0});
    let mut roadmap = ROADMAP.to_string();
    match stands {
        Stands::InTheFolder => {
            let folder = around.join("hidden");
            fs::create_dir(&folder).unwrap();
            let command = format!("sh \"$HIDDEN_CHECKS/look.sh\" {word}");
            let checks = json!({"phases": {"1": {"2": command}}});
            fs::write(folder.join("checks.json"), checks.to_string()).unwrap();
            let script = "echo \"$1 was looked for\"; grep -q pleasant lib/1\n";
            fs::write(folder.join("look.sh"), script).unwrap();
            own["hidden_checks"] = json!("../hidden");
        }
        Stands::InTheRoadmap => {
            let hidden = format!(
                "pleasant to look at\n     -- verified by (hidden):\n     `echo {word}; grep -q pleasant lib/1`\n"
            );
            roadmap = roadmap.replace("pleasant to look at\n", &hidden);
        }
    }
    let config = json!({
        "project": {"commands": {"compile": null, "test": "sh test.sh", "lint": null, "build": null}},
        "autopilot": own
    });
    let plan = plan_text(1, "01-base", &[("Lay the base", "test -s lib/1", "")]);
    let project = project
        .file(".planning/ROADMAP.md", roadmap)
        .and_then(|it| it.file(".planning/config.json", config.to_string()))
        .and_then(|it| it.file(".planning/phases/01-base/01-01-PLAN.md", plan))
        .and_then(|it| it.file("test.sh", "true\n"))
        .and_then(|it| it.file("lib/README", "The parts.\n"))
        .unwrap();
    let project = Project::committed(project, "{}");
    // A second commit, so that there is a history to look into.
    fs::write(project.root().join("lib/README"), "The parts of it.\n").unwrap();
    project.git(&["commit", "--quiet", "-am", "more words"]);
    (project, word)
}

fn said(project: &Project, name: &str) -> String {
    fs::read_to_string(project.cache().join(name)).unwrap_or_default()
}

/// The files below a folder that have the word in them.
fn files_with(word: &str, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files_with(word, &path)),
            false => {
                let bytes = fs::read(&path).unwrap_or_default();
                let has_it = bytes.windows(word.len()).any(|part| part == word.as_bytes());
                found.extend(has_it.then_some(path));
            }
        }
    }
    found
}

fn assert_not_found((project, word): (&Project, &str), ended: &Ended, steps: &str) {
    assert_eq!(said(project, "found"), "", "{ended:?}");
    assert_eq!(said(project, "steps").split_whitespace().collect::<Vec<_>>().join(" "), steps);
    assert!(!ended.stdout.contains(word) && !ended.stderr.contains(word), "{ended:?}");
    let prompt = said(project, "prompt-debug");
    assert!(prompt.contains("a hidden check of criterion 2"), "{prompt}");
    let (run, events) = records(project);
    let branch = format!("autopilot/{run}");
    // What agents wrote and what is kept for people has it nowhere; the user's own roadmap is another matter.
    let tracked =
        project.try_git(&["grep", "-l", word, &branch, "--", ".", ":!.planning/ROADMAP.md"]);
    assert_eq!(tracked.stdout, "");
    let results: Vec<CheckResult> = events
        .iter()
        .filter_map(|record| match &record.event {
            Event::EvidenceMeasured { measured, .. } => {
                measured.iter().find(|one| one.check == CheckName::Criterion(2)).map(|it| it.result)
            }
            _ => None,
        })
        .collect();
    assert!(matches!(results.first(), Some(CheckResult::Red { .. })), "{results:?}");
    assert!(matches!(results.last(), Some(CheckResult::Green)), "{results:?}");
}

const FULL: &str = "plan_check execute debug verify judge judge_divergence rate";
const LEAN: &str = "execute debug review";

#[test]
fn no_agent_finds_a_hidden_check_that_is_in_no_commit() {
    for (depth, steps) in [("full", FULL), ("lean", LEAN)] {
        let (project, word) = secretive(Stands::InTheFolder, depth, "folder");
        let ended = project.run(&["run", "--complete"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(!ended.stderr.contains("warning"), "{ended:?}");
        assert_not_found((&project, &word), &ended, steps);
        assert_eq!(files_with(&word, &project.state()), Vec::<PathBuf>::new());
        let proved =
            project.run(&["prove", "1", "--at", &format!("autopilot/{}", records(&project).0)]);
        assert_eq!(proved.code, 0, "{proved:?}");
        // Whoever has not got the folder cannot prove it, and is not told that it holds.
        fs::remove_dir_all(project.around().join("hidden")).unwrap();
        let proved =
            project.run(&["prove", "1", "--at", &format!("autopilot/{}", records(&project).0)]);
        assert_ne!(proved.code, 0, "{proved:?}");
    }
}

#[test]
fn a_hidden_check_of_the_roadmap_is_in_no_worktree_and_the_roadmap_is_merged_as_it_was() {
    for (depth, steps) in [("full", FULL), ("lean", LEAN)] {
        let (project, word) = secretive(Stands::InTheRoadmap, depth, "roadmap");
        let before = project.git(&["show", "main:.planning/ROADMAP.md"]);
        let ended = project.run(&["run", "--complete"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        let warned = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(warned.contains("a hidden check of phase 1 stands in this file"), "{ended:?}");
        assert_not_found((&project, &word), &ended, steps);
        let (run, events) = records(&project);
        let merged = project.git(&["show", &format!("autopilot/{run}:.planning/ROADMAP.md")]);
        assert_eq!(merged.replace("[x]", "[ ]"), before);
        assert!(merged.contains(&word));
        let is_put_back = |event: &Event| match event {
            Event::StepCompleted { work, .. } => {
                !work.put_back.is_empty() || !work.dropped.is_empty()
            }
            Event::ReturnRejected { .. } => true,
            _ => false,
        };
        assert!(!events.iter().any(|record| is_put_back(&record.event)), "{ended:?}");
        let told = project.run(&["plan"]);
        let told = format!("{}{}", told.stdout, told.stderr);
        assert!(!told.contains(&word), "{told}");
        let proved = project.run(&["prove", "1", "--at", &format!("autopilot/{run}")]);
        assert_eq!(proved.code, 0, "{proved:?}");
    }
}

/// The search must be able to find something, or the others show nothing.
#[test]
fn without_a_fence_the_same_search_finds_the_folder() {
    let (project, _) = secretive(Stands::InTheFolder, "lean", "unfenced");
    let project = project.unfenced();
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let found = said(&project, "found");
    for step in LEAN.split(' ') {
        assert!(found.contains(&format!("{step} grep -ras")), "{step}: {found}");
    }
    assert!(!found.contains(" git ") && !found.contains("prompt"), "{found}");
}

#[test]
fn what_a_worker_makes_of_a_copy_without_the_hidden_line_never_takes_the_place_of_the_roadmap() {
    let (project, _) = secretive(Stands::InTheRoadmap, "lean", "listed");
    // The plan itself lists the roadmap, and the worker edits the copy it got.
    let plan =
        fs::read_to_string(project.root().join(".planning/phases/01-base/01-01-PLAN.md")).unwrap();
    let plan = plan.replace("<files>lib/1</files>", "<files>lib/1, .planning/ROADMAP.md</files>");
    fs::write(project.root().join(".planning/phases/01-base/01-01-PLAN.md"), plan).unwrap();
    project.git(&["commit", "--quiet", "-am", "the plan lists the roadmap"]);
    let agent = AGENT
        .replace("echo base > lib/1;;", "echo base > lib/1; sed -i 's/pleasant/ugly/' $ROADMAP;;");
    fs::write(project.around().join("agent.sh"), agent).unwrap();
    let before = project.git(&["show", "main:.planning/ROADMAP.md"]);
    let ended = project.run(&["run", "--complete"]);
    let (run, events) = records(&project);
    let touched = events.iter().find_map(|record| match &record.event {
        Event::StepCompleted { work, .. } => work.put_back.first().map(|one| one.path.clone()),
        _ => None,
    });
    assert_eq!(touched.as_deref(), Some(".planning/ROADMAP.md"), "{ended:?}");
    for name in project.git(&["for-each-ref", "--format=%(refname)", "refs/heads"]).lines() {
        let now = project.git(&["show", &format!("{name}:.planning/ROADMAP.md")]);
        assert_eq!(now.replace("[x]", "[ ]"), before, "{name} of {run}");
    }
}

#[test]
fn a_folder_that_cannot_be_used_starts_nothing() {
    let (project, word) = secretive(Stands::InTheFolder, "lean", "unusable");
    let put = |checks: &Value| {
        fs::write(project.around().join("hidden/checks.json"), checks.to_string()).unwrap();
    };
    put(&json!({"phases": {"1": {"7": word}}}));
    for words in [&["run", "--complete"][..], &["plan"]] {
        let ended = project.run(words);
        assert_eq!(ended.code, 2, "{ended:?}");
        let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("phase 1 has no criterion 7: it has 2"), "{ended:?}");
        assert!(!said.contains(&word), "{ended:?}");
    }
    assert_eq!(said(&project, "steps"), "");
}
