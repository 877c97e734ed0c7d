//! What an agent is to everybody else: a command to start, a stream to read, an end to understand. Pure, so that every agent
//! can be tried on captured streams.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::activity::Activity;
use crate::ending::{Ending, Stopped};
use crate::request::Request;
use crate::waits_for::WaitsFor;

pub trait Agent: std::fmt::Debug + Send + Sync {
    /// For people and records.
    fn name(&self) -> &str;
    /// The model it will use when this one is asked for; `None` where the choice is its own.
    fn model(&self, asked: Option<&str>) -> Option<String> {
        asked.map(str::to_string)
    }
    /// Variables of the user that it gets beside those that its command lists, where that depends on the user.
    fn more_variables(&self) -> &[String] {
        &[]
    }
    /// It is told what it may cost and stops by itself, knowing better than anybody what its tokens cost.
    fn holds_its_cost(&self) -> bool {
        false
    }
    fn command(&self, request: &Request) -> AgentCommand;
    /// A reader for the stream of one such command.
    fn reader(&self, request: &Request) -> Box<dyn StreamReader>;
}

/// Reads one stream, line by line, and says in the end what it was.
pub trait StreamReader: Send {
    /// A line of stdout without its line feed. It may be cut, empty, or no text at all.
    fn read_line(&mut self, line: &[u8]) -> Vec<Activity>;
    /// Files beside the stream in which it tells more, once it is known which.
    fn side_file(&self) -> Option<SideFile> {
        None
    }
    /// A line of these files, as of the stream.
    fn read_side_line(&mut self, _line: &[u8]) -> Vec<Activity> {
        Vec::new()
    }
    /// What is left to tell once the stream and the file were read to their ends.
    fn rest(&mut self) -> Vec<Activity> {
        Vec::new()
    }
    /// What it waits for now, as far as its stream tells: such silence is no sign of trouble for longer.
    fn waits_for(&self) -> Option<WaitsFor> {
        None
    }
    /// It is at work and gets nowhere, as its lines show: it is ended as one that is silent is.
    fn is_stuck(&self) -> bool {
        false
    }
    fn conclude(self: Box<Self>, stopped: &Stopped) -> Ending;
}

/// Every file somewhere below a folder whose name ends in one of these ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideFile {
    pub folder: PathBuf,
    pub name_ends: Vec<String>,
}

/// Something an agent is handed in its scratch folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handed {
    Bytes(Vec<u8>),
    /// A link to a file of the user's, such as a stored login, that the agent may read and renew.
    LinkTo(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCommand {
    /// A name to be looked for in `PATH`, or a path.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// In addition to what every child may see.
    pub environment: Vec<(OsString, OsString)>,
    /// Variables of the user that it gets too if they are set: its keys, and where its login lies.
    pub variables: &'static [&'static str],
    /// Put into the request's scratch folder first, by path.
    pub files: Vec<(String, Handed)>,
    /// Files of the user's that are copied there too if they exist, by the name they get.
    pub copies: Vec<(&'static str, PathBuf)>,
    /// What it must be able to write outside its workspace and the scratch folder: its own state. Whole paths of folders, which
    /// are made if they are missing, or of files that are there, which can then be rewritten and not replaced. The fence refuses
    /// one that holds the user's home or project.
    pub writes: Vec<PathBuf>,
    /// The prompt comes this way, never by a command line that others can read and that has a short limit.
    pub stdin: Vec<u8>,
}
