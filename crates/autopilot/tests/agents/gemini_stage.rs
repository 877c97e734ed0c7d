//! A project and a home for Gemini CLI, one way or the other: by its own stream, or in the Agent Client Protocol.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use autopilot_agents::gemini::TRIED_VERSION;
use autopilot_testkit::model_server::Script;
use serde_json::{Value, json};

use super::stage::{CONFIG, PLAN, Stage};

/// The two ways, by the name of the agent.
pub(crate) const WAYS: [&str; 2] = ["gemini", "gemini-acp"];

/// A user who once chose to work with a key, and who does not want it tried again.
pub(crate) fn settings() -> Value {
    json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"maxAttempts": 1},
    })
}

impl Stage {
    /// One phase with a plan of one task, and a key.
    pub(crate) fn gemini(script: Script, way: &str) -> Stage {
        let config = |_: &str| {
            let mut config: Value = serde_json::from_str(CONFIG).unwrap();
            config["autopilot"]["agent"] = way.into();
            config["autopilot"]["model"] = "gemini-2.5-pro".into();
            config.to_string()
        };
        let stage = Stage::set_up(script, "gemini", config, |it| {
            it.file(".planning/phases/01-base/01-01-PLAN.md", PLAN)
        });
        stage.keeps("settings.json", &settings().to_string());
        let url = stage.server.url();
        stage.variable("GOOGLE_GEMINI_BASE_URL", &url).variable("GEMINI_API_KEY", "scripted")
    }

    /// With a program that says its version by itself: to start the real one for that is most of the work of a test about something
    /// else.
    pub(crate) fn knowing_its_version(self) -> Stage {
        let program = self.around().join("bin/gemini");
        let real = std::fs::read_link(&program).unwrap();
        std::fs::remove_file(&program).unwrap();
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo {TRIED_VERSION} && exit\nexec '{}' \"$@\"\n",
            real.display()
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Puts a file into the folder that Gemini CLI has in the user's home.
    pub(crate) fn keeps(&self, path: &str, text: &str) {
        let path = self.home().join(".gemini").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Gemini CLI at work, which is a program of Node.js.
    pub(crate) fn gemini_at_work(&self) -> Option<u32> {
        let is_it = |command: &str| command.starts_with("node ") && command.contains("/gemini ");
        self.processes().into_iter().find(|(_, command)| is_it(command)).map(|(id, _)| id)
    }
}
