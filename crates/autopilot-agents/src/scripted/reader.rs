//! What the stream of the scripted agent means.

use crate::activity::{Activity, Spend};
use crate::agent::StreamReader;
use crate::bounded_text::start_of;
use crate::ending::{Ending, How, Resets, Stopped};
use crate::limits;
use crate::script::Failure;
use crate::waits_for::WaitsFor;

use super::stream::StreamLine;

#[derive(Debug, Default)]
pub(super) struct ScriptedReader {
    answer: Option<String>,
    failure: Option<Failure>,
    error: Option<String>,
    is_tool_running: bool,
}

impl StreamReader for ScriptedReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<Activity> {
        let cut = |text: &str| start_of(text, limits::ACTIVITY_BYTES_MAX);
        let Ok(line) = serde_json::from_slice::<StreamLine>(line) else {
            return vec![Activity::Unknown(cut(&String::from_utf8_lossy(line)))];
        };
        self.is_tool_running = matches!(line, StreamLine::Tool { .. });
        let activity = match line {
            StreamLine::System { model, .. } => Activity::Started { model: cut(&model) },
            StreamLine::Say { text } => Activity::Said(cut(&text)),
            StreamLine::Tool { name, summary } => {
                Activity::UsedTool { name: cut(&name), summary: cut(&summary) }
            }
            StreamLine::Change { path } => Activity::ChangedFile(cut(&path)),
            StreamLine::Usage { spent } => Activity::Spent(Spend {
                input_tokens: spent.input_tokens,
                output_tokens: spent.output_tokens,
                cache_read_tokens: spent.cache_read_tokens,
                cache_write_tokens: spent.cache_write_tokens,
                usd_micros: spent.usd_micros,
                is_estimate: false,
            }),
            StreamLine::LimitWait { until_unix_s } => Activity::WaitingForLimit { until_unix_s },
            StreamLine::Ask { question } => Activity::Asked(cut(&question)),
            StreamLine::Output { .. } | StreamLine::LeftBehind { .. } => return Vec::new(),
            StreamLine::Result { text } => {
                self.answer = Some(start_of(&text, limits::ANSWER_BYTES_MAX));
                return Vec::new();
            }
            StreamLine::Failure { failure } => {
                self.failure = Some(failure);
                return Vec::new();
            }
            StreamLine::Error { message } => {
                self.error = Some(cut(&message));
                return Vec::new();
            }
        };
        vec![activity]
    }

    fn waits_for(&self) -> Option<WaitsFor> {
        self.is_tool_running.then_some(WaitsFor::Tool)
    }

    fn conclude(self: Box<Self>, stopped: &Stopped) -> Ending {
        match (stopped.how, self.failure, self.answer) {
            (How::Exited(_), Some(failure), _) => ending_of(failure),
            (How::Exited(0), None, Some(text)) => Ending::Answered { text },
            (
                How::Exited(_)
                | How::Signalled(_)
                | How::TimedOut
                | How::Stalled
                | How::Cancelled
                | How::AllowanceUsed
                | How::TooMuchOutput
                | How::CannotStart,
                _,
                _,
            ) => {
                let said = self.error.unwrap_or_else(|| stopped.said.clone());
                Ending::of_stop(&Stopped { how: stopped.how, said })
            }
        }
    }
}

fn ending_of(failure: Failure) -> Ending {
    match failure {
        Failure::LimitReached { resets_at_unix_s } => Ending::LimitReached {
            resets: resets_at_unix_s.map_or_else(|| Resets::Words(String::new()), Resets::At),
        },
        Failure::Overloaded => Ending::Overloaded,
        Failure::Unreachable { said } => Ending::Unreachable { said },
        Failure::Refused { why } => Ending::Refused { why },
        Failure::NotLoggedIn => Ending::NotLoggedIn,
        Failure::LoginRefused { said } => Ending::LoginRefused { said },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str], how: How) -> (Vec<Activity>, Ending) {
        let mut reader = Box::new(ScriptedReader::default());
        let seen = lines.iter().flat_map(|line| reader.read_line(line.as_bytes())).collect();
        (seen, reader.conclude(&Stopped { how, said: "stderr".into() }))
    }

    #[test]
    fn every_line_of_the_stream_is_understood() {
        let lines = [
            r#"{"type":"system","model":"scripted","agent":"scripted","version":1,"part":"","prompt_bytes":1}"#,
            r#"{"type":"say","text":"a"}"#,
            r#"{"type":"tool","name":"sh","summary":"ls"}"#,
            r#"{"type":"output","text":"x","exit":1}"#,
            r#"{"type":"change","path":"p"}"#,
            r#"{"type":"usage","spent":{"input_tokens":1,"output_tokens":2}}"#,
            r#"{"type":"limit_wait","until_unix_s":7}"#,
            r#"{"type":"ask","question":"q"}"#,
            r#"{"type":"new","text":"a"}"#,
            "",
            r#"{"type":"result","text":"first"}"#,
            r#"{"type":"result","text":"last"}"#,
        ];
        let (seen, ending) = read(&lines, How::Exited(0));
        let expected = vec![
            Activity::Started { model: "scripted".into() },
            Activity::Said("a".into()),
            Activity::UsedTool { name: "sh".into(), summary: "ls".into() },
            Activity::ChangedFile("p".into()),
            Activity::Spent(Spend { input_tokens: 1, output_tokens: 2, ..Spend::default() }),
            Activity::WaitingForLimit { until_unix_s: Some(7) },
            Activity::Asked("q".into()),
            Activity::Unknown(r#"{"type":"new","text":"a"}"#.into()),
            Activity::Unknown(String::new()),
        ];
        assert_eq!(seen, expected);
        assert_eq!(ending, Ending::Answered { text: "last".into() });
    }

    #[test]
    fn it_waits_for_a_tool_until_the_next_line() {
        let mut reader = ScriptedReader::default();
        assert_eq!(reader.waits_for(), None);
        reader.read_line(br#"{"type":"tool","name":"sh","summary":"make"}"#);
        assert_eq!(reader.waits_for(), Some(WaitsFor::Tool));
        reader.read_line(br#"{"type":"output","text":"x","exit":1}"#);
        assert_eq!(reader.waits_for(), None);
    }

    #[test]
    fn the_end_is_what_the_agent_and_its_process_say_together() {
        let check = |lines: &[&str], how: How, expected: Ending| {
            assert_eq!(read(lines, how).1, expected, "{lines:?} {how:?}");
        };
        let result = r#"{"type":"result","text":"done"}"#;
        let limit = r#"{"type":"failure","failure":{"limit_reached":{"resets_at_unix_s":9}}}"#;
        let error = r#"{"type":"error","message":"no entry"}"#;
        let crashed = |exit, said: &str| Ending::Crashed { exit, said: said.into() };
        check(&[result], How::Exited(1), crashed(How::Exited(1), "stderr"));
        check(&[result], How::Signalled(9), crashed(How::Signalled(9), "stderr"));
        check(&[result], How::TimedOut, Ending::TimedOut);
        check(&[], How::Exited(0), crashed(How::Exited(0), "stderr"));
        check(&[error], How::Exited(65), crashed(How::Exited(65), "no entry"));
        check(&[limit], How::Exited(1), Ending::LimitReached { resets: Resets::At(9) });
        check(&[limit], How::Cancelled, Ending::Cancelled);
        check(&[], How::Stalled, Ending::Stalled);
    }
}
