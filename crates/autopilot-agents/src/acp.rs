//! Agents that speak the Agent Client Protocol. The protocol is a dialogue, and an agent here is a command with a stream: so autopilot
//! itself, as a child of its own, talks to the agent (`client`) and prints small lines of ours (`line`) that `reader` understands. Owns how
//! that child is started.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::agent::{Agent, AgentCommand, StreamReader};
use crate::gemini::{self, Gemini};
use crate::request::{Access, Request};

mod client;
mod dialogue;
mod ending_child;
mod line;
mod permission;
mod reader;
mod transport;
mod updates;
mod verdict;

pub use client::{Conversation, converse};

/// How autopilot is started to talk to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Autopilot itself.
    pub program: PathBuf,
    pub subcommand: String,
}

impl Client {
    fn arguments(&self, access: Access, agent: Vec<OsString>) -> Vec<OsString> {
        let access = match access {
            Access::ReadOnly => "--access=read-only",
            Access::Writable => "--access=writable",
        };
        let own = [self.subcommand.as_str(), access, "--"].map(OsString::from);
        own.into_iter().chain(agent).collect()
    }
}

/// Any program that speaks it. Which model it uses is its own choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcpAgent {
    pub client: Client,
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Names of variables that the user lets it have.
    pub variables: Vec<String>,
}

impl Agent for AcpAgent {
    fn name(&self) -> &str {
        "acp"
    }

    fn more_variables(&self) -> &[String] {
        &self.variables
    }

    fn model(&self, _: Option<&str>) -> Option<String> {
        None
    }

    fn command(&self, request: &Request) -> AgentCommand {
        let agent = [self.program.clone().into()].into_iter().chain(self.arguments.iter().cloned());
        AgentCommand {
            program: self.client.program.clone(),
            arguments: self.client.arguments(request.access, agent.collect()),
            environment: Vec::new(),
            variables: &[],
            files: Vec::new(),
            copies: Vec::new(),
            writes: Vec::new(),
            stdin: request.prompt.clone().into_bytes(),
        }
    }

    fn reader(&self, _: &Request) -> Box<dyn StreamReader> {
        Box::new(reader::AcpReader::default())
    }
}

/// Gemini CLI, by `gemini --acp`: the same home, login and settings as without it, and the same file with what it spends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeminiAcp {
    pub client: Client,
    pub gemini: Gemini,
}

impl Agent for GeminiAcp {
    fn name(&self) -> &str {
        "gemini-acp"
    }

    fn model(&self, asked: Option<&str>) -> Option<String> {
        self.gemini.model(asked)
    }

    fn command(&self, request: &Request) -> AgentCommand {
        let program = self.gemini.program.clone().into();
        let fixed = ["--acp", "--extensions", "none"].map(OsString::from);
        let model = self.gemini.model_arguments(request).into_iter().flatten();
        let agent = [program].into_iter().chain(fixed).chain(model).collect();
        let arguments = self.client.arguments(request.access, agent);
        let stdin = request.prompt.clone().into_bytes();
        let command = self.gemini.started_with(request, arguments, stdin);
        AgentCommand { program: self.client.program.clone(), ..command }
    }

    fn reader(&self, request: &Request) -> Box<dyn StreamReader> {
        Box::new(reader::AcpReader::with_sessions(gemini::sessions(request)))
    }
}

#[cfg(test)]
#[path = "acp/command_tests.rs"]
mod tests;
