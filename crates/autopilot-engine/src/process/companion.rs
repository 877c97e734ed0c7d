//! A program that runs beside us for as long as we want it, and never longer than we live. It gets a stdin that stays open: when it
//! closes, because it is dropped here or because this process died, the program is to end; the launcher sees to it that it does.

use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use autopilot_core::limits;

use super::group::{Group, LedBy};
use super::{Ends, Order, SpawnError, Way, end, program_of, spawn};
use crate::launcher::{self, Launcher};

/// Ended when dropped.
pub struct Companion {
    child: Child,
    group: Option<Group>,
    /// Closing it is the sign to end.
    stdin: Option<PipeWriter>,
    has_spoken: Arc<AtomicBool>,
}

impl Companion {
    /// Starts it and waits for nothing. Of the order only program, arguments, folder and environment are used.
    pub fn start(order: Order, launcher: &Launcher) -> Result<Companion, SpawnError> {
        let program = program_of(&order)?;
        let failed = |source| SpawnError::Io { path: program.clone(), source };
        let (stdin, mut to_stdin) = io::pipe().map_err(failed)?;
        let (from_stdout, stdout) = io::pipe().map_err(failed)?;
        let (from_stderr, stderr) = io::pipe().map_err(failed)?;
        // A few bytes always fit into an empty pipe, so this waits for nobody.
        to_stdin.write_all(launcher::GO).map_err(failed)?;
        let has_spoken = Arc::new(AtomicBool::new(false));
        let heard = Arc::clone(&has_spoken);
        listen(from_stdout, move || heard.store(true, Ordering::SeqCst)).map_err(failed)?;
        listen(from_stderr, || {}).map_err(failed)?;
        let way = Way::Through(launcher.clone());
        let ends = Ends { stdin: stdin.into(), stdout, stderr };
        let child =
            spawn(&program, order.arguments, &order.folder, &order.environment, &way, ends)?;
        let group = Some(Group::of(&child, LedBy::Launcher));
        Ok(Companion { child, group, stdin: Some(to_stdin), has_spoken })
    }

    /// It has printed a line.
    pub fn has_spoken(&self) -> bool {
        self.has_spoken.load(Ordering::SeqCst)
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        drop(self.stdin.take());
        if let Some(group) = self.group.take() {
            // What does not end by itself is ended; an error means that it is gone.
            let _ = end(group, limits::COMPANION_END_TIME_MAX);
        }
        let _ = self.child.try_wait();
    }
}

/// Calls back at the first line and throws the rest away, so that nobody waits for a full pipe.
fn listen(pipe: PipeReader, heard: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("autopilot-listen".into()).spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        let first = reader.by_ref().take(limits::COMPANION_LINE_BYTES_MAX);
        let mut first = BufReader::new(first);
        if first.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            heard();
        }
        let _ = io::copy(&mut reader, &mut io::sink());
    })?;
    Ok(())
}
