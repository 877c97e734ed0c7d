//! The one place that prints: results to stdout, talk to stderr, colours only where a terminal shows them. Knows how wide the
//! screen is; what to say is the commands' business.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

use anstyle::{AnsiColor, Style};
use autopilot_core::exit::Exit;
use autopilot_core::finding::printable;
use serde::Serialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::compact_json;
use crate::wrap::{cut, wrap};

/// Narrower than this nothing is legible; wider than this nobody reads a line.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=160;
/// What is assumed where no terminal says otherwise.
const WIDTH_OF_A_PIPE: usize = 80;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

pub(crate) struct Output {
    stdout: anstream::AutoStream<io::Stdout>,
    stderr: anstream::AutoStream<io::Stderr>,
    width: usize,
    failure: Option<io::Error>,
}

impl Output {
    pub(crate) fn of_this_process() -> Output {
        Output {
            stdout: anstream::stdout(),
            stderr: anstream::stderr(),
            width: screen_width(),
            failure: None,
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Whether a person is likely to read along.
    pub(crate) fn is_terminal(&self) -> bool {
        io::IsTerminal::is_terminal(&io::stdout())
    }

    /// Whether colours arrive.
    pub(crate) fn is_coloured(&self) -> bool {
        self.stdout.current_choice() != anstream::ColorChoice::Never
    }

    /// A line of the result.
    pub(crate) fn say(&mut self, line: &str) {
        let written = writeln!(self.stdout, "{line}");
        self.noted(written);
    }

    /// Begins a new picture: on a terminal at its top, elsewhere after an empty line.
    pub(crate) fn clear(&mut self) {
        if io::IsTerminal::is_terminal(&io::stdout()) {
            self.say_text("\u{1b}[H\u{1b}[2J");
        } else {
            self.say("");
        }
    }

    /// A sentence of the result, over as many lines as it takes.
    pub(crate) fn say_wrapped(&mut self, text: &str) {
        self.say_wrapped_in(Style::new(), text);
    }

    /// The same in a style, which is no part of the width.
    pub(crate) fn say_wrapped_in(&mut self, style: Style, text: &str) {
        for line in wrap(text, self.width, 0) {
            self.say(&styled(style, line));
        }
    }

    /// Text that already ends its lines.
    pub(crate) fn say_text(&mut self, text: &str) {
        let written = self.stdout.write_all(text.as_bytes());
        self.noted(written);
    }

    /// Stdout as it is, for bytes that another program reads.
    pub(crate) fn raw(&mut self) -> impl Write {
        io::stdout().lock()
    }

    /// A remark that is not part of the result.
    pub(crate) fn remark(&mut self, line: &str) {
        // Whether anybody reads remarks makes no difference to the result.
        let _ = writeln!(self.stderr, "{line}");
    }

    /// The same over as many lines as it takes.
    pub(crate) fn remark_wrapped(&mut self, text: &str) {
        self.remark_wrapped_in(Style::new(), text);
    }

    /// The same in a style, which is no part of the width.
    pub(crate) fn remark_wrapped_in(&mut self, style: Style, text: &str) {
        for line in wrap(text, self.width, 0) {
            self.remark(&styled(style, line));
        }
    }

    /// Whether a line that passes is seen.
    pub(crate) fn shows_passing(&self) -> bool {
        io::IsTerminal::is_terminal(&io::stderr())
    }

    /// A line that the next one is written over; an empty one takes it away. Only at a terminal.
    pub(crate) fn passing(&mut self, line: &str) {
        if self.shows_passing() {
            // One column is left free, or some terminals go on to the next line.
            let room = self.width.saturating_sub(1);
            let (line, gap) = (cut(line, room), " ".repeat(room));
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r{gap}\r{line}").and_then(|()| stderr.flush());
        }
    }

    /// A question, with the answer to be typed behind it.
    pub(crate) fn ask(&mut self, question: &str) {
        // What it is about comes first.
        let flushed = self.stdout.flush();
        self.noted(flushed);
        let _ = write!(self.stderr, "{question}").and_then(|()| self.stderr.flush());
    }

    /// One JSON document, compact when a program reads it.
    pub(crate) fn document(&mut self, document: &impl Serialize) {
        if io::IsTerminal::is_terminal(&io::stdout()) {
            let text = serde_json::to_string_pretty(document).unwrap_or_default();
            return self.say(&harmless(&text));
        }
        let written = self.bare_stdout().and_then(|stdout| compact_json::write(document, stdout));
        self.noted(written);
    }

    /// One JSON document over many lines, for somebody who changes it by hand.
    pub(crate) fn document_to_edit(&mut self, document: &impl Serialize) {
        let text = serde_json::to_string_pretty(document).unwrap_or_default();
        self.say(&harmless(&text));
    }

    /// One JSON document on one line, at once: somebody may be reading along.
    pub(crate) fn line_of_json(&mut self, document: &impl Serialize) {
        let text = serde_json::to_string(document).unwrap_or_default();
        let mut stdout = io::stdout().lock();
        let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
        drop(stdout);
        self.noted(written);
    }

    /// Stdout without the look for line ends that std takes at all that passes.
    fn bare_stdout(&mut self) -> io::Result<File> {
        self.stdout.flush()?;
        Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
    }

    /// A result that could not be written, unless its reader went away, as `head` does when it has enough.
    pub(crate) fn failure(&mut self) -> Option<io::Error> {
        let flushed = self.stdout.flush();
        self.noted(flushed);
        self.failure.take().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }

    fn noted(&mut self, written: io::Result<()>) {
        if let Err(error) = written
            && self.failure.is_none()
        {
            self.failure = Some(error);
        }
    }
}

/// JSON whose strings cannot steer a terminal: what would is written as `\\u` and four digits, which means the same.
fn harmless(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\n' => safe.push('\n'),
            character if printable(character.encode_utf8(&mut [0; 4])).starts_with('\u{FFFD}') => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    safe.push_str(&format!("\\u{unit:04x}"));
                }
            }
            character => safe.push(character),
        }
    }
    safe
}

fn screen_width() -> usize {
    let of_terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let of_environment = || {
        std::env::var("COLUMNS")
            .ok()
            .and_then(|columns| columns.parse().ok())
            .filter(|columns| *columns > 0)
    };
    let width: usize = of_terminal.or_else(of_environment).unwrap_or(WIDTH_OF_A_PIPE);
    width.clamp(*WIDTHS.start(), *WIDTHS.end())
}

/// Text in a style; the stream takes the style out where it is not wanted.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A panic is our own broken promise: said in a sentence, without a backtrace in the user's face.
pub(crate) fn explain_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map(|place| format!(" ({}:{})", place.file(), place.line()))
            .unwrap_or_default();
        let payload = info.payload();
        let said = payload.downcast_ref::<&str>().map(ToString::to_string);
        let said = said.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        let _ = writeln!(
            io::stderr(),
            "bug: autopilot broke a promise of its own{place}: {said}\n\
             why: your files are as they were, but this answer is not to be trusted\n\
             fix: please report it with the command you ran and the file it read"
        );
    }));
}

/// Ends the program from a signal: children first, then the exit code the shell expects.
pub(crate) fn end_on_signals() {
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    else {
        return;
    };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            autopilot_engine::process::end_all();
            let (exit, words) = match signal {
                SIGINT | SIGQUIT => (Exit::Interrupted, "interrupted"),
                _ => (Exit::Terminated, "terminated"),
            };
            let _ = writeln!(
                io::stderr(),
                "{words}: what was started has been told to end; no file was half written"
            );
            end_process(exit);
        }
    });
}

/// For a run that was asked to stop.
pub(crate) fn say_stopping() {
    let words =
        "stopping: the step is ended and recorded, this takes up to 15 s; once more to end at once";
    let _ = writeln!(io::stderr(), "{}", wrap(words, screen_width(), 0).join("\n"));
}

/// The second wish to stop: children are ended, the journal is whole as it always is.
pub(crate) fn end_at_once(exit: Exit) -> ! {
    autopilot_engine::process::end_all();
    let _ = writeln!(io::stderr(), "ended; nothing recorded is lost. Go on: autopilot resume");
    end_process(exit)
}

#[expect(
    clippy::exit,
    reason = "a signal ends the program from a thread of its own, after the children were ended"
)]
fn end_process(exit: Exit) -> ! {
    std::process::exit(i32::from(exit.code()))
}
