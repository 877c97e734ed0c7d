//! The sample project and the command in it: a shell project with instant checks whose agent plays a script. Everything a run
//! touches, slots included, lies in one temporary folder.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use autopilot_engine::machine::Machine;
use autopilot_engine::slot;
use autopilot_testkit::built_command::{BuiltCommand, Ended, Started};
use autopilot_testkit::temporary_project::TemporaryProject;

use super::{PROGRAM, script};

const ROADMAP: &str = "# Roadmap: Way

## Phases

- [ ] **Phase 1: Base** - There is a base
- [ ] **Phase 2: Left** - There is a way on the left
- [ ] **Phase 3: Right** - There is a way on the right
- [ ] **Phase 4: Join** - Both ways meet
- [ ] **Phase 5: Top** - There is a top with a red flag

## Phase Details

### Phase 1: Base
**Goal**: There is a base
**Depends on**: Nothing
**Success Criteria**:
  1. The base is there -- verified by: `grep -q base lib/1`
  2. The base is pleasant to look at

### Phase 2: Left
**Goal**: There is a way on the left
**Depends on**: Phase 1
**Success Criteria**:
  1. The way is there -- verified by: `test -s lib/2`

### Phase 3: Right
**Goal**: There is a way on the right
**Depends on**: Phase 1
**Success Criteria**:
  1. The way is there -- verified by: `grep -q right lib/3`

### Phase 4: Join
**Goal**: Both ways meet
**Depends on**: Phases 2, 3
**Success Criteria**:
  1. They meet -- verified by: `grep -q joined lib/4`

### Phase 5: Top
**Goal**: There is a top with a red flag
**Depends on**: Phase 4
**Success Criteria**:
  1. The top is there -- verified by: `grep -q top lib/5`
";

const CONFIG: &str = r#"{
  "project": {"commands": {"compile": null, "test": "sh test.sh", "lint": null, "build": null}},
  "autopilot": {"agent": "scripted", "script": "../script.json",
                "min_phase_time": 0, "min_verify_time": 0}
}
"#;

const TESTS: &str =
    "for one in tests/*.sh; do\n  [ -e \"$one\" ] || continue\n  sh \"$one\" || exit 1\ndone\n";

/// A roadmap with one phase whose only criterion is that `lib/1` says so.
const SMALL_ROADMAP: &str = "# Roadmap: Way

### Phase 1: Base
**Goal**: There is a base
**Depends on**: Nothing
**Success Criteria**:
  1. The base is there -- verified by: `grep -q base lib/1`
";

const THREE: &str = "# Roadmap: Way

### Phase 1: Part
**Success Criteria**:
  1. It is there -- verified by: `test -s lib/1`

### Phase 2: Part
**Success Criteria**:
  1. It is there -- verified by: `test -s lib/2`

### Phase 3: Part
**Depends on**: Phase 2
**Success Criteria**:
  1. It is there -- verified by: `test -s lib/3`
";

pub(crate) struct Project {
    project: TemporaryProject,
    variables: Vec<(String, String)>,
}

impl Project {
    /// The five phases.
    pub(crate) fn sample() -> Project {
        let tasks = [
            ("Reach the top", "test -s lib/5", ""),
            ("Put a flag on it", "grep -q red lib/flag", ""),
        ];
        let plan = script::plan_text(5, "05-top", &tasks);
        let project = bare("way")
            .file(".planning/ROADMAP.md", ROADMAP)
            .and_then(|it| it.file(".planning/phases/05-top/05-01-PLAN.md", plan))
            .unwrap();
        Project::committed(project, &script::sample())
    }

    /// One phase with a user's plan and these entries for its agent.
    pub(crate) fn small(entries: Vec<serde_json::Value>) -> Project {
        Project::with_test(TESTS, entries)
    }

    /// The same with a test command of one's own.
    pub(crate) fn with_test(test: &str, entries: Vec<serde_json::Value>) -> Project {
        let plan = script::plan_text(1, "01-base", &[("Lay the base", "test -s lib/1", "")]);
        let project = bare("way")
            .file(".planning/ROADMAP.md", SMALL_ROADMAP)
            .and_then(|it| it.file(".planning/phases/01-base/01-01-PLAN.md", plan))
            .and_then(|it| it.file("test.sh", test))
            .unwrap();
        Project::committed(project, &script::script(entries))
    }

    /// The same in this folder, with settings of its own.
    pub(crate) fn small_in(
        project: TemporaryProject,
        config: &str,
        entries: Vec<serde_json::Value>,
    ) -> Project {
        let plan = script::plan_text(1, "01-base", &[("Lay the base", "test -s lib/1", "")]);
        let project = filled(project)
            .file(".planning/ROADMAP.md", SMALL_ROADMAP)
            .and_then(|it| it.file(".planning/phases/01-base/01-01-PLAN.md", plan))
            .and_then(|it| it.file(".planning/config.json", config))
            .unwrap();
        Project::committed(project, &script::script(entries))
    }

    /// Three phases with a user's plan each, the third after the second.
    pub(crate) fn three(entries: Vec<serde_json::Value>) -> Project {
        let mut project = bare("way").file(".planning/ROADMAP.md", THREE).unwrap();
        for number in 1..=3 {
            let (folder, check) = (format!("{number:02}-part"), format!("test -s lib/{number}"));
            let plan = script::plan_text(number, &folder, &[("Make it", &check, "")]);
            let path = format!(".planning/phases/{folder}/{number:02}-01-PLAN.md");
            project = project.file(&path, plan).unwrap();
        }
        Project::committed(project, &script::script(entries))
    }

    /// One phase whose only criterion somebody has to judge, with a user's plan of one task.
    pub(crate) fn standing(entries: Vec<serde_json::Value>) -> Project {
        Project::judged(&[("Lay the base", "test -e lib/README", "")], entries)
    }

    /// The same with two tasks.
    pub(crate) fn undoing(entries: Vec<serde_json::Value>) -> Project {
        let tasks =
            [("Lay the base", "test -e lib/1", ""), ("Take it away", "test ! -e lib/1", "")];
        Project::judged(&tasks, entries)
    }

    fn judged(tasks: &[(&str, &str, &str)], entries: Vec<serde_json::Value>) -> Project {
        let plan = script::plan_text(1, "01-base", tasks);
        let roadmap = SMALL_ROADMAP.replace(" -- verified by: `grep -q base lib/1`", "");
        let project = bare("way")
            .file(".planning/ROADMAP.md", roadmap)
            .and_then(|it| it.file(".planning/phases/01-base/01-01-PLAN.md", plan))
            .unwrap();
        Project::committed(project, &script::script(entries))
    }

    /// The small one, without a plan.
    pub(crate) fn unplanned(entries: Vec<serde_json::Value>) -> Project {
        let project = bare("way").file(".planning/ROADMAP.md", SMALL_ROADMAP).unwrap();
        Project::committed(project, &script::script(entries))
    }

    /// This one, with everything in it committed.
    pub(crate) fn committed(project: TemporaryProject, script: &str) -> Project {
        std::fs::write(project.around().join("script.json"), script).unwrap();
        let it = Project { project, variables: Vec::new() };
        for arguments in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["config", "user.name", "A Person"],
            &["config", "user.email", "person@example.org"],
            &["add", "--all"],
            &["commit", "--quiet", "-m", "the project as it was"],
        ] {
            it.git(arguments);
        }
        it
    }

    /// A project like this one was made, in a folder of its own.
    pub(crate) fn copy(&self) -> Project {
        let project = TemporaryProject::named("way").unwrap();
        let copied = tool("cp", self.around())
            .run(&["-a", "way", "script.json", project.around().to_str().unwrap()])
            .unwrap();
        assert_eq!(copied.code, 0, "{copied:?}");
        Project { project, variables: Vec::new() }
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Project {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_string(), value.to_string()));
        self
    }

    pub(crate) fn root(&self) -> &Path {
        self.project.root()
    }

    pub(crate) fn around(&self) -> &Path {
        self.project.around()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.root().join(".autopilot")
    }

    /// For agents that do what the fence would not let them: what they do is not believed either.
    pub(crate) fn unfenced(self) -> Project {
        std::fs::create_dir_all(self.cache()).unwrap();
        self.variable("AUTOPILOT_FENCE", "false")
    }

    /// The folder beside the slot in which agents and checks may leave something for a test.
    pub(crate) fn cache(&self) -> PathBuf {
        self.slot(1).with_file_name("cache")
    }

    /// What checks may write beside their tree.
    pub(crate) fn proof_cache(&self) -> PathBuf {
        self.slot(1).with_file_name("proof-cache")
    }

    pub(crate) fn slot(&self, number: usize) -> PathBuf {
        let machine = Machine::with_variables([("XDG_STATE_HOME", self.around().join("state"))]);
        slot::folder_of(&machine, self.root(), number).unwrap()
    }

    pub(crate) fn command(&self) -> BuiltCommand {
        self.command_of(PROGRAM)
    }

    /// The same with the program in another place.
    pub(crate) fn command_of(&self, program: &str) -> BuiltCommand {
        let mut command = self.environment(BuiltCommand::new(program, self.root()).columns(100));
        for (name, value) in &self.variables {
            command = command.variable(name, value);
        }
        command
    }

    fn environment(&self, command: BuiltCommand) -> BuiltCommand {
        let around = self.around().to_str().unwrap();
        command
            .variable("HOME", around)
            .variable("XDG_STATE_HOME", &format!("{around}/state"))
            .variable("GIT_CONFIG_NOSYSTEM", "1")
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.command().run(arguments).unwrap()
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Started {
        self.command().start(arguments).unwrap()
    }

    /// What git says; it must succeed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let ended = self.try_git(arguments);
        assert_eq!(ended.code, 0, "git {arguments:?}: {ended:?}");
        ended.stdout
    }

    pub(crate) fn try_git(&self, arguments: &[&str]) -> Ended {
        self.environment(BuiltCommand::new("git", self.root())).run(arguments).unwrap()
    }

    /// The journals, under way or archived.
    pub(crate) fn journal(&self) -> PathBuf {
        let in_folder = |name: &str| {
            let entries =
                std::fs::read_dir(self.state().join(name)).into_iter().flatten().flatten();
            entries
                .map(|entry| entry.path())
                .find(|path| path.extension().is_some_and(|it| it == "jsonl"))
        };
        in_folder("journal").or_else(|| in_folder("archive")).unwrap()
    }
}

fn bare(name: &str) -> TemporaryProject {
    filled(TemporaryProject::named(name).unwrap())
}

fn filled(project: TemporaryProject) -> TemporaryProject {
    project
        .file("test.sh", TESTS)
        .and_then(|it| it.file("lib/README", "The parts.\n"))
        .and_then(|it| it.file(".planning/config.json", CONFIG))
        .unwrap()
}

fn tool(name: &str, folder: &Path) -> BuiltCommand {
    BuiltCommand::new(name, folder)
}

/// Waits for what must come true soon.
pub(crate) fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not come true");
        std::thread::yield_now();
    }
}
