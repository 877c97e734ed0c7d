//! The supervising thread of one child: spawns the launcher, hands its lines on, ends it when its time, its output or
//! somebody's patience is over, and reaps it.

use std::io::{self, PipeReader};
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use autopilot_core::limits;
use rustix::process::{Pid, Signal};

use super::{Exit, Grace, Line, Message, Outcome, Supervision, Told};
use crate::process::capture::Capture;
use crate::process::group::{Group, LedBy};
use crate::process::lines::{Log, Logged, Splitter, Tally, read_chunks};
use crate::process::{
    Ending, Ends, Order, SpawnError, Way, ending_of, launch_error, spawn, strays, tree,
};

/// Everything the supervising thread takes along.
pub(super) struct ToFollow {
    pub(super) program: PathBuf,
    pub(super) order: Order,
    pub(super) supervision: Supervision,
    pub(super) mail: Sender<Message>,
    pub(super) tally: Arc<Tally>,
}

/// A child and what reads its streams.
struct Followed {
    child: Child,
    group: Group,
    stderr: Capture,
    /// Tells once what became of the log, when stdout has ended.
    stdout: Receiver<Logged>,
}

impl ToFollow {
    pub(super) fn follow(
        self,
        stdin: PipeReader,
        to_start: &SyncSender<Result<Pid, SpawnError>>,
        mailbox: &Receiver<Message>,
        tell: &SyncSender<Told>,
    ) {
        let started = Instant::now();
        let (program, tally) = (self.program.clone(), Arc::clone(&self.tally));
        let (time_max, grace) = (self.order.time_max, self.supervision.grace);
        let followed = match self.spawn(stdin, tell) {
            Ok(followed) => followed,
            Err(error) => {
                // Nobody waits for it only if the starting thread is gone, and then nobody asks.
                let _ = to_start.send(Err(error));
                return;
            }
        };
        let _ = to_start.send(Ok(followed.group.leader()));
        let why = wait(mailbox, &followed.group, started + time_max, grace);
        let outcome = reap(followed.child, followed.group, why);
        let stderr = followed.stderr.finish(Instant::now() + limits::PIPE_CLOSE_TIME_MAX);
        let log = wait_for_stdout(&followed.stdout, &tally);
        let last_lines = stderr.last_lines();
        let left_running = strays::told(&last_lines);
        let outcome = match (&outcome, strays::without(last_lines).pop()) {
            (Outcome::Exited(code), Some(said)) => {
                match launch_error(&program, Ending::Exited(*code), &said) {
                    Some(error) => Outcome::CannotStart { why: error.to_string() },
                    None => outcome,
                }
            }
            (_, _) => outcome,
        };
        let output_bytes = tally.total_bytes();
        let took = started.elapsed();
        let exit = Exit { outcome, stderr, output_bytes, log, took, left_running };
        let _ = tell.send(Told::Exited(exit));
    }

    fn spawn(self, stdin: PipeReader, tell: &SyncSender<Told>) -> Result<Followed, SpawnError> {
        let ToFollow { program, order, supervision, mail, tally } = self;
        let failed = |source| SpawnError::Io { path: program.clone(), source };
        let (counted, full) = (Arc::clone(&tally), mail.clone());
        let count = move |bytes| {
            if counted.count(bytes) {
                let _ = full.send(Message::TooMuchOutput);
            }
        };
        let (stderr, to_stderr) =
            Capture::start(order.output_bytes_max, count.clone()).map_err(failed)?;
        let (stdout, to_stdout) = io::pipe().map_err(failed)?;
        let log = Log::into(supervision.log);
        let stdout = hand_on(stdout, tell.clone(), log, tally, count).map_err(failed)?;
        let ends = Ends { stdin: stdin.into(), stdout: to_stdout, stderr: to_stderr };
        let way = Way::Through(supervision.launcher);
        let mut child =
            spawn(&program, order.arguments, &order.folder, &order.environment, &way, ends)?;
        let group = Group::of(&child, LedBy::Launcher);
        let watched = group.watch(move || {
            let _ = mail.send(Message::Exited);
        });
        if let Err(error) = watched {
            group.signal(Signal::KILL);
            let _ = child.wait();
            return Err(failed(error));
        }
        Ok(Followed { child, group, stderr, stdout })
    }
}

/// Reads stdout to its end. When too many lines wait the reader waits too, and with it the child.
fn hand_on(
    stdout: PipeReader,
    tell: SyncSender<Told>,
    mut log: Log,
    tally: Arc<Tally>,
    count: impl Fn(usize) + Send + 'static,
) -> io::Result<Receiver<Logged>> {
    let (done, logged) = mpsc::channel();
    thread::Builder::new().name("autopilot-lines".into()).spawn(move || {
        let mut splitter = Splitter::default();
        let hand_over = |lines: Vec<Line>| {
            // A child that printed too much is being ended, and nobody needs to read on.
            if !lines.is_empty() && !tally.is_over() {
                tally.delivering(|| drop(tell.send(Told::Lines(lines))));
            }
        };
        read_chunks(stdout, |chunk| {
            count(chunk.len());
            log.write(chunk);
            let mut lines = Vec::new();
            splitter.push(chunk, |line| lines.push(line));
            hand_over(lines);
        });
        hand_over(splitter.finish().into_iter().collect());
        let _ = done.send(log.finish());
    })?;
    Ok(logged)
}

/// The end of stdout. A process that escaped may hold it open: it is not waited for. A reader that is kept waiting by those
/// who look at the lines is.
fn wait_for_stdout(stdout: &Receiver<Logged>, tally: &Tally) -> Logged {
    loop {
        match stdout.recv_timeout(limits::PIPE_CLOSE_TIME_MAX) {
            Ok(logged) => return logged,
            Err(RecvTimeoutError::Timeout) if tally.is_delivering() => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                return Logged::Failed { why: "the stream was left open".into() };
            }
        }
    }
}

/// Why the group is over.
enum Why {
    LeaderExited,
    TimedOut,
    Cancelled,
    TooMuchOutput,
}

/// Waits for the leader's end, or brings it about. Whatever comes first is the reason.
fn wait(mailbox: &Receiver<Message>, group: &Group, deadline: Instant, grace: Duration) -> Why {
    let (why, manner) = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match mailbox.recv_timeout(left) {
            Ok(Message::Exited) | Err(RecvTimeoutError::Disconnected) => return Why::LeaderExited,
            Ok(Message::Cancel(grace)) => break (Why::Cancelled, grace),
            Ok(Message::TooMuchOutput) => break (Why::TooMuchOutput, Grace::None),
            Ok(Message::Nudge) => {
                group.signal(Signal::CONT);
                tree::go_on(group.leader());
            }
            Err(RecvTimeoutError::Timeout) => break (Why::TimedOut, Grace::Given),
        }
    };
    if manner == Grace::Given {
        group.signal(Signal::TERM);
        if has_exited(mailbox, grace) {
            return why;
        }
    }
    group.ask_launcher();
    if !has_exited(mailbox, limits::LAUNCHER_END_TIME_MAX) {
        group.signal(Signal::KILL);
        has_exited(mailbox, limits::KILL_TIME_MAX);
    }
    why
}

/// Whether the leader exits within the time. Who asks for a quick end shortens it.
fn has_exited(mailbox: &Receiver<Message>, time_max: Duration) -> bool {
    let deadline = Instant::now() + time_max;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match mailbox.recv_timeout(left) {
            Ok(Message::Exited) | Err(RecvTimeoutError::Disconnected) => return true,
            Ok(Message::Cancel(Grace::None)) | Err(RecvTimeoutError::Timeout) => return false,
            Ok(Message::Cancel(Grace::Given) | Message::TooMuchOutput | Message::Nudge) => {}
        }
    }
}

/// Ends who is left in the group and takes the leader's status, which keeps the group's number until then.
fn reap(mut child: Child, group: Group, why: Why) -> Outcome {
    group.signal(Signal::KILL);
    drop(group);
    let status = match child.try_wait() {
        Ok(Some(status)) => status,
        Ok(None) => return Outcome::Lost { why: "it did not end when it was killed".into() },
        Err(error) => return Outcome::Lost { why: error.to_string() },
    };
    match why {
        Why::TimedOut => Outcome::TimedOut,
        Why::Cancelled => Outcome::Cancelled,
        Why::TooMuchOutput => Outcome::TooMuchOutput,
        Why::LeaderExited => match ending_of(status) {
            Ending::Exited(code) => Outcome::Exited(code),
            Ending::Signalled(signal) => Outcome::Signalled(signal),
            Ending::TimedOut => Outcome::TimedOut,
        },
    }
}
