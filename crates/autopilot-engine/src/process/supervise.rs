//! Follows a child while it works: its lines as they come, its time, its silence, its end. Owns that whoever starts a child
//! can write down what it starts before anything runs, and that on every way out the whole group is ended and reaped.
//!
//! Every child has a supervising thread, which is `follow`'s. It spawns the launcher itself and lives until the launcher is reaped, because the
//! kernel counts a parent's death from the thread that spawned.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, PipeWriter};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use autopilot_core::limits;
use autopilot_journal::fault;

use super::capture::Captured;
use super::lines::Tally;
pub use super::lines::{Line, Logged};
use super::{Input, Order, ProcessGroup, SpawnError, fill, program_of};
use crate::launcher::{self, Launcher};

mod follow;

use follow::ToFollow;

/// How a child is followed, beside what its order says. The streams are always apart, and `output_bytes_max` of the order
/// bounds what is kept of stderr.
#[derive(Debug)]
pub struct Supervision {
    pub launcher: Launcher,
    /// Takes the raw stdout, up to `limits::AGENT_LOG_BYTES_MAX`.
    pub log: Option<File>,
    /// Bytes of both streams after which the child is ended.
    pub total_bytes_max: u64,
    /// How long the child may tidy up after the polite signal.
    pub grace: Duration,
}

impl Supervision {
    pub fn of_agents(launcher: Launcher, log: Option<File>) -> Supervision {
        Supervision {
            launcher,
            log,
            total_bytes_max: limits::AGENT_OUTPUT_BYTES_MAX,
            grace: limits::AGENT_TERMINATE_TIME_MAX,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Line(Line),
    /// The last one.
    Exited(Exit),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    pub outcome: Outcome,
    pub stderr: Captured,
    /// Of both streams.
    pub output_bytes: u64,
    pub log: Logged,
    pub took: Duration,
    /// Names of those it left running, who were ended with it.
    pub left_running: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Exited(i32),
    Signalled(i32),
    /// It was still running after its time and was ended.
    TimedOut,
    Cancelled,
    /// It printed more than it may and was ended.
    TooMuchOutput,
    CannotStart {
        why: String,
    },
    /// It could not be followed to its end: it hangs in the kernel, or the system refused.
    Lost {
        why: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grace {
    /// The polite signal first, and time to tidy up.
    Given,
    None,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// What had to happen before the child may run did not.
    #[error("nothing was started: {0}")]
    NotRecorded(io::Error),
}

/// A child that works. Dropped before its end, it takes the whole group with it.
#[derive(Debug)]
pub struct Running {
    group: ProcessGroup,
    told: Option<Receiver<Told>>,
    /// Lines that came with one that was looked at.
    waiting: RefCell<std::vec::IntoIter<Line>>,
    mail: Sender<Message>,
    tally: Arc<Tally>,
    supervisor: Option<JoinHandle<()>>,
}

/// Ends a child from another thread.
#[derive(Debug, Clone)]
pub struct Canceller {
    mail: Sender<Message>,
}

/// What the supervising threads tell.
#[derive(Debug)]
enum Told {
    /// What one look at the pipe brought, never none: one at a time would wake whoever looks as often.
    Lines(Vec<Line>),
    Exited(Exit),
}

/// What the supervising thread hears of.
#[derive(Debug)]
enum Message {
    Exited,
    Cancel(Grace),
    TooMuchOutput,
    Nudge,
}

/// Starts a child. `go` is called when its process group exists and nothing runs in it yet: there the journal is written. If
/// it fails, nothing will have run.
pub fn start(
    order: Order,
    supervision: Supervision,
    go: impl FnOnce(&ProcessGroup) -> io::Result<()>,
) -> Result<Running, StartError> {
    let program = program_of(&order)?;
    let failed = |source| SpawnError::Io { path: program.clone(), source };
    let (mail, mailbox) = mpsc::channel();
    let (tell, told) = mpsc::sync_channel(limits::AGENT_LINES_QUEUED_MAX);
    let (to_start, spawned) = mpsc::sync_channel(1);
    let (stdin, to_stdin) = io::pipe().map_err(failed)?;
    let tally = Arc::new(Tally::up_to(supervision.total_bytes_max));
    let input = match &order.input {
        Input::Nothing => Vec::new(),
        Input::Bytes(bytes) => bytes.clone(),
    };
    let child = ToFollow {
        program: program.clone(),
        order,
        supervision,
        mail: mail.clone(),
        tally: Arc::clone(&tally),
    };
    fault::point("process.before_spawn").map_err(StartError::NotRecorded)?;
    let thread = thread::Builder::new().name("autopilot-supervise".into());
    let supervisor =
        thread.spawn(move || child.follow(stdin, &to_start, &mailbox, &tell)).map_err(failed)?;
    let lost = || failed(io::Error::other("the supervising thread ended"));
    let leader = spawned.recv().map_err(|_| lost())??;
    let group = ProcessGroup::led_by(leader);
    let supervisor = Some(supervisor);
    let waiting = RefCell::default();
    let running = Running { group, told: Some(told), waiting, mail, tally, supervisor };
    running.go(to_stdin, input, go)
}

impl Running {
    /// On an error here the pipe closes and `self` is dropped: the launcher ends without having started anything.
    fn go(
        self,
        to_stdin: PipeWriter,
        input: Vec<u8>,
        go: impl FnOnce(&ProcessGroup) -> io::Result<()>,
    ) -> Result<Running, StartError> {
        let recorded = fault::point("process.after_spawn")
            .and_then(|()| fault::point("process.before_go"))
            .and_then(|()| go(&self.group))
            .and_then(|()| fault::point("process.after_go"))
            .and_then(|()| fill(to_stdin, launcher::GO, input));
        recorded.map(|()| self).map_err(StartError::NotRecorded)
    }

    pub fn group(&self) -> &ProcessGroup {
        &self.group
    }

    /// The next event; `None` when there was none for so long.
    pub fn next(&self, wait_max: Duration) -> Option<Event> {
        let told = self.told.as_ref()?;
        let mut waiting = self.waiting.borrow_mut();
        if let Some(line) = waiting.next() {
            return Some(Event::Line(line));
        }
        match told.recv_timeout(wait_max) {
            Ok(Told::Lines(lines)) => {
                *waiting = lines.into_iter();
                waiting.next().map(Event::Line)
            }
            Ok(Told::Exited(exit)) => Some(Event::Exited(exit)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Event::Exited(self.lost())),
        }
    }

    /// Since when it has printed nothing, on either stream.
    pub fn quiet_for(&self) -> Duration {
        self.tally.quiet_for()
    }

    pub fn cancel(&self, grace: Grace) {
        self.canceller().cancel(grace);
    }

    /// Lets whoever was stopped in its tree go on. There is no other way to reach a child whose input is closed.
    pub fn nudge(&self) {
        let _ = self.mail.send(Message::Nudge);
    }

    pub fn canceller(&self) -> Canceller {
        Canceller { mail: self.mail.clone() }
    }

    /// Lets the rest of its lines go by and waits for its end, which its time bounds.
    pub fn finish(self) -> Exit {
        let told = self.told.iter().flatten();
        let exits = told.filter_map(|told| match told {
            Told::Lines(_) => None,
            Told::Exited(exit) => Some(exit),
        });
        exits.last().unwrap_or_else(|| self.lost())
    }

    fn lost(&self) -> Exit {
        Exit {
            outcome: Outcome::Lost { why: "nobody follows it any more".into() },
            stderr: Captured::nothing(),
            output_bytes: self.tally.total_bytes(),
            log: Logged::NotAsked,
            took: Duration::ZERO,
            left_running: Vec::new(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel(Grace::None);
        // Whoever waits to hand a line over learns that nobody wants it.
        drop(self.told.take());
        if let Some(supervisor) = self.supervisor.take() {
            let _ = supervisor.join();
        }
    }
}

impl Canceller {
    /// A child that has ended meanwhile is what was wanted.
    pub fn cancel(&self, grace: Grace) {
        let _ = self.mail.send(Message::Cancel(grace));
    }
}
