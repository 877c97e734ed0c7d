//! A project, a home and a scripted model, and the command that lets a real agent work there. Everything lies in one
//! temporary folder; nothing of the person's who runs the tests gets in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use autopilot_testkit::agents;
use autopilot_testkit::built_command::{BuiltCommand, Ended, Started};
use autopilot_testkit::model_server::{AnsweredBy, ModelServer, Script, Usage};
use autopilot_testkit::temporary_project::TemporaryProject;
use rustix::process::Signal;
use serde_json::Value;

use super::model;

const PROGRAM: &str = env!("CARGO_BIN_EXE_autopilot");
/// Claude Code takes a second to start on an idle machine, and a phase starts it up to eight times.
const TIME_MAX: Duration = Duration::from_secs(240);

const ROADMAP: &str = "# Roadmap: Way

### Phase 1: Base
**Goal**: There is a base
**Depends on**: Nothing
**Success Criteria**:
  1. The base is there -- verified by: `grep -q base lib/1`
";

pub(crate) const CONFIG: &str = r#"{
  "project": {"commands": {"compile": null, "test": "sh test.sh", "lint": null, "build": null}},
  "autopilot": {"min_phase_time": 0, "min_verify_time": 0}
}
"#;

pub(crate) const PLAN: &str = "---
phase: 01-base
plan: 01
type: execute
wave: 1
depends_on: []
files_modified: [lib/1]
autonomous: true
---

<tasks>

<task type=\"auto\">
  <name>Lay the base</name>
  <files>lib/1</files>
  <action>Write it to lib/.</action>
  <verify>
    <automated>test -s lib/1</automated>
  </verify>
  <done>The check is green.</done>
</task>

</tasks>
";

pub(crate) struct Stage {
    project: TemporaryProject,
    variables: BTreeMap<String, String>,
    pub(crate) server: ModelServer,
}

impl Stage {
    /// One phase with a plan of one task, and a key.
    pub(crate) fn planned(script: Script) -> Stage {
        let plan = |it: TemporaryProject| it.file(".planning/phases/01-base/01-01-PLAN.md", PLAN);
        Stage::of(script, plan).variable("ANTHROPIC_API_KEY", "sk-scripted")
    }

    /// One phase without a plan.
    pub(crate) fn unplanned(script: Script) -> Stage {
        Stage::of(script, Ok).variable("ANTHROPIC_API_KEY", "sk-scripted")
    }

    /// With what `more` puts into the project.
    pub(crate) fn of(
        script: Script,
        more: impl FnOnce(TemporaryProject) -> std::io::Result<TemporaryProject>,
    ) -> Stage {
        let stage = Stage::set_up(script, "claude", |_| CONFIG.to_string(), more);
        let url = stage.server.url();
        // One retry shows that there are retries; more would only take time.
        stage.variable("ANTHROPIC_BASE_URL", &url).variable("CLAUDE_CODE_MAX_RETRIES", "1")
    }

    /// With Codex, one phase and, where it is wanted, its plan. `login` says how the scripted provider gets its key.
    pub(crate) fn codex(script: Script, is_planned: bool, login: &str) -> Stage {
        let config = |url: &str| {
            let provider = format!(
                "model_providers.scripted={{name=\"scripted\",base_url=\"{url}/v1\",wire_api=\"responses\",request_max_retries=1,stream_max_retries=1,{login}}}"
            );
            let arguments = ["-c", "model_provider=scripted", "-c", &provider];
            let mut config: Value = serde_json::from_str(CONFIG).unwrap();
            config["autopilot"]["agent"] = "codex".into();
            config["autopilot"]["model"] = "gpt-5.5".into();
            config["autopilot"]["codex_arguments"] = arguments.as_slice().into();
            config.to_string()
        };
        Stage::set_up(script, "codex", config, |it| match is_planned {
            true => it.file(".planning/phases/01-base/01-01-PLAN.md", PLAN),
            false => Ok(it),
        })
    }

    /// With this agent in `PATH`. `config` is made of the model's address.
    pub(crate) fn set_up(
        script: Script,
        agent: &str,
        config: impl FnOnce(&str) -> String,
        more: impl FnOnce(TemporaryProject) -> std::io::Result<TemporaryProject>,
    ) -> Stage {
        let server = ModelServer::start(script).unwrap();
        let project = TemporaryProject::named("way")
            .and_then(|it| it.file("test.sh", "true\n"))
            .and_then(|it| it.file("lib/README", "The parts.\n"))
            .and_then(|it| it.file(".planning/config.json", config(&server.url())))
            .and_then(|it| it.file(".planning/ROADMAP.md", ROADMAP))
            .and_then(more)
            .unwrap();
        let stage = Stage::around_project(project, agent, server);
        stage.git(&["init", "--quiet", "--initial-branch=main"]);
        stage.git(&["config", "user.name", "A Person"]);
        stage.git(&["config", "user.email", "person@example.org"]);
        stage.commit_all();
        stage
    }

    /// Claude Code with a key, in a project of somebody who never heard of roadmaps.
    pub(crate) fn plain(script: Script, project: TemporaryProject) -> Stage {
        let stage = Stage::around_project(project, "claude", ModelServer::start(script).unwrap());
        let url = stage.server.url();
        stage.git(&["init", "--quiet", "--initial-branch=main"]);
        stage.git(&["config", "user.name", "A Person"]);
        stage.git(&["config", "user.email", "person@example.org"]);
        stage.commit_all();
        stage
            .variable("ANTHROPIC_BASE_URL", &url)
            .variable("ANTHROPIC_API_KEY", "sk-scripted")
            .variable("CLAUDE_CODE_MAX_RETRIES", "1")
            .variable("AUTOPILOT_MIN_VERIFY_TIME", "0")
    }

    fn around_project(project: TemporaryProject, agent: &str, server: ModelServer) -> Stage {
        let stage = Stage { project, variables: BTreeMap::new(), server };
        for folder in [stage.home(), stage.around().join("temporary"), stage.around().join("bin")] {
            std::fs::create_dir(folder).unwrap();
        }
        let link = stage.around().join("bin").join(agent);
        std::os::unix::fs::symlink(agents::path(agent), link).unwrap();
        stage
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let ended = self.environment(BuiltCommand::new("git", self.root())).run(arguments);
        assert_eq!(ended.unwrap().code, 0, "{arguments:?}");
    }

    pub(crate) fn commit_all(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", "the project as it is"]);
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Stage {
        self.variables.insert(name.to_string(), value.to_string());
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Stage {
        self.variables.remove(name);
        self
    }

    /// Changes a setting of the project.
    pub(crate) fn set(&self, section: &str, name: &str, value: Value) {
        let path = self.root().join(".planning/config.json");
        let mut config: Value =
            serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap_or_default();
        config[section][name] = value;
        std::fs::write(&path, config.to_string()).unwrap();
        self.commit_all();
    }

    /// How often the logs of the attempts have these words.
    pub(crate) fn logged(&self, words: &str) -> usize {
        let logs = self.root().join(".autopilot/logs");
        let runs = std::fs::read_dir(logs).into_iter().flatten().flatten();
        let files = runs.flat_map(|run| std::fs::read_dir(run.path())).flatten().flatten();
        let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
        texts.map(|text| text.matches(words).count()).sum()
    }

    pub(crate) fn root(&self) -> &Path {
        self.project.root()
    }

    pub(crate) fn around(&self) -> &Path {
        self.project.around()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.around().join("home")
    }

    fn environment(&self, command: BuiltCommand) -> BuiltCommand {
        let around = self.around().to_str().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .variable("HOME", &format!("{around}/home"))
            .variable("XDG_STATE_HOME", &format!("{around}/state"))
            .variable("TMPDIR", &format!("{around}/temporary"))
            .variable("PATH", &format!("{around}/bin:{path}"))
            .variable("GIT_CONFIG_NOSYSTEM", "1")
            // A login that has to be renewed would reach out.
            .variable("HTTPS_PROXY", "http://127.0.0.1:9")
            .variable("NO_PROXY", "127.0.0.1")
    }

    pub(crate) fn command(&self) -> BuiltCommand {
        let command = BuiltCommand::new(PROGRAM, self.root()).columns(100).time_max(TIME_MAX);
        let command = self.environment(command);
        self.variables.iter().fold(command, |command, (name, value)| command.variable(name, value))
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.command().run(arguments).unwrap()
    }

    /// Every step of the phase, each asked for once and answered well, and the spend to the token.
    pub(crate) fn whole_phase(&self) -> Ended {
        let ended = self.run(&["run", "1", "--depth", "full"]);
        let shown = self.shown(&ended);
        assert_eq!(ended.code, 0, "{shown}");
        let requests = self.server.requests();
        let roles = requests.iter().filter_map(|one| model::role(&one.request));
        let mut roles: Vec<String> = roles.collect();
        roles.dedup();
        let expected = [
            "research",
            "plan",
            "plan_check",
            "execute",
            "verify",
            "judge",
            "judge_divergence",
            "rate",
        ];
        assert_eq!(roles, expected, "{shown}");
        assert!(requests.iter().all(|one| one.by == AnsweredBy::Choice), "{shown}");
        assert_ne!(self.server.served(), Usage::default());
        assert_eq!(self.spent(), self.server.served(), "{shown}");
        self.assert_spend_is_told_by_step_and_model(&expected);
        self.assert_no_process_left();
        ended
    }

    /// The report has one attempt of each step, with the model that the server was asked for.
    fn assert_spend_is_told_by_step_and_model(&self, steps: &[&str]) {
        let folder = std::fs::read_dir(self.root().join(".autopilot")).unwrap();
        let mut paths = folder.map(|entry| entry.unwrap().path());
        let is_report = |path: &PathBuf| path.to_string_lossy().contains("/completion-20");
        let report = std::fs::read_to_string(paths.find(is_report).unwrap()).unwrap();
        let requests = self.server.requests();
        let models = requests.iter().filter_map(|one| one.request.body["model"].as_str());
        let models: BTreeSet<&str> = models.collect();
        let (_, table) = report.split_once("\n## Spent\n").unwrap();
        for step in steps {
            let is_row = |line: &&str| line.starts_with(&format!("| {step} |"));
            let cells: Vec<&str> = table.lines().find(is_row).unwrap().split(" | ").collect();
            assert!(models.contains(cells[2]) && cells[3] == "1", "{models:?} {report}");
        }
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Started {
        self.command().start(arguments).unwrap()
    }

    /// The events of the newest run so far.
    pub(crate) fn events(&self) -> Vec<Value> {
        let folders = ["journal", "archive"].map(|name| self.root().join(".autopilot").join(name));
        let entries = folders.iter().flat_map(std::fs::read_dir).flatten().flatten();
        let is_journal =
            |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
        let journal = entries.map(|entry| entry.path()).find(is_journal);
        let text = journal.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let values = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        values.map(|mut value| value["event"].take()).collect()
    }

    pub(crate) fn first(&self, kind: &str) -> Option<Value> {
        self.events().into_iter().find(|event| event["type"] == kind)
    }

    /// What the journal says that all attempts have spent.
    pub(crate) fn spent(&self) -> Usage {
        self.events().iter().map(spend_of).sum()
    }

    /// Processes that have something of this stage in their environment, as everything an agent starts has.
    pub(crate) fn processes(&self) -> Vec<(u32, String)> {
        let mark = self.around().display().to_string();
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            if String::from_utf8_lossy(&environment).contains(&mark) {
                let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                found.push((id, String::from_utf8_lossy(&command).replace('\0', " ")));
            }
        }
        found
    }

    /// The agent at work: a process of that program with that word among its arguments.
    pub(crate) fn at_work(&self, program: &str, argument: &str) -> Option<u32> {
        let is_it = |command: &str| {
            command.split(' ').next().is_some_and(|word| word.ends_with(&format!("/{program}")))
                && command.contains(argument)
        };
        self.processes().into_iter().find(|(_, command)| is_it(command)).map(|(id, _)| id)
    }

    /// Runs until the first attempt of an agent has failed, stops there, and gives back how it failed.
    pub(crate) fn failure(&self) -> (Value, Ended) {
        let mut run = self.start(&["run", "1"]);
        let failed = || self.first("step_failed");
        soon("a step failed", || {
            failed().is_some() || run.ends_within(Duration::from_millis(20)).unwrap()
        });
        // It may be over by itself.
        let _ = run.signal(Signal::INT);
        let ended = run.finish().unwrap();
        self.assert_no_process_left();
        let failure =
            failed().unwrap_or_else(|| unreachable!("nothing failed: {}", self.shown(&ended)));
        (failure["failure"].clone(), ended)
    }

    /// What the attempt that failed first has spent. Another may have begun since.
    pub(crate) fn first_spend(&self) -> Usage {
        self.first("step_failed").map(|event| spend_of(&event)).unwrap_or_default()
    }

    /// Neither by what is in its environment nor by the group it was started in.
    pub(crate) fn assert_no_process_left(&self) {
        soon("the last process ends", || self.processes().is_empty());
        for event in self.events().iter().filter(|event| event["type"] == "attempt_spawned") {
            let id = event["group"]["id"].as_i64().and_then(|id| i32::try_from(id).ok());
            let group = id.and_then(rustix::process::Pid::from_raw).unwrap();
            soon("the group ends", || rustix::process::test_kill_process_group(group).is_err());
        }
    }

    pub(crate) fn shown(&self, ended: &Ended) -> String {
        let requests = self.server.requests();
        let answers: Vec<String> =
            requests.iter().map(|one| format!("{:?} {:?}", one.by, one.ending)).collect();
        let events: Vec<String> = self.events().iter().map(|event| format!("{event}")).collect();
        format!("{ended:#?}\n{}\n{}", answers.join("\n"), events.join("\n"))
    }
}

/// What an event says an attempt has spent.
pub(crate) fn spend_of(event: &Value) -> Usage {
    let spend = if event["work"].is_null() { &event["spend"] } else { &event["work"]["spend"] };
    let number = |name: &str| spend[name].as_u64().unwrap_or_default();
    Usage {
        input: number("input"),
        output: number("output"),
        cache_read: number("cache_read"),
        cache_write: number("cache_write"),
    }
}

/// Waits for what must come true. The longest any of it takes on an idle machine is half a minute, for 300 turns.
pub(crate) fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + Duration::from_secs(240);
    while !holds() {
        assert!(std::time::Instant::now() < deadline, "it did not come true that {what}");
        std::thread::yield_now();
    }
}
