//! What the threads of the server share: the script, the book, and whether it is over.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::book::{AnsweredBy, Book, Ending, Recorded};
use super::limits::Bounds;
use super::request::Request;
use super::script::{Choice, Script};
use super::usage::Usage;

pub(super) struct Shared {
    pub(super) bounds: Bounds,
    script: Mutex<Script>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    book: Book,
    is_over: bool,
    /// Second handles of the connections, to close them from outside.
    streams: BTreeMap<u64, TcpStream>,
    streams_made: u64,
}

/// A request in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(usize);

impl Entry {
    /// Counted from 1.
    pub(super) fn number(self) -> usize {
        self.0 + 1
    }
}

impl Shared {
    pub(super) fn new(script: Script, bounds: Bounds) -> Shared {
        Shared {
            bounds,
            script: Mutex::new(script),
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
        }
    }

    pub(super) fn choose(&self, request: &Request) -> Choice {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).answer(request)
    }

    /// `None` when there are as many already as the server takes.
    pub(super) fn enter(&self, request: Request, by: AnsweredBy) -> Option<Entry> {
        self.change(|state| {
            let recorded = &mut state.book.recorded;
            let entry =
                (recorded.len() < self.bounds.requests_max).then_some(Entry(recorded.len()));
            if entry.is_some() {
                let (ending, usage) = (Ending::Waiting, Usage::default());
                recorded.push(Recorded { request, by, ending, usage });
            }
            entry
        })
    }

    /// Written before the last byte goes out: a client that has its answer finds the book settled.
    pub(super) fn settle(&self, entry: Entry, ending: Ending, usage: Usage) {
        self.change(|state| {
            if let Some(recorded) = state.book.recorded.get_mut(entry.0) {
                (recorded.ending, recorded.usage) = (ending, usage);
            }
        });
    }

    pub(super) fn book<T>(&self, read: impl FnOnce(&Book) -> T) -> T {
        read(&self.lock().book)
    }

    /// The number of a new connection, unless there are too many or the server is over.
    pub(super) fn opened(&self, stream: &TcpStream) -> Option<u64> {
        let stream = stream.try_clone().ok()?;
        self.change(|state| {
            if state.is_over || state.streams.len() >= self.bounds.connections_max {
                return None;
            }
            state.streams_made += 1;
            state.streams.insert(state.streams_made, stream);
            state.book.open = state.streams.len();
            Some(state.streams_made)
        })
    }

    pub(super) fn closed(&self, number: u64) {
        self.change(|state| {
            state.streams.remove(&number);
            state.book.open = state.streams.len();
        });
    }

    pub(super) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Whoever reads from or writes to a client wakes up with an error.
    pub(super) fn end(&self) {
        self.change(|state| {
            state.is_over = true;
            for stream in state.streams.values() {
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
    }

    pub(super) fn wait_for_end(&self, time: Duration) -> bool {
        self.wait(time, |state| state.is_over)
    }

    pub(super) fn wait_until(&self, time: Duration, holds: impl Fn(&Book) -> bool) -> bool {
        self.wait(time, |state| holds(&state.book))
    }

    fn wait(&self, time: Duration, holds: impl Fn(&State) -> bool) -> bool {
        let deadline = Instant::now() + time;
        let mut state = self.lock();
        while !holds(&state) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let woken = self.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.lock());
        self.changed.notify_all();
        changed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
