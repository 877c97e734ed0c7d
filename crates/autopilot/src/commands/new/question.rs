//! The one question of `new`. Asked on stderr and answered on stdin; only a plain yes is one.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError};

use autopilot_core::limits;

use super::interrupt::Interrupt;
use crate::output::Output;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    Interrupted,
}

/// Whether somebody sees the question and can answer it.
pub(super) fn can_be_asked(output: &Output) -> bool {
    io::stdin().is_terminal() && output.shows_passing()
}

/// Waits for a line, for as long as it takes, or for a signal.
pub(super) fn ask(question: &str, interrupt: &Interrupt, output: &mut Output) -> Answer {
    output.ask(question);
    let (tell, told) = mpsc::channel();
    // Left behind where a signal comes first; the program ends then.
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = io::stdin().read_line(&mut line);
        let _ = tell.send(line);
    });
    loop {
        match told.recv_timeout(limits::TICK_TIME) {
            Ok(line) => return meaning(&line),
            Err(RecvTimeoutError::Timeout) if interrupt.seen().is_none() => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                output.remark("");
                return Answer::Interrupted;
            }
        }
    }
}

fn meaning(line: &str) -> Answer {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Answer::Yes,
        _ => Answer::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_is_one() {
        for line in ["y\n", "Y\n", "yes\n", " YES \n"] {
            assert_eq!(meaning(line), Answer::Yes, "{line:?}");
        }
        for line in ["", "\n", "n\n", "no\n", "yess\n", "sure\n"] {
            assert_eq!(meaning(line), Answer::No, "{line:?}");
        }
    }
}
