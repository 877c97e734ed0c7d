//! A run in memory and on disk at once: folds events into the state and writes them to the journal. Nothing may act on an event
//! before `keep` has returned.

use std::sync::Arc;
use std::time::Duration;

use autopilot_core::limits;
use autopilot_core::run::event::Event;
use autopilot_core::run::files::receipt::JournalHead;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::ledger::Ledger;
use autopilot_core::run::projection::{self, Context, EventLog};
use autopilot_core::run::request::{Request, admit};
use autopilot_core::run::state::{RunState, RunStatus};
use autopilot_core::run::words::{self, Said};
use autopilot_core::run::{Illegal, apply};
use autopilot_journal::archive::archive;
use autopilot_journal::ledger::LedgerFile;
use autopilot_journal::projection::StateWriter;
use autopilot_journal::resume::resume_each;
use autopilot_journal::{Folder, JournalError, Lock, RunId, Tail, Writer, inbox};

use crate::clock::Clock;
use crate::drive::StopSwitch;
use crate::phase_files::PhaseFiles;

#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Our own promise is broken, or the journal was not written by this program.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    #[error("the journal of run {run} is empty")]
    Empty { run: String },
}

/// An event that is on disk, with what it means to somebody who watches.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub number: u64,
    pub at: Moment,
    pub event: Event,
    pub said: Option<Said>,
}

pub struct Memory {
    folder: Folder,
    lock: Lock,
    writer: Writer,
    clock: Arc<dyn Clock>,
    folded: Folded,
    /// When the ledger was written last.
    ledger_at: Option<Moment>,
    state_writer: StateWriter,
    pending: Vec<Event>,
    told: Vec<Told>,
    /// When the events in `pending` happened.
    pending_at: Moment,
    projected: Option<(Moment, u64)>,
    /// When the inbox was looked into last.
    looked_at: Moment,
}

/// What the events come to.
struct Folded {
    /// None only while an event is folded in, and after a fold that was refused.
    state: Option<RunState>,
    log: EventLog,
    ledger: Ledger,
    is_ledger_behind: bool,
    files: PhaseFiles,
}

impl Folded {
    /// Nothing but the ledger of earlier runs.
    fn read(folder: &Folder) -> Result<Folded, MemoryError> {
        let ledger = match folder.read_ledger::<Ledger>()? {
            LedgerFile::Read { ledger, .. } => ledger,
            // A broken one is set aside when the next is written; the journals it came from are still there.
            LedgerFile::Absent | LedgerFile::Broken(_) => Ledger::default(),
        };
        Ok(Folded {
            state: None,
            log: EventLog::default(),
            ledger,
            is_ledger_behind: false,
            files: PhaseFiles::default(),
        })
    }

    fn fold(&mut self, folder: &Folder, event: Event, at: Moment) -> Result<(), Illegal> {
        let context = Context::of(self.state.as_ref(), &event, at);
        self.files.happens(folder, self.state.as_ref(), &event, at);
        let state = apply(self.state.take(), &event, at)?;
        self.files.happened(&state, &event);
        let run = &state.definition.run;
        self.is_ledger_behind |= match &event {
            Event::PhaseCompleted { phase, result } => self.ledger.pass(phase, run, at, result),
            Event::PhaseFailed { phase, failure } => self.ledger.fail(phase, run, at, failure),
            Event::PhaseDeferred { phase, why } => self.ledger.defer(phase, run, at, why),
            Event::RollbackCompleted { phases, .. } => {
                let ledger = &mut self.ledger;
                phases.iter().fold(false, |is_new, phase| ledger.take_back(phase, run, at) | is_new)
            }
            _ => false,
        };
        self.state = Some(state);
        self.log.add(context, event);
        Ok(())
    }
}

impl Memory {
    /// A new run, whose first events are on disk when this returns.
    pub fn begin(
        folder: Folder,
        lock: Lock,
        run: &RunId,
        events: Vec<Event>,
        clock: Arc<dyn Clock>,
    ) -> Result<(Memory, Vec<Told>), MemoryError> {
        let writer = Writer::create(&folder, &lock, run)?;
        let folded = Folded::read(&folder)?;
        let mut memory = Memory::new(folder, lock, writer, folded, clock);
        for event in events {
            memory.note(event)?;
        }
        let told = memory.keep()?;
        Ok((memory, told))
    }

    /// The run as its journal tells it. A torn last line was cut and kept aside; `Tail` says so.
    pub fn resume(
        folder: Folder,
        lock: Lock,
        run: &RunId,
        clock: Arc<dyn Clock>,
    ) -> Result<(Memory, Tail), MemoryError> {
        let (mut folded, tail, mut writer) = read_back(&folder, &lock, run, false)?;
        if !folded.files.is_restored() {
            drop(writer);
            (folded, _, writer) = read_back(&folder, &lock, run, true)?;
            let _all = folded.files.is_restored();
        }
        if folded.state.is_none() {
            return Err(MemoryError::Empty { run: run.to_string() });
        }
        Ok((Memory::new(folder, lock, writer, folded, clock), tail))
    }

    fn new(
        folder: Folder,
        lock: Lock,
        writer: Writer,
        folded: Folded,
        clock: Arc<dyn Clock>,
    ) -> Memory {
        Memory {
            folder,
            lock,
            writer,
            clock,
            folded,
            ledger_at: None,
            state_writer: StateWriter::default(),
            pending: Vec::new(),
            told: Vec::new(),
            pending_at: Moment(0),
            projected: None,
            looked_at: Moment(0),
        }
    }

    /// The state after every event noted so far.
    pub fn state(&self) -> Result<&RunState, MemoryError> {
        let run = || self.writer.path().display().to_string();
        self.folded.state.as_ref().ok_or_else(|| MemoryError::Empty { run: run() })
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Where the journal on disk ends.
    pub fn journal_head(&self) -> JournalHead {
        let seq = self.writer.next_seq().saturating_sub(1);
        JournalHead { seq, hash: self.writer.head().to_string() }
    }

    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// The moment that what is noted next is stamped with. Decisions are made at it: then the journal alone tells why each of
    /// them came out as it did.
    pub fn moment(&self) -> Moment {
        if self.pending.is_empty() { self.clock.now() } else { self.pending_at }
    }

    pub fn pause(&self, time: Duration) {
        self.clock.pause(time);
    }

    /// Folds an event in. It is on disk after the next `keep`.
    pub fn note(&mut self, event: Event) -> Result<(), MemoryError> {
        self.note_at(event, self.moment())
    }

    /// The same for what was decided at `moment`, which `moment()` gave for it.
    pub fn note_at(&mut self, event: Event, moment: Moment) -> Result<(), MemoryError> {
        if self.pending.is_empty() {
            self.pending_at = moment;
        }
        let at = self.pending_at;
        let number = self.writer.next_seq() + self.pending.len() as u64;
        let said = self.folded.state.as_ref().and_then(|state| words::said(state, &event));
        self.folded.fold(&self.folder, event.clone(), at)?;
        self.told.push(Told { number, at, event: event.clone(), said });
        self.pending.push(event);
        Ok(())
    }

    /// Puts everything noted on disk, in one write and one sync, and returns it.
    pub fn keep(&mut self) -> Result<Vec<Told>, MemoryError> {
        self.write_down()?;
        Ok(std::mem::take(&mut self.told))
    }

    /// Writes the files that follow from what is on disk. Returned is what could not be written; it stops nothing.
    pub fn leave_files(&mut self) -> Vec<String> {
        if !self.pending.is_empty() {
            return Vec::new();
        }
        self.folded.files.leave(&self.folder)
    }

    fn write_down(&mut self) -> Result<(), MemoryError> {
        if !self.pending.is_empty() {
            self.writer.append(self.pending_at.0, &self.pending)?;
            self.pending.clear();
        }
        if self.folded.is_ledger_behind && self.is_ledger_due() {
            self.keep_ledger()?;
        }
        Ok(())
    }

    /// At most once a second while the run goes on: the ledger of many phases is long, and what it lacks is in the journal.
    fn is_ledger_due(&self) -> bool {
        let is_running = |state: &RunState| state.status == RunStatus::Running;
        let passed_ms = self.ledger_at.map(|at| self.clock.now().milliseconds_since(at));
        passed_ms.is_none_or(|passed_ms| passed_ms >= limits::PROJECTION_PAUSE_MS)
            || !self.folded.state.as_ref().is_some_and(is_running)
    }

    /// Brings the ledger up to the journal. For whoever puts a run away that nobody goes on with.
    pub fn keep_ledger(&mut self) -> Result<(), MemoryError> {
        if self.folded.is_ledger_behind {
            self.folder.write_ledger(&self.lock, &self.folded.ledger)?;
            self.folded.is_ledger_behind = false;
            self.ledger_at = Some(self.clock.now());
        }
        Ok(())
    }

    /// Brings state.json up to what is on disk, at most once a second unless `is_last`. It is a picture: that it cannot be
    /// written is told, and stops nothing.
    pub fn project(&mut self, is_last: bool) -> Result<(), MemoryError> {
        let Some(state) = &self.folded.state else { return Ok(()) };
        let Some(seen) = self.writer.next_seq().checked_sub(1) else { return Ok(()) };
        let now = self.clock.now();
        if let Some((at, number)) = self.projected {
            let is_recent = now.milliseconds_since(at) < limits::PROJECTION_PAUSE_MS;
            if number == seen || (is_recent && !is_last) {
                return Ok(());
            }
        }
        self.projected = Some((now, seen));
        let document = projection::document(state, &self.folded.log, seen);
        self.state_writer.write(&self.folder, &self.lock, &document)?;
        Ok(())
    }

    /// Takes what other processes ask for, at most once a second. Each request becomes an event or is refused; who asked to
    /// stop sets the switch. Returned are the refusals.
    pub fn take_requests(&mut self, stop: &StopSwitch) -> Vec<String> {
        let now = self.clock.now();
        if now.milliseconds_since(self.looked_at) < limits::PROJECTION_PAUSE_MS {
            return Vec::new();
        }
        self.take_requests_now(stop)
    }

    /// The same, however short the last look is ago.
    pub fn take_requests_now(&mut self, stop: &StopSwitch) -> Vec<String> {
        self.looked_at = self.clock.now();
        let requests = match inbox::take::<Request>(&self.folder, &self.lock) {
            Ok(requests) => requests,
            Err(error) => return vec![error.to_string()],
        };
        let mut refused = Vec::new();
        for asked in requests {
            match asked.content {
                Ok(request) => refused.extend(self.take_request(&request, stop).err()),
                Err(broken) => refused.push(broken.what),
            }
            // It may go only when what came of it is on disk.
            if let Err(error) = self.write_down() {
                refused.push(error.to_string());
                return refused;
            }
            refused.extend(
                inbox::remove(&self.folder, &self.lock, &asked.name).err().map(|e| e.to_string()),
            );
        }
        refused
    }

    fn take_request(&mut self, request: &Request, stop: &StopSwitch) -> Result<(), String> {
        let state = self.state().map_err(|error| error.to_string())?;
        let events = admit(state, request).map_err(|refused| refused.to_string())?;
        for event in events {
            self.note(event).map_err(|error| error.to_string())?;
        }
        match request {
            Request::Stop { how } => stop.set(*how),
            Request::Add(_) => {}
        }
        Ok(())
    }

    /// Moves the finished run to the archive.
    pub fn archive(self) -> Result<(), MemoryError> {
        let run = self.state()?.definition.run.clone();
        let run = RunId::new(run.as_str())?;
        let Memory { folder, lock, writer, .. } = self;
        drop(writer);
        archive(&folder, &lock, &run)?;
        Ok(())
    }
}

/// Folds what the journal tells. Files that are missing are made again; with `is_all`, those of every phase are looked for.
fn read_back(
    folder: &Folder,
    lock: &Lock,
    run: &RunId,
    is_all: bool,
) -> Result<(Folded, Tail, Writer), MemoryError> {
    let acknowledged = folder.acknowledged(run)?;
    let mut folded = Folded::read(folder)?;
    folded.files = PhaseFiles::for_reading_back(is_all);
    let mut refused = None;
    let (tail, writer) = resume_each::<Event>(folder, lock, run, acknowledged, |record| {
        if refused.is_none() {
            refused = folded.fold(folder, record.event, Moment(record.at)).err();
            folded.files.restore(folder);
        }
    })?;
    match refused {
        Some(illegal) => Err(illegal.into()),
        None => Ok((folded, tail, writer)),
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
