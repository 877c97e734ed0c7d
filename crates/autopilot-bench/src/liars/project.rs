//! The project of a case on disk: its files, the planning files that make one phase of them, and a commit of it all. So that no planner
//! is asked the plan is there already, as if a person had written it.

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use autopilot_engine::machine::Machine;
use autopilot_testkit::built_command::{BuiltCommand, Ended};
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::json;

use super::case::{Case, Criterion, Task};
use super::script;

/// A case that takes longer is hanging; the slowest, which calls a compiler, takes some ten seconds on a busy machine.
const CASE_TIME_MAX: Duration = Duration::from_secs(120);
/// Lines are looked at one by one, so that none may be broken for the screen.
const COLUMNS: u16 = 60_000;
/// The folder of the phase and its plan.
pub(super) const PLAN: &str = ".planning/phases/01-work/01-01-PLAN.md";

pub(super) struct Project {
    project: TemporaryProject,
}

impl Project {
    pub(super) fn of(case: &Case) -> Result<Project> {
        let mut project = TemporaryProject::named("way")?
            .file(".planning/ROADMAP.md", roadmap(&case.criteria))?
            .file(".planning/config.json", config(case))?
            .file(PLAN, plan(&case.tasks))?;
        for (path, text) in &case.before {
            project = project.file(path, text)?;
            if is_program(text) {
                let runs = std::fs::Permissions::from_mode(0o755);
                std::fs::set_permissions(project.root().join(path), runs)?;
            }
        }
        std::fs::write(project.around().join("script.json"), script::of(case).to_string())?;
        let project = Project { project };
        for arguments in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["config", "user.name", "A Person"],
            &["config", "user.email", "person@example.org"],
            &["add", "--all"],
            &["commit", "--quiet", "-m", "the project as it was"],
        ] {
            let ended =
                project.environment(BuiltCommand::new("git", project.root())).run(arguments)?;
            ensure!(ended.code == 0, "git {arguments:?}: {}", ended.stderr);
        }
        Ok(project)
    }

    pub(super) fn root(&self) -> &Path {
        self.project.root()
    }

    /// Lets the built program do the phase.
    pub(super) fn run(&self, autopilot: &Path) -> Result<Ended> {
        let program = autopilot.to_str().context("the program's path is no text")?;
        let command = BuiltCommand::new(program, self.root()).columns(COLUMNS);
        let command = self.environment(command).time_max(CASE_TIME_MAX);
        Ok(command.run(&["run", "1"])?)
    }

    /// Nothing of the person's who measures, but for where the compiler lies.
    fn environment(&self, command: BuiltCommand) -> BuiltCommand {
        let around = self.project.around().display().to_string();
        let machine = Machine::of_this_process();
        let own = machine.home().map(|home| home.join(".rustup"));
        let rustup = machine.variable("RUSTUP_HOME").map(Into::into).or(own);
        let command = command
            .variable("HOME", &around)
            .variable("XDG_STATE_HOME", &format!("{around}/state"))
            .variable("GIT_CONFIG_NOSYSTEM", "1");
        match rustup.filter(|folder| folder.is_dir()) {
            Some(folder) => command.variable("RUSTUP_HOME", &folder.display().to_string()),
            None => command,
        }
    }
}

/// What begins with `#!` is meant to be started.
pub(super) fn is_program(text: &str) -> bool {
    text.starts_with("#!")
}

fn roadmap(criteria: &[Criterion]) -> String {
    let mut text = "# Roadmap: Way\n\n### Phase 1: Work\n**Goal**: The work is done\n**Depends on**: Nothing\n\
                    **Success Criteria**:\n"
        .to_string();
    let listed = criteria.iter().flat_map(|criterion| {
        let shown = (criterion.command.as_ref(), "verified by");
        let hidden = (criterion.hidden.as_ref(), "verified by (hidden)");
        let is_prose = criterion.command.is_none() && criterion.hidden.is_none();
        let proven = [shown, hidden].into_iter().filter_map(|(command, by)| {
            Some(format!("{} -- {by}: {}", criterion.text, quoted(command?)))
        });
        proven.chain(is_prose.then(|| criterion.text.clone())).collect::<Vec<_>>()
    });
    for (number, line) in (1..).zip(listed) {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "  {number}. {line}");
    }
    text
}

/// As inline code, also where the command has backticks of its own.
fn quoted(command: &str) -> String {
    match command.contains('`') {
        true => format!("`` {command} ``"),
        false => format!("`{command}`"),
    }
}

/// A worker that always does the same is not waited for: the breakers would hold the run up for minutes.
fn config(case: &Case) -> String {
    let commands = &case.commands;
    let config = json!({
        "project": {"commands": {
            "compile": commands.compile, "lint": commands.lint, "test": commands.test, "build": commands.build
        }},
        "circuit_breaker_config": {
            "no_progress_threshold": 1_000, "same_error_threshold": 1_000,
            "max_debug_attempts_per_phase": 1, "max_total_retries_per_run": 1_000
        },
        "autopilot": {"agent": "scripted", "script": "../script.json", "min_phase_time": 0, "min_verify_time": 0}
    });
    format!("{config:#}\n")
}

fn plan(tasks: &[Task]) -> String {
    let files: Vec<&str> = tasks.iter().flat_map(|task| &task.files).map(String::as_str).collect();
    let mut text = format!(
        "---\nphase: 01-work\nplan: 01\ntype: execute\nwave: 1\ndepends_on: []\nfiles_modified: [{}]\n\
         autonomous: true\n---\n\n<tasks>\n",
        files.join(", ")
    );
    for task in tasks {
        let (name, files) = (&task.name, task.files.join(", "));
        text.push_str(&format!(
            "\n<task type=\"auto\">\n  <name>{name}</name>\n  <files>{files}</files>\n  <action>{name}.</action>\n  \
             <verify>The criteria of the phase hold.</verify>\n  <done>{name}.</done>\n</task>\n"
        ));
    }
    text.push_str("\n</tasks>\n");
    text
}
