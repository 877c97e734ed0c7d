//! Any program as an agent: it gets the prompt on stdin, and what it prints is the answer. It cannot tell what it spends.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::activity::Activity;
use crate::agent::{Agent, AgentCommand, StreamReader};
use crate::bounded_text::start_of;
use crate::ending::{Ending, How, Stopped};
use crate::request::{Access, Request};
use crate::{limit_words, limits};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandAgent {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Of the user's variables, those it gets: nobody else knows which its keys are.
    pub variables: Vec<String>,
}

impl Agent for CommandAgent {
    fn name(&self) -> &str {
        "command"
    }

    fn more_variables(&self) -> &[String] {
        &self.variables
    }

    /// What the request is for is told in variables, so that a small script can choose by them. Their names do not begin with
    /// `AUTOPILOT_`: those are settings, and an autopilot below the agent would read them.
    fn command(&self, request: &Request) -> AgentCommand {
        let access = match request.access {
            Access::ReadOnly => "read-only",
            Access::Writable => "writable",
        };
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("REQUEST_PHASE".into(), (&request.phase).into()),
            ("REQUEST_STEP".into(), (&request.step).into()),
            ("REQUEST_ROUND".into(), request.round.to_string().into()),
            ("REQUEST_ACCESS".into(), access.into()),
        ];
        let optional = [("REQUEST_TASK", &request.task), ("REQUEST_MODEL", &request.model)];
        for (name, value) in optional {
            environment.extend(value.as_ref().map(|value| (name.into(), value.into())));
        }
        AgentCommand {
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            environment,
            variables: &[],
            files: Vec::new(),
            copies: Vec::new(),
            writes: Vec::new(),
            stdin: request.prompt.clone().into_bytes(),
        }
    }

    fn reader(&self, _: &Request) -> Box<dyn StreamReader> {
        Box::new(PlainText { answer: Vec::new() })
    }
}

/// Every line is said, and all of them together are the answer.
struct PlainText {
    answer: Vec<u8>,
}

impl StreamReader for PlainText {
    fn read_line(&mut self, line: &[u8]) -> Vec<Activity> {
        let room = limits::ANSWER_BYTES_MAX.saturating_sub(self.answer.len());
        self.answer.extend(line.iter().chain(b"\n").take(room));
        let text = String::from_utf8_lossy(line);
        match text.trim() {
            "" => Vec::new(),
            said => vec![Activity::Said(start_of(said, limits::ACTIVITY_BYTES_MAX))],
        }
    }

    fn conclude(self: Box<Self>, stopped: &Stopped) -> Ending {
        match stopped.how {
            How::Exited(0) => {
                Ending::Answered { text: String::from_utf8_lossy(&self.answer).into_owned() }
            }
            How::Exited(_) => match limit_words::meaning(last_line(&stopped.said)) {
                Some(trouble) => trouble.ending(&stopped.said),
                None => Ending::of_stop(stopped),
            },
            How::Signalled(_)
            | How::TimedOut
            | How::Stalled
            | How::Cancelled
            | How::AllowanceUsed
            | How::TooMuchOutput
            | How::CannotStart => Ending::of_stop(stopped),
        }
    }
}

/// Where a program says why it gave up.
fn last_line(said: &str) -> &str {
    said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            prompt: "do it".into(),
            phase: "2.1".into(),
            step: "execute".into(),
            task: Some("2".into()),
            round: 3,
            access: Access::Writable,
            model: None,
            allowance_tokens: 10,
            allowance_usd_micros: None,
            schema: None,
            is_fenced: false,
            scratch: PathBuf::new(),
        }
    }

    fn tool() -> CommandAgent {
        CommandAgent { program: "tool".into(), arguments: Vec::new(), variables: Vec::new() }
    }

    fn concluded(lines: &[&[u8]], how: How) -> Ending {
        let agent = tool();
        let mut reader = agent.reader(&request());
        for line in lines {
            reader.read_line(line);
        }
        reader.conclude(&Stopped { how, said: "why".into() })
    }

    #[test]
    fn what_a_program_prints_is_its_answer_if_it_ends_well() {
        let answered = Ending::Answered { text: "one\n\ntwo\u{FFFD}\n".into() };
        assert_eq!(concluded(&[b"one", b"", b"two\xFF"], How::Exited(0)), answered);
        let crashed = |exit| Ending::Crashed { exit, said: "why".into() };
        assert_eq!(concluded(&[b"one"], How::Exited(1)), crashed(How::Exited(1)));
        assert_eq!(concluded(&[], How::Signalled(9)), crashed(How::Signalled(9)));
        assert_eq!(concluded(&[b"one"], How::TimedOut), Ending::TimedOut);
        assert_eq!(concluded(&[], How::AllowanceUsed), Ending::AllowanceUsed);
    }

    #[test]
    fn a_program_that_gives_up_at_a_limit_has_not_crashed() {
        let ended = |said: &str| {
            tool().reader(&request()).conclude(&Stopped { how: How::Exited(1), said: said.into() })
        };
        let said = "starting\nError: you've hit your usage limit, resets 3:30pm (UTC)\n";
        let resets = crate::ending::Resets::Words(said.into());
        assert_eq!(ended(said), Ending::LimitReached { resets });
        assert_eq!(ended("Error: not logged in\n"), Ending::NotLoggedIn);
        let prose = "the test of the 429 handler failed";
        let crashed = Ending::Crashed { exit: How::Exited(1), said: prose.into() };
        assert_eq!(ended(prose), crashed);
    }

    #[test]
    fn an_endless_answer_is_cut() {
        let line = vec![b'x'; 100_000];
        let lines: Vec<&[u8]> = std::iter::repeat_n(line.as_slice(), 20).collect();
        let Ending::Answered { text } = concluded(&lines, How::Exited(0)) else {
            panic!("no answer")
        };
        assert_eq!(text.len(), limits::ANSWER_BYTES_MAX);
    }

    #[test]
    fn the_prompt_goes_by_stdin_and_the_purpose_by_variables() {
        let command = tool().command(&request());
        assert_eq!(command.stdin, b"do it");
        let shown: Vec<String> = command
            .environment
            .iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        assert_eq!(
            shown,
            [
                "REQUEST_PHASE=2.1",
                "REQUEST_STEP=execute",
                "REQUEST_ROUND=3",
                "REQUEST_ACCESS=writable",
                "REQUEST_TASK=2"
            ]
        );
    }
}
