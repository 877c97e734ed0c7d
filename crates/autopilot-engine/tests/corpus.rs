//! The readers against real planning files of other people's projects, where those lie beside the repository. The expected
//! figures were taken by plain text search and by eye, without the readers; `corpus/README.md` says how each was found. They
//! hold file numbers, ids and counts, no text of those files.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use autopilot_core::roadmap::{Phase, Roadmap};
use autopilot_core::{config, plan, requirements, roadmap};
use serde_json::Value;

/// A figure of the readers that differs from the one counted by hand, and why ours stands.
struct Deviation {
    file: &'static str,
    what: &'static str,
    reason: &'static str,
}

const MARKER: &str =
    "the oracle leaves the stars of *(INSERTED)* in the name; they are marks, not words";
const TICK: &str =
    "the oracle leaves a ✅ in the name; it says the phase is done and is read as that";
const STRUCK: &str = "phase 5 is ticked and struck through as superseded: nothing is owed, but nothing was completed either";

const DEVIATIONS: [Deviation; 13] = [
    Deviation { file: "10", what: "completed", reason: STRUCK },
    Deviation { file: "43", what: "2.1 name", reason: MARKER },
    Deviation { file: "43", what: "3.1 name", reason: MARKER },
    Deviation { file: "43", what: "4.1 name", reason: MARKER },
    Deviation { file: "43", what: "26.1 name", reason: MARKER },
    Deviation { file: "43", what: "26.2 name", reason: MARKER },
    Deviation { file: "43", what: "26.3 name", reason: MARKER },
    Deviation { file: "43", what: "26.4 name", reason: MARKER },
    Deviation { file: "27", what: "4 name", reason: TICK },
    Deviation { file: "27", what: "5 name", reason: TICK },
    Deviation { file: "27", what: "6 name", reason: TICK },
    Deviation { file: "27", what: "7 name", reason: TICK },
    Deviation { file: "27", what: "8 name", reason: TICK },
];

fn corpus() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if beside.is_dir() {
        return Some(beside);
    }
    autopilot_testkit::say("corpus: ../shared/corpus is not there; these comparisons did not run");
    None
}

/// The files of one folder by their number.
fn files(kind: &str) -> Option<BTreeMap<String, String>> {
    let folder = corpus()?.join(kind);
    let mut texts = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        texts.insert(name[..2].to_string(), std::fs::read_to_string(&path).unwrap());
    }
    Some(texts)
}

fn expected(kind: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("corpus/expected.json")).unwrap();
    all[kind].clone()
}

/// Collects every difference, so that one run shows them all.
#[derive(Default)]
struct Comparison {
    differences: Vec<String>,
    deviations: usize,
}

impl Comparison {
    fn equal(&mut self, file: &str, what: &str, ours: &Value, theirs: &Value) {
        if ours == theirs {
            return;
        }
        match DEVIATIONS.iter().find(|deviation| deviation.file == file && deviation.what == what) {
            Some(deviation) => {
                self.deviations += 1;
                autopilot_testkit::say(&format!(
                    "corpus: {file} {what} differs: {}",
                    deviation.reason
                ));
            }
            None => self.differences.push(format!("{file} {what}: ours {ours}, counted {theirs}")),
        }
    }

    /// No difference but the listed ones, and each of those is still one.
    fn finish(self, deviations: usize) {
        assert_eq!(self.deviations, deviations, "a listed deviation is none any more");
        assert!(self.differences.is_empty(), "\n{}", self.differences.join("\n"));
    }
}

fn ids<'a>(phases: impl Iterator<Item = &'a Phase<'a>>) -> Value {
    let mut ids: Vec<_> = phases.map(|phase| phase.id.clone()).collect();
    ids.sort();
    Value::from(ids.iter().map(ToString::to_string).collect::<Vec<_>>())
}

fn sorted(list: &Value) -> Value {
    let mut ids: Vec<autopilot_core::phase_id::PhaseId> =
        list.as_array().unwrap().iter().map(|id| id.as_str().unwrap().parse().unwrap()).collect();
    ids.sort();
    Value::from(ids.iter().map(ToString::to_string).collect::<Vec<_>>())
}

#[test]
fn every_roadmap_gives_its_phases() {
    let Some(texts) = files("roadmap") else { return };
    let expected = expected("roadmaps");
    let mut comparison = Comparison::default();
    for (file, text) in &texts {
        let (roadmap, _) = roadmap::read("ROADMAP.md", text);
        let counted = &expected[file];
        comparison.equal(file, "phases", &ids(roadmap.phases.iter()), &sorted(&counted["phases"]));
        let completed =
            roadmap.phases.iter().filter(|phase| phase.standing == roadmap::Standing::Completed);
        comparison.equal(file, "completed", &ids(completed), &sorted(&counted["completed"]));
        compare_phases(file, &roadmap, counted, &mut comparison);
    }
    comparison.finish(1);
}

fn compare_phases(file: &str, roadmap: &Roadmap, counted: &Value, comparison: &mut Comparison) {
    for phase in &roadmap.phases {
        let id = phase.id.to_string();
        let depends: Vec<String> = phase.depends_on.iter().map(ToString::to_string).collect();
        if !counted["depends"][&id].is_null() {
            comparison.equal(
                file,
                &format!("{id} depends"),
                &Value::from(depends),
                &sorted(&counted["depends"][&id]),
            );
        } else {
            comparison.equal(
                file,
                &format!("{id} depends"),
                &Value::from(depends),
                &Value::from(Vec::<String>::new()),
            );
        }
        let figures = [
            ("requirements", phase.requirements.len()),
            ("criteria", phase.criteria.len()),
            ("plans_listed", phase.plans.len()),
        ];
        for (what, ours) in figures {
            comparison.equal(
                file,
                &format!("{id} {what}"),
                &Value::from(ours),
                &counted[what][&id],
            );
        }
        if counted["goal_words"][&id] != 0 {
            let words = phase.goal.split_whitespace().count();
            comparison.equal(
                file,
                &format!("{id} goal_words"),
                &Value::from(words),
                &counted["goal_words"][&id],
            );
        }
    }
}

#[test]
fn where_both_versions_of_the_oracle_agree_so_do_we() {
    let Some(texts) = files("roadmap") else { return };
    let folder = corpus().unwrap().join("oracle");
    let mut comparison = Comparison::default();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let Some(stem) = name.strip_suffix(".gsd-1.42.3.json") else { continue };
        let read = |path: PathBuf| -> Value {
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
        };
        let (one, other) =
            (read(path.clone()), read(path.with_file_name(format!("{stem}.gsd-core-1.14.0.json"))));
        let file = &name[..2];
        let (roadmap, _) = roadmap::read("ROADMAP.md", &texts[file]);
        for phase in one["phases"].as_array().unwrap() {
            let number = phase["number"].as_str().unwrap();
            let agrees = other["phases"].as_array().unwrap().iter().any(|theirs| {
                ["number", "name", "goal"].iter().all(|field| theirs[*field] == phase[*field])
            });
            if !agrees {
                continue;
            }
            let ours = roadmap.phase(&number.parse().unwrap());
            let shown = |text: Option<&str>| Value::from(text.unwrap_or("(no such phase)"));
            comparison.equal(
                file,
                &format!("{number} name"),
                &shown(ours.map(|p| p.name.as_ref())),
                &phase["name"],
            );
            if !phase["goal"].is_null() {
                comparison.equal(
                    file,
                    &format!("{number} goal"),
                    &shown(ours.map(|p| p.goal.as_ref())),
                    &phase["goal"],
                );
            }
        }
    }
    comparison.finish(12);
}

/// The word of the type attribute; none and `auto` are the same, and a feature has no attribute.
fn type_word(kind: &plan::TaskKind) -> String {
    let word = match kind {
        plan::TaskKind::Auto | plan::TaskKind::Feature => "auto",
        plan::TaskKind::HumanVerify => "checkpoint:human-verify",
        plan::TaskKind::Decision => "checkpoint:decision",
        plan::TaskKind::HumanAction => "checkpoint:human-action",
        plan::TaskKind::Other(word) => word,
    };
    word.to_string()
}

fn without_null(types: &Value) -> Value {
    let word = |word: &Value| word.as_str().unwrap_or("auto").to_string();
    Value::from(types.as_array().unwrap().iter().map(word).collect::<Vec<_>>())
}

fn word(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| Value::from(text))
}

#[test]
fn every_plan_gives_its_tasks() {
    let Some(texts) = files("plan") else { return };
    let expected = expected("plans");
    let mut comparison = Comparison::default();
    for (file, text) in &texts {
        let (plan, _) = plan::read("PLAN.md", text);
        let counted = &expected[file];
        let figures = [
            ("tasks", plan.tasks.len()),
            ("front_matter_keys", plan.fields.len()),
            ("files_modified", plan.files_modified.len()),
            ("depends_on", plan.depends_on.len()),
            ("truths", plan.must_haves.truths.len()),
            ("artifacts", plan.must_haves.artifacts.len()),
            ("key_links", plan.must_haves.key_links.len()),
            ("requirements", plan.requirements.len()),
            (
                "verified_by",
                plan.tasks
                    .iter()
                    .flat_map(|task| &task.criteria)
                    .filter(|c| c.command().is_some())
                    .count(),
            ),
            (
                "tasks_with_automated",
                plan.tasks.iter().filter(|task| !task.automated.is_empty()).count(),
            ),
        ];
        for (what, ours) in figures {
            comparison.equal(file, what, &Value::from(ours), &counted[what]);
        }
        let types =
            Value::from(plan.tasks.iter().map(|task| type_word(&task.kind)).collect::<Vec<_>>());
        comparison.equal(file, "task types", &types, &without_null(&counted["task_types"]));
        let phase = plan.phase_id().map(|id| Value::from(id.to_string())).or(word(&plan.phase));
        comparison.equal(file, "phase", &phase.unwrap_or_default(), &counted["phase"]);
        comparison.equal(
            file,
            "wave",
            &plan.wave.map_or(Value::Null, Value::from),
            &counted["wave"],
        );
        let number =
            if plan.number.is_empty() { Value::Null } else { Value::from(plan.number.clone()) };
        comparison.equal(file, "plan", &number, &counted["plan"]);
    }
    comparison.finish(0);
}

#[test]
fn every_requirement_is_found() {
    let Some(texts) = files("requirements") else { return };
    let expected = expected("requirements");
    let mut comparison = Comparison::default();
    for (file, text) in &texts {
        let (read, _) = requirements::read("REQUIREMENTS.md", text);
        let counted = &expected[file];
        let ids: Vec<String> = read.list.iter().map(|requirement| requirement.id.clone()).collect();
        comparison.equal(file, "ids", &Value::from(ids), &counted["ids"]);
        let state = |state: requirements::RequirementState| {
            Value::from(read.list.iter().filter(|r| r.state == state).count())
        };
        comparison.equal(
            file,
            "ticked",
            &state(requirements::RequirementState::Done),
            &counted["ticked"],
        );
        comparison.equal(
            file,
            "unticked",
            &state(requirements::RequirementState::Open),
            &counted["unticked"],
        );
        comparison.equal(
            file,
            "without_box",
            &state(requirements::RequirementState::Unmarked),
            &counted["without_box"],
        );
        comparison.equal(
            file,
            "trace_rows",
            &Value::from(read.traced.len()),
            &counted["trace_rows"],
        );
    }
    comparison.finish(0);
}

#[test]
fn every_config_is_read_key_by_key() {
    let Some(texts) = files("config") else { return };
    let expected = expected("configs");
    let mut comparison = Comparison::default();
    for (file, text) in &texts {
        let (read, findings) = config::read("config.json", text);
        let counted = &expected[file];
        comparison.equal(file, "leaf_keys", &Value::from(read.paths.len()), &counted["leaf_keys"]);
        comparison.equal(file, "findings", &Value::from(findings.len()), &Value::from(0));
        if !counted["commit_docs"].is_null() {
            comparison.equal(
                file,
                "commit_docs",
                &Value::from(read.commits_docs),
                &counted["commit_docs"],
            );
        }
        if !counted["workflow_research"].is_null() {
            comparison.equal(
                file,
                "workflow_research",
                &Value::from(read.has_research),
                &counted["workflow_research"],
            );
        }
    }
    comparison.finish(0);
}
