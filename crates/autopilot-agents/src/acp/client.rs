//! The process between autopilot and an agent that speaks the protocol: starts the agent in its own process group, holds the dialogue, and
//! prints what happens as lines of ours. Told to end, it asks the agent to break off first, and always leaves with the agent ended.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use futures::channel::oneshot;
use futures::executor::block_on;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::dialogue::{self, Prompt};
use super::ending_child::Leaving;
use super::line::Line;
use super::transport;
use crate::limits;
use crate::request::Access;

/// What it is started for.
#[derive(Debug)]
pub struct Conversation {
    pub access: Access,
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Where the agent works.
    pub workspace: PathBuf,
}

/// Exit codes: whoever told the end of the dialogue has done what it is for, however it ended.
const TOLD: u8 = 0;
const UNTOLD: u8 = 1;
/// As shells have it, for one who was told to end.
const ENDED_BY: u8 = 128;

/// Holds the dialogue about the prompt on stdin, and gives back the exit code.
pub fn converse(conversation: &Conversation, prompt: impl Read, output: &mut dyn Write) -> u8 {
    let told = match begin(conversation, prompt) {
        Ok(under_way) => under_way.follow(output),
        Err(error) => {
            let why = format!("{} cannot be started: {error}", conversation.program.display());
            tell(&Line::Gone { why }, output).map(|()| None)
        }
    };
    match told {
        Ok(Some(signal)) => ENDED_BY.saturating_add(signal),
        Ok(None) => TOLD,
        Err(_) => UNTOLD,
    }
}

struct UnderWay {
    lines: Receiver<Line>,
    agent: Leaving,
    signal: Receiver<u8>,
}

fn begin(conversation: &Conversation, prompt: impl Read) -> io::Result<UnderWay> {
    let mut text = String::new();
    prompt.take(limits::PROMPT_BYTES_MAX).read_to_string(&mut text)?;
    let mut child = start(conversation)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let agent = Leaving::of(child)?;
    let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let transport = transport::lines(stdin, stdout)?;
    let (cancel, signal) = listen()?;
    let (tell, lines) = mpsc::sync_channel(limits::MESSAGES_WAITING_MAX);
    let access = conversation.access;
    let prompt = Prompt { text, access, folder: conversation.workspace.clone() };
    let hold = move |tell: SyncSender<Line>| {
        block_on(dialogue::hold(transport, prompt, tell, cancel));
    };
    thread::Builder::new().name("acp-dialogue".to_string()).spawn(move || hold(tell))?;
    Ok(UnderWay { lines, agent, signal })
}

/// In our own group, so that whoever ends us ends it too; what it complains about goes where we complain.
#[expect(
    clippy::disallowed_methods,
    reason = "this process is the agent's own, a child like any other"
)]
fn start(conversation: &Conversation) -> io::Result<Child> {
    Command::new(&conversation.program)
        .args(&conversation.arguments)
        .current_dir(&conversation.workspace)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
}

/// A polite signal breaks the dialogue off; which one it was is told in the end.
fn listen() -> io::Result<(oneshot::Receiver<()>, Receiver<u8>)> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let (cancel, cancelled) = oneshot::channel();
    let (which, signal) = mpsc::channel();
    thread::Builder::new().name("acp-signals".to_string()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let _ = which.send(u8::try_from(signal).unwrap_or_default());
            let _ = cancel.send(());
        }
        // Dropped without a word it would break the dialogue off; later signals change nothing.
    })?;
    Ok((cancelled, signal))
}

impl UnderWay {
    /// The signal that ended it, if one did.
    fn follow(self, output: &mut dyn Write) -> io::Result<Option<u8>> {
        let UnderWay { lines, agent, signal } = self;
        let told = lines.iter().try_for_each(|line| tell(&line, output));
        // Nobody listens any more, or the dialogue is over. The agent's stdin is closed by that.
        drop(lines);
        agent.end();
        told.map(|()| signal.try_recv().ok())
    }
}

fn tell(line: &Line, output: &mut dyn Write) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line).map_err(io::Error::other)?;
    bytes.push(b'\n');
    output.write_all(&bytes)?;
    output.flush()
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
