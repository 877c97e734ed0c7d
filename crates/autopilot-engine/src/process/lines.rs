//! Reads the stream of a supervised child in a thread of its own: lines of bounded length for whoever looks, and the raw bytes
//! for a log. Nothing it keeps grows with the stream.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use autopilot_core::limits;

use super::capture::CHUNK_BYTES;

/// One line of stdout, without its line feed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// The beginning of it, as far as lines are kept.
    pub bytes: Vec<u8>,
    pub left_out_bytes: u64,
}

/// What became of the copy of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Logged {
    NotAsked,
    Whole,
    /// The log is full; these bytes of the stream are in it.
    Cut {
        bytes: u64,
    },
    /// A log that cannot be written is worth a warning and no more.
    Failed {
        why: String,
    },
}

/// How much a child printed on all its streams, and when it last did.
#[derive(Debug)]
pub(super) struct Tally {
    started: Instant,
    last_ms: AtomicU64,
    total_bytes: AtomicU64,
    bytes_max: u64,
    is_over: AtomicBool,
    is_delivering: AtomicBool,
}

impl Tally {
    pub(super) fn up_to(bytes_max: u64) -> Tally {
        Tally {
            started: Instant::now(),
            last_ms: AtomicU64::new(0),
            total_bytes: AtomicU64::new(0),
            bytes_max,
            is_over: AtomicBool::new(false),
            is_delivering: AtomicBool::new(false),
        }
    }

    /// Counts, and says whether these are the bytes that make it too many.
    pub(super) fn count(&self, bytes: usize) -> bool {
        let now_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_ms.store(now_ms, Ordering::Relaxed);
        let total = self.total_bytes.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        total > self.bytes_max && !self.is_over.swap(true, Ordering::Relaxed)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Hands something over to whoever looks, which may take as long as they look elsewhere.
    pub(super) fn delivering(&self, hand_over: impl FnOnce()) {
        self.is_delivering.store(true, Ordering::Relaxed);
        hand_over();
        self.is_delivering.store(false, Ordering::Relaxed);
    }

    pub(super) fn is_delivering(&self) -> bool {
        self.is_delivering.load(Ordering::Relaxed)
    }

    pub(super) fn total_bytes(&self) -> u64 {
        self.total_bytes.load(Ordering::Relaxed)
    }

    pub(super) fn quiet_for(&self) -> Duration {
        let last = Duration::from_millis(self.last_ms.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(last)
    }
}

/// Splits chunks into lines, of which only the beginnings are kept.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    line: Line,
}

impl Splitter {
    pub(crate) fn push(&mut self, mut chunk: &[u8], mut complete: impl FnMut(Line)) {
        while let Some(at) = chunk.iter().position(|byte| *byte == b'\n') {
            self.extend(&chunk[..at]);
            complete(std::mem::take(&mut self.line));
            chunk = &chunk[at + 1..];
        }
        self.extend(chunk);
    }

    /// What stands after the last line feed, if anything does.
    pub(crate) fn finish(self) -> Option<Line> {
        let is_empty = self.line.bytes.is_empty() && self.line.left_out_bytes == 0;
        (!is_empty).then_some(self.line)
    }

    fn extend(&mut self, part: &[u8]) {
        let room = limits::AGENT_LINE_BYTES_MAX - self.line.bytes.len();
        let kept = room.min(part.len());
        self.line.bytes.extend_from_slice(&part[..kept]);
        self.line.left_out_bytes += (part.len() - kept) as u64;
    }
}

/// A bounded copy of the stream.
pub(super) struct Log {
    file: Option<File>,
    bytes: u64,
    state: Logged,
}

impl Log {
    pub(super) fn into(file: Option<File>) -> Log {
        let state = if file.is_some() { Logged::Whole } else { Logged::NotAsked };
        Log { file, bytes: 0, state }
    }

    pub(super) fn write(&mut self, chunk: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let room = usize::try_from(limits::AGENT_LOG_BYTES_MAX - self.bytes).unwrap_or(usize::MAX);
        let kept = room.min(chunk.len());
        self.bytes += kept as u64;
        if let Err(error) = file.write_all(&chunk[..kept]) {
            self.state = Logged::Failed { why: error.to_string() };
            self.file = None;
        } else if kept < chunk.len() {
            self.state = Logged::Cut { bytes: self.bytes };
            self.file = None;
        }
    }

    pub(super) fn finish(self) -> Logged {
        self.state
    }
}

/// Hands every chunk on until the pipe ends.
pub(super) fn read_chunks(mut reader: PipeReader, mut take: impl FnMut(&[u8])) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) => take(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A pipe that cannot be read has nothing more to tell.
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&[u8]]) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut splitter = Splitter::default();
        chunks.iter().for_each(|chunk| splitter.push(chunk, |line| lines.push(line)));
        lines.extend(splitter.finish());
        lines
    }

    #[test]
    fn lines_are_the_same_however_the_chunks_fall() {
        let line = |bytes: &[u8]| Line { bytes: bytes.to_vec(), left_out_bytes: 0 };
        let expected = [line(b"one"), line(b""), line(b"t\xFFwo"), line(b"three")];
        let text = b"one\n\nt\xFFwo\nthree";
        assert_eq!(split(&[text]), expected);
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(split(&bytes), expected);
        assert_eq!(split(&[b"one\n"]), [line(b"one")]);
        assert_eq!(split(&[]), []);
    }

    #[test]
    fn of_a_very_long_line_the_beginning_is_kept_and_the_rest_counted() {
        let chunk = vec![b'x'; 1024 * 1024];
        let chunks: Vec<&[u8]> =
            std::iter::repeat_n(chunk.as_slice(), 6).chain([&b"\nnext"[..]]).collect();
        let lines = split(&chunks);
        assert_eq!(lines[0].bytes.len(), limits::AGENT_LINE_BYTES_MAX);
        assert_eq!(lines[0].left_out_bytes, 2 * 1024 * 1024);
        assert_eq!(lines[1].bytes, b"next");
    }

    #[test]
    fn too_much_output_is_noticed_once() {
        let tally = Tally::up_to(10);
        assert_eq!([4, 6, 1, 1].map(|bytes| tally.count(bytes)), [false, false, true, false]);
        assert_eq!((tally.total_bytes(), tally.is_over()), (12, true));
    }

    #[test]
    fn a_log_takes_no_more_than_its_share_and_its_failure_is_a_value() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::into(Some(File::create(&path).unwrap()));
        let chunk = vec![b'x'; 1024 * 1024];
        (0..70).for_each(|_| log.write(&chunk));
        assert_eq!(log.finish(), Logged::Cut { bytes: limits::AGENT_LOG_BYTES_MAX });
        assert_eq!(path.metadata().unwrap().len(), limits::AGENT_LOG_BYTES_MAX);
        let mut refused = Log::into(Some(File::open(&path).unwrap()));
        refused.write(b"x");
        assert!(matches!(refused.finish(), Logged::Failed { .. }));
        let mut nowhere = Log::into(None);
        nowhere.write(b"x");
        assert_eq!(nowhere.finish(), Logged::NotAsked);
    }
}
