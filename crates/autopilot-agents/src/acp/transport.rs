//! The agent's stdin and stdout as lines for the protocol: a thread on each, since reading a pipe waits, and bounded queues between. A
//! message that is longer than any real one ends the dialogue.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::thread;

use agent_client_protocol::Lines;
use futures::channel::mpsc;
use futures::executor::{block_on, block_on_stream};
use futures::{Sink, SinkExt, Stream};

use crate::limits;

pub(super) type Incoming = mpsc::Receiver<io::Result<String>>;

/// Both ends of the agent. Its stdin is closed when the dialogue is over.
pub(super) fn lines(
    stdin: impl Write + Send + 'static,
    stdout: impl Read + Send + 'static,
) -> io::Result<
    Lines<
        impl Sink<String, Error = io::Error> + Send + 'static,
        impl Stream<Item = io::Result<String>> + Send + 'static,
    >,
> {
    let (outgoing, to_agent) = mpsc::channel(limits::MESSAGES_WAITING_MAX);
    let (from_agent, incoming) = mpsc::channel(limits::MESSAGES_WAITING_MAX);
    spawn("acp-to-agent", move || write(stdin, to_agent))?;
    spawn("acp-from-agent", move || read(stdout, from_agent))?;
    let outgoing = outgoing.sink_map_err(|_| io::ErrorKind::BrokenPipe.into());
    let incoming: Incoming = incoming;
    Ok(Lines::new(outgoing, incoming))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_string()).spawn(work).map(drop)
}

fn write(mut stdin: impl Write, lines: mpsc::Receiver<String>) {
    for mut line in block_on_stream(lines) {
        line.push('\n');
        // Who does not read any more has ended; the other direction says so.
        if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read(stdout: impl Read, mut lines: mpsc::Sender<io::Result<String>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let line = match message(&mut stdout, limits::MESSAGE_BYTES_MAX) {
            Ok(None) => return,
            Ok(Some(line)) if line.trim().is_empty() => continue,
            Ok(Some(line)) => Ok(line),
            Err(error) => Err(error),
        };
        let is_last = line.is_err();
        if block_on(lines.send(line)).is_err() || is_last {
            return;
        }
    }
}

/// The next line without its line feed; `None` at the end.
fn message(stdout: &mut impl BufRead, bytes_max: u64) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = stdout.by_ref().take(bytes_max).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if read as u64 == bytes_max {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too long"));
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_a_line_and_has_its_bound() {
        let mut text = BufReader::new(b"one\n\ntwo\nthree" as &[u8]);
        let mut next = || message(&mut text, 6).map_err(|error| error.to_string());
        assert_eq!(next(), Ok(Some("one".into())));
        assert_eq!(next(), Ok(Some(String::new())));
        assert_eq!(next(), Ok(Some("two".into())));
        assert_eq!(next(), Ok(Some("three".into())), "the last one needs no line feed");
        assert_eq!(next(), Ok(None));
        let mut long = BufReader::new(b"seven77\n" as &[u8]);
        assert!(message(&mut long, 6).is_err());
    }
}
