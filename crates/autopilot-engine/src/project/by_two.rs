//! A large roadmap is read by two threads. The first reads the file and one part of it, puts the parts together and goes on
//! with the project; the second reads all other files while the first opens the roadmap, then the other part, and hashes.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use autopilot_core::config::Config;
use autopilot_core::limits;
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::roadmap::part::{self, Part};
use autopilot_core::roadmap::{self, Roadmap};

use super::{RoadmapFile, open, put_together, read_beside};
use crate::processor::Processor;

/// A roadmap from this size on is read by two: what the second takes off the first is more than it costs to start it.
pub(super) const BYTES_MIN: u64 = 128 * 1024;
/// How much of it the first thread reads. The second is told later where its part is, has the Progress table in it, and hashes.
const FIRST_PART_PERCENT: usize = 54;
/// How long the second thread stays awake for the roadmap, which is about to come; waking it up takes longer than most waits.
const AWAKE: Duration = Duration::from_micros(500);

/// What the second thread is handed: the file and its two parts.
type Opened<'t> = (&'t RoadmapFile, &'t str, &'t str);

pub(super) fn open_and<'t, L: Send, R>(
    root: &Path,
    bytes: u64,
    file: &'t OnceLock<RoadmapFile>,
    look: impl FnOnce(&Config) -> L + Send,
    make: impl FnOnce(&mut Project<'t>, L) -> R,
) -> Result<(Project<'t>, R), Problem> {
    let first_processor = Processor::of_this_thread();
    thread::scope(|scope| {
        let (hand_over_opened, opened) = mpsc::sync_channel::<Opened<'t>>(1);
        let (hand_over_beside, beside) = mpsc::sync_channel(1);
        let (hand_over_part, part) = mpsc::sync_channel(1);
        let other = scope.spawn(move || {
            let is_alone = first_processor.leave();
            take_memory_at_once(bytes);
            let (others, spec) = read_beside(root);
            let looked = look(&others.config);
            // Nobody takes anything only where the first thread has panicked or could not open the roadmap.
            let _ = hand_over_beside.send((others, looked));
            let (file, first, second) = arrived(&opened, is_alone)?;
            let _ = hand_over_part.send(Part::second(first, second));
            Some(spec.unwrap_or_else(|| file.as_spec()).hashed())
        });
        // Lets the other thread go to its own processor first, where it was started on this one.
        thread::yield_now();
        take_memory_at_once(bytes);
        let opened = open(root)?;
        let file = file.get_or_init(|| opened);
        let text = &file.text;
        let (first, second) = part::split(text, text.len() / 100 * FIRST_PART_PERCENT);
        let _ = hand_over_opened.send((file, first, second));
        let roadmap = read_with(file, Part::first(first), &part);
        // Nothing comes only where the other thread has panicked, and then its panic is ours.
        let made = beside.recv().ok().map(|(beside, looked)| {
            let mut project = put_together(root, roadmap, beside);
            let made = make(&mut project, looked);
            (project, made)
        });
        match (other.join(), made) {
            (Ok(spec), Some((project, made))) => Ok((Project { spec, ..project }, made)),
            (Err(panic), _) => std::panic::resume_unwind(panic),
            (Ok(_), None) => unreachable!("a thread that ended well has handed everything over"),
        }
    })
}

fn read_with<'t>(
    file: &'t RoadmapFile,
    first: Part<'t>,
    second: &Receiver<Part<'t>>,
) -> (Roadmap<'t>, Vec<autopilot_core::finding::Finding>) {
    match second.recv().ok().and_then(|second| first.followed_by(second)) {
        Some(whole) => roadmap::of_part(file.path, whole),
        None => roadmap::read(file.path, &file.text),
    }
}

/// Waits, at first without sleeping where nobody else needs the processor. Nothing when there is nothing to wait for.
fn arrived<T>(from: &Receiver<T>, is_alone: bool) -> Option<T> {
    let started = Instant::now();
    while is_alone && started.elapsed() < AWAKE {
        if let Ok(value) = from.try_recv() {
            return Some(value);
        }
        std::hint::spin_loop();
    }
    from.recv().ok()
}

/// Makes the system's allocator get memory for this thread in one piece. Of its own it would ask for a page at a time, and each
/// time the other thread could get none. It keeps what is given back up to twice the greatest piece that was, hence the first.
fn take_memory_at_once(bytes_of_roadmap: u64) {
    let bytes = usize::try_from(bytes_of_roadmap.min(limits::FILE_BYTES_MAX)).unwrap_or_default();
    drop(std::hint::black_box(Vec::<u8>::with_capacity(2 * bytes)));
    drop(std::hint::black_box(Vec::<u8>::with_capacity(bytes)));
}
