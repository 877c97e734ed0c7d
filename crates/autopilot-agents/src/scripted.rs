//! The scripted agent: a real child process without a model, which plays a script. It says so itself: the first line of its
//! stream always names the model `scripted`. Owns how it is asked; `stream` its lines, `reader` what they mean, `player` the
//! process itself, `hands` what the process starts.

use std::path::PathBuf;

use crate::agent::{Agent, AgentCommand, StreamReader};
use crate::request::{Access, Request};
use crate::script::Occasion;

mod hands;
mod player;
mod put;
mod reader;
mod stream;

pub use player::{Part, play};

/// The model every scripted agent says it is.
pub const MODEL: &str = "scripted";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scripted {
    /// The program that plays, and what comes before its own arguments: autopilot and its hidden command.
    pub program: PathBuf,
    pub subcommand: String,
    pub script: PathBuf,
}

impl Agent for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    /// Whatever is asked for: it has only one.
    fn model(&self, _: Option<&str>) -> Option<String> {
        Some(MODEL.to_string())
    }

    fn command(&self, request: &Request) -> AgentCommand {
        let access = match request.access {
            Access::ReadOnly => "read-only",
            Access::Writable => "writable",
        };
        let mut arguments = vec![self.subcommand.clone().into(), "--script".into()];
        arguments.push(self.script.clone().into_os_string());
        let round = request.round.to_string();
        let named = [
            ("--phase", Some(&request.phase)),
            ("--step", Some(&request.step)),
            ("--task", request.task.as_ref()),
            ("--round", Some(&round)),
        ];
        for (name, value) in named {
            // One argument each: a phase or task may begin with a dash.
            arguments.extend(value.map(|value| format!("{name}={value}").into()));
        }
        arguments.push(format!("--access={access}").into());
        AgentCommand {
            program: self.program.clone(),
            arguments,
            environment: Vec::new(),
            variables: &[],
            files: Vec::new(),
            copies: Vec::new(),
            writes: Vec::new(),
            stdin: request.prompt.clone().into_bytes(),
        }
    }

    fn reader(&self, _: &Request) -> Box<dyn StreamReader> {
        Box::new(reader::ScriptedReader::default())
    }
}

impl From<&Request> for Occasion {
    fn from(request: &Request) -> Occasion {
        Occasion {
            phase: request.phase.clone(),
            step: request.step.clone(),
            task: request.task.clone(),
            round: request.round,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_passes_for_another_model() {
        let agent = Scripted { program: "a".into(), subcommand: "b".into(), script: "c".into() };
        assert_eq!(agent.model(Some("opus")).as_deref(), Some("scripted"));
        assert_eq!(agent.model(None).as_deref(), Some("scripted"));
    }
}
