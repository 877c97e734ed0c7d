//! Projects as people have them, with nothing odd about them: Rust with cargo, Python with pytest, TypeScript with vitest. Each is taken
//! through a whole phase. Dependencies come into the worktrees by the project's own lock file, installed by the ordinary clients from
//! packages that were fetched before; counts of tests are the runners' own; and a clone proves it all again.

use std::path::Path;
use std::time::Duration;

use autopilot_core::run::effect::{Effect, Purpose};
use autopilot_core::run::event::Event;
use autopilot_core::run::files::receipt::Receipt;
use autopilot_core::run::measured::{CheckName, Measured};
use autopilot_core::run::outcome::CriterionClass;
use autopilot_core::test_counts::{Runner, TestCounts};
use autopilot_engine::machine::Machine;
use autopilot_engine::slot;
use autopilot_testkit::built_command::{BuiltCommand, Ended};
use autopilot_testkit::packages::{NPM, PACKAGE_JSON, REGISTRY, WHEELS};
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::{Value, json};

use super::PROGRAM;
use super::landing::{assert_whole, run_branch};
use super::outcome::{UsersOwn, records};
use super::project::Project;
use super::script::{entry, planned, reply, reviewed, script, write};

/// Installing and compiling take their time, most of all beside other tests.
const TIME_MAX: Duration = Duration::from_secs(240);

/// A project, and the phase that adds a function to it.
struct Sample<'a> {
    files: &'a [(&'a str, &'a str)],
    /// What the agent writes.
    work: &'a [(&'a str, &'a str)],
    /// Red before the work and green after it, by the runner's own exit code.
    criterion: &'static str,
    /// What the agent runs in its own tree.
    tried: &'static str,
    runner: Runner,
    /// Tests before and after.
    passed: (u32, u32),
    /// Something that only an installation brings, seen from a tree.
    installed: Option<&'static str>,
}

const CONFIG: &str = r#"{"autopilot": {"agent": "scripted", "script": "../script.json", "min_phase_time": 0, "min_verify_time": 0}}"#;

impl Sample<'_> {
    fn project(&self) -> Project {
        let roadmap = format!(
            "# Roadmap: Greeting\n\n### Phase 1: Farewell\n**Goal**: People can be seen off\n**Success Criteria**:\n  \
             1. It says goodbye by name -- verified by: `{}`\n",
            self.criterion
        );
        let mut project = TemporaryProject::named("greeting").unwrap();
        let planning =
            [(".planning/ROADMAP.md", roadmap.as_str()), (".planning/config.json", CONFIG)];
        for (path, text) in self.files.iter().copied().chain(planning) {
            project = project.file(path, text).unwrap();
        }
        Project::committed(project, &script(self.entries()))
    }

    fn entries(&self) -> Vec<Value> {
        let names: Vec<&str> = self.work.iter().map(|(path, _)| *path).collect();
        let plan = format!(
            "---\nphase: 01-farewell\nplan: 01\ntype: execute\nwave: 1\ndepends_on: []\nfiles_modified: [{names}]\n\
             autonomous: true\n---\n\n<tasks>\n\n<task type=\"auto\">\n  <name>Say goodbye</name>\n  <files>{names}</files>\n  \
             <action>Add farewell(name) beside greet(name), with its tests.</action>\n  <verify>\n    \
             <automated>{}</automated>\n  </verify>\n  <done>The tests are green.</done>\n</task>\n\n</tasks>\n",
            self.criterion,
            names = names.join(", "),
        );
        let found = reply(json!({
            "key_findings": ["greet(name) is there", "its tests lie beside it", "nothing says goodbye"],
            "recommended_approach": "The same again.", "risks": [], "open_questions": []
        }));
        let tried = format!("{} && echo green > ../cache/seen", self.tried);
        let mut work: Vec<Value> = self.work.iter().map(|(path, text)| write(path, text)).collect();
        work.push(json!({"run": {"command": tried}}));
        work.push(reply(json!({
            "tasks_completed": "1/1", "tasks_failed": "0/1", "deviations": [],
            "evidence": [{
                "task_id": "1-01-1", "criteria_met": [format!("goodbye is said -- {}:1 -- there", names[0])],
                "commands_run": [format!("{} -> passed", self.tried)]
            }]
        })));
        let folder = ".planning/phases/01-farewell";
        vec![
            entry(
                "1",
                "research",
                None,
                1,
                vec![write(&format!("{folder}/RESEARCH.md"), "# Found\n"), found],
            ),
            entry(
                "1",
                "plan",
                None,
                1,
                vec![write(&format!("{folder}/01-01-PLAN.md"), &plan), planned()],
            ),
            entry("1", "execute", Some("1-01-1"), 1, work),
            entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
        ]
    }

    fn counts(&self, passed: u32) -> TestCounts {
        TestCounts { runner: self.runner, passed, failed: 0, skipped: 0, failed_names: Vec::new() }
    }

    /// Through the phase, and then from a clone. `prepare` is told every folder in which checks or agents keep what they fetch.
    fn check(&self, variables: &[(&str, &str)], prepare: impl Fn(&Project, &Path)) {
        let project = self.project();
        let project = variables.iter().fold(project, |it, (name, value)| it.variable(name, value));
        let before = UsersOwn::of(&project);
        for cache in [project.cache(), project.proof_cache()] {
            std::fs::create_dir_all(&cache).unwrap();
            prepare(&project, &cache);
        }
        let command = project.command().time_max(TIME_MAX);
        let ended = command.run(&["run", "--complete"]).unwrap();
        assert_eq!(ended.code, 0, "{ended:?}");
        assert_eq!(UsersOwn::of(&project), before, "the user's own is untouched");
        assert_whole(&project, "a real project");
        let seen = std::fs::read_to_string(project.cache().join("seen"));
        assert_eq!(
            seen.unwrap_or_default(),
            "green\n",
            "the agent could run the tests in its tree"
        );
        self.assert_receipt(&project);
        self.assert_trees(&project);
        let proved = prove(&project, variables, &prepare);
        assert_eq!(proved.code, 0, "{proved:?}");
        assert!(
            proved.stdout.contains("PROVEN") && !proved.stdout.contains("NOT PROVEN"),
            "{proved:?}"
        );
    }

    /// The tests were counted before the work and after it, and the criterion was red and became green.
    fn assert_receipt(&self, project: &Project) {
        let path = format!("{}:.planning/phases/01-farewell/RECEIPT.json", run_branch(project));
        let receipt = Receipt::read(&project.git(&["show", &path])).unwrap();
        let [criterion] = &receipt.criteria[..] else { panic!("{receipt:?}") };
        assert_eq!((criterion.class, criterion.was_green), (CriterionClass::Proven, Some(false)));
        assert!(
            receipt.measured.iter().all(|one| one.result.is_green() && !one.is_flaky),
            "{receipt:?}"
        );
        let (before, after) = self.passed;
        assert_eq!(tests_of(&receipt.measured), Some(self.counts(after)));
        assert_eq!(tests_of(&baseline(project)), Some(self.counts(before)));
    }

    /// What was installed is where agents work and where checks are measured, and neither in the commit nor in the user's tree.
    fn assert_trees(&self, project: &Project) {
        let slot = project.slot(1);
        let Some(installed) = self.installed else { return };
        for tree in [&slot, &slot.with_file_name("proof-1")] {
            assert!(tree.join(installed).exists(), "{} lacks {installed}", tree.display());
        }
        assert!(
            !project.root().join(installed).exists(),
            "nothing is installed in the user's tree"
        );
        let listed = project.git(&["ls-tree", "-r", "--name-only", &run_branch(project)]);
        let is_expected = |name: &str| {
            let known = self.files.iter().chain(self.work).any(|(path, _)| *path == name);
            known || name.starts_with(".planning/")
        };
        let others: Vec<&str> = listed.lines().filter(|name| !is_expected(name)).collect();
        assert_eq!(others, [""; 0]);
    }
}

fn tests_of(measured: &[Measured]) -> Option<TestCounts> {
    measured.iter().find(|one| one.check == CheckName::Test)?.tests.clone()
}

fn baseline(project: &Project) -> Vec<Measured> {
    let (_, records) = records(project);
    let mut is_baseline = false;
    for record in records {
        match record.event {
            Event::StepStarted { effect: Effect::Measure(order), .. } => {
                is_baseline = matches!(order.purpose, Purpose::Baseline);
            }
            Event::EvidenceMeasured { measured, .. } if is_baseline => return measured,
            _ => {}
        }
    }
    panic!("there is no baseline")
}

/// With nothing but a clone, in a state folder of its own.
fn prove(
    project: &Project,
    variables: &[(&str, &str)],
    prepare: impl Fn(&Project, &Path),
) -> Ended {
    let around = project.around();
    let (clone, state) = (around.join("clone"), around.join("state-of-the-clone"));
    let (from, to, branch) =
        (project.root().to_str().unwrap(), clone.to_str().unwrap(), run_branch(project));
    project.git(&["clone", "--quiet", "--branch", &branch, from, to]);
    let machine = Machine::with_variables([("XDG_STATE_HOME", state.as_path())]);
    let cache = slot::folder_of(&machine, &clone, 1).unwrap().with_file_name("proof-cache");
    std::fs::create_dir_all(&cache).unwrap();
    prepare(project, &cache);
    let command = BuiltCommand::new(PROGRAM, &clone).time_max(TIME_MAX);
    let command = command.variable("XDG_STATE_HOME", state.to_str().unwrap());
    let command = command.variable("HOME", around.to_str().unwrap());
    let command = variables.iter().fold(command, |it, (name, value)| it.variable(name, value));
    command.run(&["prove", "1"]).unwrap()
}

#[test]
fn a_rust_project_is_taken_through_a_phase_and_proven_from_a_clone() {
    let sample = Sample {
        files: &[
            (
                "Cargo.toml",
                "[package]\nname = \"greeting\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            ),
            (
                "Cargo.lock",
                "version = 3\n\n[[package]]\nname = \"greeting\"\nversion = \"0.1.0\"\n",
            ),
            (".gitignore", "/target\n"),
            (
                "src/lib.rs",
                "//! Words for people.\n\npub fn greet(name: &str) -> String {\n    format!(\"Hello, {name}!\")\n}\n\n\
                 #[cfg(test)]\nmod tests {\n    #[test]\n    fn it_greets_by_name() {\n        \
                 assert_eq!(super::greet(\"Ada\"), \"Hello, Ada!\");\n    }\n}\n",
            ),
        ],
        work: &[
            (
                "src/lib.rs",
                "//! Words for people.\n\npub fn greet(name: &str) -> String {\n    format!(\"Hello, {name}!\")\n}\n\n\
                 pub fn farewell(name: &str) -> String {\n    format!(\"Goodbye, {name}!\")\n}\n\n\
                 #[cfg(test)]\nmod tests {\n    #[test]\n    fn it_greets_by_name() {\n        \
                 assert_eq!(super::greet(\"Ada\"), \"Hello, Ada!\");\n    }\n}\n",
            ),
            (
                "tests/farewell.rs",
                "//! Seen from outside.\n\nuse greeting::farewell;\n\n#[test]\nfn it_says_goodbye_by_name() {\n    \
                 assert_eq!(farewell(\"Ada\"), \"Goodbye, Ada!\");\n}\n\n#[test]\nfn nobody_is_seen_off_too() {\n    \
                 assert_eq!(farewell(\"\"), \"Goodbye, !\");\n}\n",
            ),
        ],
        criterion: "cargo test --quiet --test farewell",
        tried: "cargo test --quiet",
        runner: Runner::CargoTest,
        passed: (1, 3),
        installed: None,
    };
    let toolchain = of_rustup();
    let variables: Vec<(&str, &str)> =
        toolchain.iter().map(|(name, value)| (*name, value.as_str())).collect();
    sample.check(&variables, |_, _| {});
}

/// Where the toolchains are. The user's home is another in a test, and with it where rustup would look for them.
pub(crate) fn of_rustup() -> Vec<(&'static str, String)> {
    let home = std::env::var("HOME").unwrap_or_default();
    let rustup = std::env::var("RUSTUP_HOME").unwrap_or_else(|_| format!("{home}/.rustup"));
    let toolchain = std::env::var("RUSTUP_TOOLCHAIN").ok().filter(|name| !name.is_empty());
    let toolchain = toolchain.map(|name| ("RUSTUP_TOOLCHAIN", name));
    [("RUSTUP_HOME", rustup)].into_iter().chain(toolchain).collect()
}

#[test]
fn a_python_project_is_taken_through_a_phase_and_proven_from_a_clone() {
    let wheels = WHEELS.path();
    let sample = Sample {
        files: &[
            (
                "pyproject.toml",
                "[project]\nname = \"greeting\"\nversion = \"0.1.0\"\n\n[tool.pytest.ini_options]\npythonpath = [\"src\"]\n",
            ),
            ("requirements.txt", WHEELS.lock()),
            // As templates have it: the packages of a virtual environment lie in a `lib`.
            (
                ".gitignore",
                "__pycache__/\n*.py[cod]\n*.so\nbuild/\ndist/\nlib/\nlib64/\n*.egg-info/\n.pytest_cache/\n.venv\n",
            ),
            ("src/greeting.py", "def greet(name):\n    return f\"Hello, {name}!\"\n"),
            (
                "tests/test_greet.py",
                "from greeting import greet\n\n\ndef test_it_greets_by_name():\n    assert greet(\"Ada\") == \"Hello, Ada!\"\n",
            ),
        ],
        work: &[
            (
                "src/greeting.py",
                "def greet(name):\n    return f\"Hello, {name}!\"\n\n\ndef farewell(name):\n    return f\"Goodbye, {name}!\"\n",
            ),
            (
                "tests/test_farewell.py",
                "import pytest\n\nfrom greeting import farewell\n\n\n@pytest.mark.parametrize(\"name\", [\"Ada\", \"Bo\", \"\"])\n\
                 def test_it_says_goodbye_by_name(name):\n    assert farewell(name) == f\"Goodbye, {name}!\"\n",
            ),
        ],
        criterion: "python3 -m pytest -q tests/test_farewell.py",
        tried: ".venv/bin/python -m pytest -q -p no:cacheprovider",
        runner: Runner::Pytest,
        passed: (1, 4),
        installed: Some(".venv/bin/pytest"),
    };
    sample.check(&[], |project, _| {
        let settings = project.around().join(".config/pip");
        std::fs::create_dir_all(&settings).unwrap();
        let text = format!("[global]\nno-index = true\nfind-links = {}\n", wheels.display());
        std::fs::write(settings.join("pip.conf"), text).unwrap();
    });
}

#[test]
fn a_typescript_project_is_taken_through_a_phase_and_proven_from_a_clone() {
    let packages = NPM.path();
    let sample = Sample {
        files: &[
            ("package.json", PACKAGE_JSON),
            ("package-lock.json", NPM.lock()),
            (
                "tsconfig.json",
                "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true, \"target\": \"es2022\", \"module\": \"esnext\", \
                 \"moduleResolution\": \"bundler\", \"skipLibCheck\": true, \"types\": []}, \"include\": [\"src\", \"tests\"]}\n",
            ),
            // As templates have it: packages lie in a `dist` of their own.
            (".gitignore", "node_modules\ndist\ncoverage\n"),
            (
                "src/greet.ts",
                "export function greet(name: string): string {\n  return `Hello, ${name}!`;\n}\n",
            ),
            (
                "tests/greet.test.ts",
                "import { expect, test } from \"vitest\";\nimport { greet } from \"../src/greet\";\n\n\
                 test(\"it greets by name\", () => {\n  expect(greet(\"Ada\")).toBe(\"Hello, Ada!\");\n});\n",
            ),
        ],
        work: &[
            (
                "src/farewell.ts",
                "export function farewell(name: string): string {\n  return `Goodbye, ${name}!`;\n}\n",
            ),
            (
                "tests/farewell.test.ts",
                "import { expect, test } from \"vitest\";\nimport { farewell } from \"../src/farewell\";\n\n\
                 test(\"it says goodbye by name\", () => {\n  expect(farewell(\"Ada\")).toBe(\"Goodbye, Ada!\");\n});\n\n\
                 test(\"nobody is seen off too\", () => {\n  expect(farewell(\"\")).toBe(\"Goodbye, !\");\n});\n",
            ),
        ],
        criterion: "npx vitest run tests/farewell.test.ts",
        tried: "npm test",
        runner: Runner::Vitest,
        passed: (1, 3),
        installed: Some("node_modules/vitest/dist/index.js"),
    };
    let registry = std::fs::read_to_string(packages.join(REGISTRY)).unwrap();
    let variables = [("npm_config_registry", registry.trim()), ("npm_config_offline", "true")];
    sample.check(&variables, |_, cache| copy(&packages.join("cache"), &cache.join("npm")));
}

/// As an earlier run of the project would have left it.
fn copy(from: &Path, to: &Path) {
    let words = ["-a", from.to_str().unwrap(), to.to_str().unwrap()];
    let copied = BuiltCommand::new("cp", from).run(&words).unwrap();
    assert_eq!(copied.code, 0, "{copied:?}");
}
