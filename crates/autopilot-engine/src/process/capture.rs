//! Reads one stream of a child in a thread of its own and keeps a bounded part: the beginning and the end.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use autopilot_core::finding::printable;
use autopilot_core::limits;

/// What is read from a pipe at once: the size of a Linux pipe.
pub(super) const CHUNK_BYTES: usize = 64 * 1024;

/// What a child printed on one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: Vec<u8>,
    total_bytes: u64,
    closing: Closing,
}

/// How the reading of a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// Every process that held the stream is gone or let go of it.
    Closed,
    /// A process that left the group still holds the stream; what it prints later is lost.
    LeftOpen,
}

impl Captured {
    /// Of a stream that was never read.
    pub(super) fn nothing() -> Captured {
        Captured { head: Vec::new(), tail: Vec::new(), total_bytes: 0, closing: Closing::Closed }
    }

    /// How much was printed, kept or not.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    pub fn dropped_bytes(&self) -> u64 {
        self.total_bytes - (self.head.len() + self.tail.len()) as u64
    }

    pub fn closing(&self) -> Closing {
        self.closing
    }

    /// The bytes as they came, the beginning followed by the end; complete when `dropped_bytes` is zero.
    pub fn bytes(&self) -> Vec<u8> {
        [self.head.as_slice(), self.tail.as_slice()].concat()
    }

    /// The text with what is not UTF-8 replaced, and a line of its own where the middle is missing.
    pub fn text(&self) -> String {
        if self.dropped_bytes() == 0 {
            return String::from_utf8_lossy(&self.bytes()).into_owned();
        }
        let head = String::from_utf8_lossy(&self.head);
        let tail = String::from_utf8_lossy(&self.tail);
        format!("{head}\n… {} bytes left out …\n{tail}", self.dropped_bytes())
    }

    /// The first line with something in it, fit for a terminal and bounded.
    pub fn first_line(&self) -> Option<String> {
        self.text().lines().find(|line| !line.trim().is_empty()).map(shown)
    }

    /// The last lines with something in them, oldest first, fit for a terminal and bounded.
    pub fn last_lines(&self) -> Vec<String> {
        let text = self.text();
        let filled = text.lines().rev().filter(|line| !line.trim().is_empty());
        let mut lines: Vec<String> = filled.take(limits::TAIL_LINES_MAX).map(shown).collect();
        lines.reverse();
        lines
    }
}

fn shown(line: &str) -> String {
    let line = line.trim_end().replace('\t', "    ");
    let mut shown: String = line.chars().take(limits::TAIL_LINE_CHARS_MAX).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    printable(shown.trim())
}

/// A stream that is being read. The thread ends with the pipe, or at its next byte after nobody wants them any more.
pub(super) struct Capture {
    kept: Arc<Mutex<Option<Kept>>>,
    closed: Receiver<()>,
}

impl Capture {
    /// Starts to read a new pipe; the other end is for the child. `count` is told how much came each time.
    pub(super) fn start(
        bytes_max: usize,
        count: impl Fn(usize) + Send + 'static,
    ) -> io::Result<(Capture, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        let kept = Arc::new(Mutex::new(Some(Kept::up_to(bytes_max))));
        let (closes, closed) = mpsc::channel();
        let shared = Arc::clone(&kept);
        thread::Builder::new().name("autopilot-read".into()).spawn(move || {
            read_until_closed(reader, &shared, count);
            drop(closes);
        })?;
        Ok((Capture { kept, closed }, writer))
    }

    /// Takes what was read, at the end of the stream or at the deadline.
    pub(super) fn finish(self, deadline: Instant) -> Captured {
        let left = deadline.saturating_duration_since(Instant::now());
        let closing = match self.closed.recv_timeout(left) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Closing::Closed,
            Err(RecvTimeoutError::Timeout) => Closing::LeftOpen,
        };
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Kept { head, tail, total_bytes, .. } = kept.unwrap_or_else(|| Kept::up_to(0));
        Captured { head, tail: tail.into(), total_bytes, closing }
    }
}

fn read_until_closed(
    mut reader: PipeReader,
    shared: &Mutex<Option<Kept>>,
    counted: impl Fn(usize),
) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = match reader.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // A pipe that cannot be read has nothing more to tell.
            Err(_) => return,
        };
        counted(count);
        match shared.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(kept) => kept.push(&chunk[..count]),
            None => return,
        }
    }
}

struct Kept {
    head: Vec<u8>,
    head_bytes_max: usize,
    tail: VecDeque<u8>,
    tail_bytes_max: usize,
    total_bytes: u64,
}

impl Kept {
    fn up_to(bytes_max: usize) -> Self {
        let head_bytes_max = bytes_max / 2;
        Kept {
            head: Vec::new(),
            head_bytes_max,
            tail: VecDeque::new(),
            tail_bytes_max: bytes_max - head_bytes_max,
            total_bytes: 0,
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        self.total_bytes += chunk.len() as u64;
        let room = self.head_bytes_max - self.head.len();
        let (first, rest) = chunk.split_at(room.min(chunk.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.tail_bytes_max)..];
        let excess = (self.tail.len() + rest.len()).saturating_sub(self.tail_bytes_max);
        self.tail.drain(..excess);
        self.tail.extend(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(chunks: &[&[u8]], bytes_max: usize) -> Captured {
        let mut kept = Kept::up_to(bytes_max);
        chunks.iter().for_each(|chunk| kept.push(chunk));
        let Kept { head, tail, total_bytes, .. } = kept;
        Captured { head, tail: tail.into(), total_bytes, closing: Closing::Closed }
    }

    #[test]
    fn the_beginning_and_the_end_are_kept_however_the_chunks_fall() {
        let check = |chunks: &[&[u8]], bytes_max: usize, expected: &str| {
            assert_eq!(captured(chunks, bytes_max).text(), expected, "{chunks:?} {bytes_max}");
        };
        check(&[b"abcdef"], 6, "abcdef");
        check(&[b"abc", b"def"], 6, "abcdef");
        check(&[b"abcdefg"], 6, "abc\n… 1 bytes left out …\nefg");
        check(&[b"ab", b"cdefghi", b"j"], 6, "abc\n… 4 bytes left out …\nhij");
        check(&[b"a", b"b", b"c", b"d"], 3, "a\n… 1 bytes left out …\ncd");
        check(&[b"abc"], 0, "\n… 3 bytes left out …\n");
        check(&[], 6, "");
    }

    #[test]
    fn shown_lines_are_filled_printable_and_bounded() {
        let long = "x".repeat(1000);
        let text = format!("one\n\n  two\t2\u{1b}[0m\n \n3\n4\n5\n{long}\n\n");
        let shown = captured(&[text.as_bytes()], 10_000).last_lines();
        let cut = format!("{}…", "x".repeat(limits::TAIL_LINE_CHARS_MAX));
        assert_eq!(shown, ["two    2\u{FFFD}[0m", "3", "4", "5", &cut]);
        assert_eq!(captured(&[b"\n \n v1\nv2"], 100).first_line().as_deref(), Some("v1"));
        assert_eq!(captured(&[b"\n \n"], 100).first_line(), None);
    }
}
