//! Claims about the ledger of a run that goes on, and of one that was killed.

use std::sync::atomic::{AtomicU64, Ordering};

use autopilot_journal::Holder;
use autopilot_testkit::scenario;

use super::*;

#[derive(Default)]
struct TestClock(AtomicU64);

impl Clock for TestClock {
    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }

    fn pause(&self, _time: Duration) {}
}

/// The events of a run of two phases, up to and with the end of the first, and from there to the end of the second.
fn events() -> (Vec<Event>, Vec<Event>) {
    let text = "# A-1: x\ngiven roadmap: 1 login; 2 mail\nexpect exit 0\n";
    let mut journal = scenario::read("here", text).unwrap()[0].play().unwrap().journal;
    let is_end = |event: &Event| matches!(event, Event::PhaseCompleted { .. });
    let second = journal.iter().rposition(is_end).unwrap();
    journal.truncate(second + 1);
    let first = journal.iter().position(is_end).unwrap();
    let rest = journal.split_off(first + 1);
    (journal, rest)
}

fn phases(folder: &Folder) -> usize {
    match folder.read_ledger::<Ledger>().unwrap() {
        LedgerFile::Read { ledger, .. } => ledger.phases.len(),
        other => panic!("{other:?}"),
    }
}

fn lock(folder: &Folder) -> Lock {
    let holder = Holder { pid: 1, host: String::new(), command: String::new(), started_at: 0 };
    folder.lock(&holder).unwrap()
}

#[test]
fn the_ledger_is_written_once_a_second_and_what_a_kill_kept_from_it_is_in_the_journal() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::open(root.path()).unwrap();
    let (clock, run) = (Arc::new(TestClock::default()), RunId::new("run-1").unwrap());
    let (first, second) = events();
    let (mut memory, _) =
        Memory::begin(folder.clone(), lock(&folder), &run, first, clock.clone()).unwrap();
    assert_eq!(phases(&folder), 1, "the first outcome is written at once");
    second.into_iter().for_each(|event| memory.note(event).unwrap());
    memory.keep().unwrap();
    assert_eq!(phases(&folder), 1, "the second comes in the same second");
    drop(memory);
    let resume = || Memory::resume(folder.clone(), lock(&folder), &run, clock.clone()).unwrap().0;
    let mut memory = resume();
    memory.keep_ledger().unwrap();
    assert_eq!(phases(&folder), 2);
}

#[test]
fn a_second_later_the_ledger_is_up_to_date() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::open(root.path()).unwrap();
    let (clock, run) = (Arc::new(TestClock::default()), RunId::new("run-1").unwrap());
    let (first, second) = events();
    let (mut memory, _) =
        Memory::begin(folder.clone(), lock(&folder), &run, first, clock.clone()).unwrap();
    second.into_iter().for_each(|event| memory.note(event).unwrap());
    memory.keep().unwrap();
    clock.0.store(limits::PROJECTION_PAUSE_MS, Ordering::SeqCst);
    memory.keep().unwrap();
    assert_eq!(phases(&folder), 2);
}
