//! The bare programs, started without autopilot's agents: their command lines, a home of their own, and what they print.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use autopilot_engine::machine::Machine;
use autopilot_engine::process::{self, Environment, Finished, Order};
use autopilot_testkit::agents;
use serde_json::Value;

/// The slowest of them needs six seconds for a task on an idle machine; tests share it with many others.
const TIME_MAX: Duration = Duration::from_secs(120);

/// Dying takes a process milliseconds, on a busy machine some more.
const GONE_TIME_MAX: Duration = Duration::from_secs(20);

/// Gemini's retries, updates and statistics would reach out or wait.
const GEMINI_SETTINGS: &str = r#"{
  "general": {"enableAutoUpdate": false, "maxAttempts": 2},
  "privacy": {"usageStatisticsEnabled": false},
  "security": {"auth": {"selectedType": "gemini-api-key"}}
}"#;

/// A folder to work in and a home, both gone with it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

/// What an agent printed, line by line, and how it ended.
pub(crate) struct Told {
    pub(crate) finished: Finished,
    pub(crate) lines: Vec<Value>,
}

impl Place {
    pub(crate) fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work", "temporary"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Place { folder }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Nothing of the person's who runs the tests: no login, no settings, no proxies.
    fn environment(&self) -> Environment {
        let machine = Machine::of_this_process();
        Environment::empty()
            .also(&machine, &["PATH", "LANG"])
            .with("HOME", self.home())
            .with("TMPDIR", self.folder.path().join("temporary"))
    }

    pub(crate) fn claude(&self, url: &str, prompt: &str, more: &[&str]) -> Told {
        let environment = self
            .environment()
            .with("ANTHROPIC_BASE_URL", url)
            .with("ANTHROPIC_API_KEY", "sk-scripted")
            .with("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .with("DISABLE_AUTOUPDATER", "1")
            .with("DISABLE_TELEMETRY", "1")
            .with("CLAUDE_CODE_MAX_RETRIES", "1");
        let arguments = ["-p", prompt, "--output-format", "stream-json", "--verbose"];
        let model = ["--model", "claude-sonnet-4-5"];
        let leave = ["--permission-mode", "acceptEdits", "--allowedTools", "Write"];
        let arguments = [&arguments[..], &model, &leave, more].concat();
        self.run("claude", environment, &arguments)
    }

    pub(crate) fn codex(&self, url: &str, prompt: &str, more: &[&str]) -> Told {
        // Not below TMPDIR: its own sandbox would not find itself there.
        let home = self.home().join("codex");
        std::fs::create_dir_all(&home).unwrap();
        let environment = self.environment().with("CODEX_HOME", home).with("SCRIPTED_KEY", "x");
        let provider = format!(
            "model_providers.scripted={{name=\"scripted\",base_url=\"{url}/v1\",\
             env_key=\"SCRIPTED_KEY\",wire_api=\"responses\",request_max_retries=1,stream_max_retries=1}}"
        );
        let arguments = [
            "exec",
            "--json",
            "--skip-git-repo-check",
            "-c",
            "model_provider=scripted",
            "-c",
            &provider,
            "-c",
            "model=gpt-5.5",
            "-c",
            "check_for_update_on_startup=false",
            "-c",
            "analytics.enabled=false",
        ];
        let off = ["plugins", "apps", "unbounded_connection_retries"];
        let off: Vec<&str> = off.iter().flat_map(|name| ["--disable", name]).collect();
        // Its sandbox has a `/dev` of its own and shows nothing that lies below the real one; this is no test of it.
        let leave = ["--dangerously-bypass-approvals-and-sandbox"];
        let arguments = [&arguments[..], &off, &leave, more, &[prompt]].concat();
        self.run("codex", environment, &arguments)
    }

    pub(crate) fn gemini(&self, url: &str, prompt: &str, more: &[&str]) -> Told {
        let settings = self.home().join(".gemini");
        std::fs::create_dir_all(&settings).unwrap();
        std::fs::write(settings.join("settings.json"), GEMINI_SETTINGS).unwrap();
        let environment = self
            .environment()
            .with("GOOGLE_GEMINI_BASE_URL", url)
            .with("GEMINI_API_KEY", "scripted")
            .with("GEMINI_CLI_TRUST_WORKSPACE", "true")
            .with("GEMINI_CLI_NO_RELAUNCH", "true");
        let arguments = ["-p", prompt, "-o", "stream-json", "--approval-mode", "yolo"];
        let arguments = [&arguments[..], &["-m", "gemini-2.5-pro"], more].concat();
        self.run("gemini", environment, &arguments)
    }

    fn run(&self, name: &str, environment: Environment, arguments: &[&str]) -> Told {
        let order = Order::new(agents::path(name), self.work(), environment, TIME_MAX);
        let finished = process::run(order.arguments(arguments)).unwrap();
        let lines = finished.stdout.text().lines().map(str::to_string).collect::<Vec<_>>();
        let lines = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Told { finished, lines }
    }

    /// Everything an agent starts has something of this place in its environment, or works in it. What was killed a moment
    /// ago may take another to be gone.
    pub(crate) fn assert_no_process_left(&self) {
        let deadline = Instant::now() + GONE_TIME_MAX;
        while let Some(process) = self.process_left() {
            assert!(Instant::now() < deadline, "left behind: {process}");
            std::thread::yield_now();
        }
    }

    fn process_left(&self) -> Option<String> {
        let mark = self.folder.path();
        let processes = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        let left = processes.into_iter().find(|process| belongs(process, mark))?;
        let command = std::fs::read(left.join("cmdline")).unwrap_or_default();
        Some(String::from_utf8_lossy(&command).replace('\0', " "))
    }
}

/// A process that has just ended has neither any more.
fn belongs(process: &Path, mark: &Path) -> bool {
    let environment = std::fs::read(process.join("environ")).unwrap_or_default();
    let folder = std::fs::read_link(process.join("cwd")).unwrap_or_default();
    let mark = mark.display().to_string();
    String::from_utf8_lossy(&environment).contains(&mark) || folder.starts_with(&mark)
}

impl Told {
    /// The last line of this type.
    pub(crate) fn last(&self, kind: &str) -> &Value {
        let found = self.lines.iter().rfind(|line| line["type"] == kind);
        found.unwrap_or_else(|| unreachable!("no line {kind:?}:\n{}", self.shown()))
    }

    pub(crate) fn shown(&self) -> String {
        let finished = &self.finished;
        format!("{:?}\n{}\n{}", finished.ending, finished.stdout.text(), finished.stderr.text())
    }
}
