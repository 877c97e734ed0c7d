//! The commands that measure a project: compile, test, lint, build. Taken from the config, else detected from the project's
//! manifests (ROAD-8). Looks only at texts handed in; whether a command works is tried by the engine.

mod detect;

use std::collections::BTreeMap;

use crate::config::{Configured, ProjectConfig};
use crate::finding::{Finding, Findings, Severity};

/// What a command measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    Compile,
    Test,
    Lint,
    Build,
}

impl Slot {
    pub const ALL: [Slot; 4] = [Slot::Compile, Slot::Test, Slot::Lint, Slot::Build];

    pub fn word(self) -> &'static str {
        match self {
            Slot::Compile => "compile",
            Slot::Test => "test",
            Slot::Lint => "lint",
            Slot::Build => "build",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCommand {
    pub line: String,
    /// The file it comes from.
    pub source: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commands {
    by_slot: BTreeMap<Slot, ProjectCommand>,
    /// Slots the user set to `null`: decided, not missing.
    pub declined: Vec<Slot>,
}

impl Commands {
    pub fn get(&self, slot: Slot) -> Option<&ProjectCommand> {
        self.by_slot.get(&slot)
    }

    pub fn iter(&self) -> impl Iterator<Item = (Slot, &ProjectCommand)> {
        self.by_slot.iter().map(|(slot, command)| (*slot, command))
    }

    pub fn is_empty(&self) -> bool {
        self.by_slot.is_empty()
    }

    /// The files the commands come from, each once.
    pub fn sources(&self) -> Vec<&str> {
        let mut sources: Vec<&str> = Vec::new();
        for command in self.by_slot.values() {
            if !sources.contains(&command.source.as_str()) {
                sources.push(&command.source);
            }
        }
        sources
    }
}

/// The files of the project's root that commands are detected from, by name; and which other files are there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifests {
    pub texts: BTreeMap<String, String>,
    pub present: Vec<String>,
}

/// Manifests in the order they are asked; the first that knows a command for a slot gives it.
pub const MANIFESTS: [&str; 17] = [
    "package.json",
    "pyproject.toml",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Makefile",
    "pytest.ini",
    "setup.cfg",
    "requirements.txt",
    "requirements-dev.txt",
    "requirements_dev.txt",
    "requirements-test.txt",
    "requirements_test.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
];

/// Files whose presence alone changes how a command is spelled.
pub const MARKERS: [&str; 14] = [
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "tsconfig.json",
    "uv.lock",
    "poetry.lock",
    "mvnw",
    "gradlew",
    "pytest.ini",
    "tests",
    "test",
    "setup.cfg",
    "ruff.toml",
];

pub fn settle(
    config_file: &str,
    config: &ProjectConfig,
    manifests: &Manifests,
) -> (Commands, Vec<Finding>) {
    let mut findings = Vec::new();
    let detected = detect::all(manifests, config.manifest.as_deref(), &mut findings);
    let mut commands = Commands::default();
    for slot in Slot::ALL {
        match configured(config, slot) {
            Configured::Line(line) => {
                let command =
                    ProjectCommand { line: line.clone(), source: config_file.to_string() };
                commands.by_slot.insert(slot, command);
            }
            Configured::None => commands.declined.push(slot),
            Configured::Absent => {
                let mut found =
                    detected.iter().filter(|(found, _)| *found == slot).map(|(_, command)| command);
                let Some(first) = found.next() else { continue };
                commands.by_slot.insert(slot, first.clone());
                if let Some(other) = found.find(|other| other.line != first.line) {
                    let mut note = Findings::of_file(other.source.clone());
                    note.whole_file(
                        Severity::Note,
                        format!(
                            "{} could also be {:?}; {:?} ({}) is used, set project.commands.{} to choose",
                            slot.word(), other.line, first.line, first.source, slot.word()
                        ),
                    );
                    findings.extend(note.into_list());
                }
            }
        }
    }
    (commands, findings)
}

fn configured(config: &ProjectConfig, slot: Slot) -> &Configured {
    match slot {
        Slot::Compile => &config.compile,
        Slot::Test => &config.test,
        Slot::Lint => &config.lint,
        Slot::Build => &config.build,
    }
}

#[cfg(test)]
#[path = "commands_tests.rs"]
mod tests;
