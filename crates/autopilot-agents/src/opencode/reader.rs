//! What a run of opencode came to. There is no last line that says so: it has answered if it ends well, its last step ended because the
//! model was done, and there is a text. Of errors the status counts first, the name next, words last.

use std::path::PathBuf;

use super::stream::{Fault, Line, StepFinish, Text, ToolUse, failed_answer};
use crate::activity::{Activity, Spend};
use crate::agent::{SideFile, StreamReader};
use crate::bounded_text::start_of;
use crate::ending::{Ending, How, Resets, Stopped};
use crate::waits_for::WaitsFor;
use crate::{limit_words, limits};

pub(super) struct OpencodeReader {
    logs: PathBuf,
    step: Step,
    /// What was said in the last message that says something, and which one that is.
    answer: (String, String),
    /// A tool it was not allowed to use, until it goes on without.
    refused: Option<String>,
    error: Option<Fault>,
    /// Why the answer under way failed, as long as it tries again.
    failing: Option<String>,
    /// Steps in a row whose answer broke off. It asks anew for each, without a pause and without an end.
    broken_off: u32,
    steps: u32,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// The model was asked and has not begun to answer.
    Asked,
    /// It answers, or a tool runs: neither tells when it begins.
    UnderWay,
    Done,
    /// It ended otherwise than by being done.
    Ended(String),
}

impl OpencodeReader {
    pub(super) fn new(logs: PathBuf) -> OpencodeReader {
        OpencodeReader {
            logs,
            step: Step::Asked,
            answer: Default::default(),
            refused: None,
            error: None,
            failing: None,
            broken_off: 0,
            steps: 0,
        }
    }

    fn text(&mut self, part: Text) -> Vec<Activity> {
        let (message, text) = &mut self.answer;
        if *message != part.message {
            *message = part.message;
            text.clear();
        } else if !text.is_empty() {
            text.push('\n');
        }
        let room = limits::ANSWER_BYTES_MAX.saturating_sub(text.len());
        text.push_str(&start_of(&part.text, room));
        vec![Activity::Said(start_of(&part.text, limits::ACTIVITY_BYTES_MAX))]
    }

    fn tool(&mut self, part: ToolUse) -> Vec<Activity> {
        let state = part.state;
        let field = |name: &str| state.input.get(name).and_then(|value| value.as_str());
        let about = state.title.as_deref().or(field("command")).or(field("filePath"));
        let summary = start_of(about.unwrap_or_default(), limits::SUMMARY_BYTES_MAX);
        let name = start_of(&part.tool, limits::SUMMARY_BYTES_MAX);
        let is_done = state.status == "completed";
        let changed = field("filePath")
            .filter(|_| is_done && matches!(part.tool.as_str(), "write" | "edit"))
            .map(|path| Activity::ChangedFile(start_of(path, limits::ACTIVITY_BYTES_MAX)));
        let error = state.error.as_deref().unwrap_or_default();
        if error.contains("rejected permission") {
            self.refused = Some(name.clone());
        }
        [Activity::UsedTool { name, summary }].into_iter().chain(changed).collect()
    }

    fn finished(&mut self, part: StepFinish) -> Vec<Activity> {
        self.step = match part.reason.as_str() {
            "stop" => Step::Done,
            "tool-calls" => Step::Asked,
            _ => Step::Ended(start_of(&part.reason, limits::SUMMARY_BYTES_MAX)),
        };
        if self.step == Step::Done {
            self.refused = None;
        }
        self.steps = self.steps.saturating_add(1);
        self.broken_off = match self.step {
            Step::Ended(_) => self.broken_off.saturating_add(1),
            Step::Asked | Step::UnderWay | Step::Done => 0,
        };
        let tokens = part.tokens;
        vec![Activity::Spent(Spend {
            input_tokens: tokens.input,
            output_tokens: tokens.output.saturating_add(tokens.reasoning),
            cache_read_tokens: tokens.cache.read,
            cache_write_tokens: tokens.cache.write,
            usd_micros: micros(part.cost),
            is_estimate: false,
        })]
    }

    fn has_used_its_turns(&self) -> bool {
        self.steps > limits::TURNS_MAX && self.step != Step::Done
    }

    fn answered(self, stopped: &Stopped) -> Ending {
        let text = self.answer.1;
        if let Some(tool) = self.refused {
            return Ending::Refused { why: format!("it may not use {tool}") };
        }
        let said = match self.step {
            Step::Done if !text.trim().is_empty() => return Ending::Answered { text },
            Step::Done => "it ended without an answer".to_string(),
            Step::Ended(reason) => format!("its last step ended with: {reason}"),
            Step::Asked | Step::UnderWay => "it ended before its model was done".to_string(),
        };
        Ending::of_stop(&Stopped { how: stopped.how, said: with_stderr(&said, &stopped.said) })
    }
}

/// A price of nothing is no price: models whose price it does not know cost that.
fn micros(usd: Option<f64>) -> Option<u64> {
    let micros = usd? * 1e6;
    (micros.is_finite() && micros > 0.0).then(|| micros.round() as u64)
}

fn with_stderr(said: &str, stderr: &str) -> String {
    match stderr.trim() {
        "" => said.to_string(),
        stderr => format!("{said}\n{stderr}"),
    }
}

impl StreamReader for OpencodeReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<Activity> {
        if line.trim_ascii().is_empty() {
            return Vec::new();
        }
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            let text = String::from_utf8_lossy(line);
            return vec![Activity::Unknown(start_of(&text, limits::ACTIVITY_BYTES_MAX))];
        };
        self.failing = None;
        match line {
            Line::StepStart => {
                self.step = Step::UnderWay;
                Vec::new()
            }
            Line::Text { part } => self.text(part),
            Line::ToolUse { part } => self.tool(part),
            Line::StepFinish { part } => self.finished(part),
            Line::Error { error } => {
                let said = start_of(&error.data.message, limits::ACTIVITY_BYTES_MAX);
                self.error = Some(error);
                vec![Activity::Said(said)]
            }
            Line::Other => Vec::new(),
        }
    }

    /// Its log: that it tries again after an error stands only there.
    fn side_file(&self) -> Option<SideFile> {
        Some(SideFile { folder: self.logs.clone(), name_ends: vec![".log".to_string()] })
    }

    fn read_side_line(&mut self, line: &[u8]) -> Vec<Activity> {
        let line = String::from_utf8_lossy(line);
        let Some(message) = failed_answer(&line) else { return Vec::new() };
        self.failing = Some(start_of(message, limits::SAID_BYTES_MAX));
        vec![Activity::WaitingForLimit { until_unix_s: None }]
    }

    /// While it tries again nothing is believed of it: it waits as long as its server says, be it a day.
    fn waits_for(&self) -> Option<WaitsFor> {
        match (&self.failing, &self.step) {
            (Some(_), _) => None,
            (None, Step::Asked) => Some(WaitsFor::Model),
            (None, Step::UnderWay) => Some(WaitsFor::Tool),
            (None, Step::Done | Step::Ended(_)) => None,
        }
    }

    /// After its last turn it tells the model to come to an end, and goes on when that does not.
    fn is_stuck(&self) -> bool {
        self.broken_off >= limits::BROKEN_OFF_MAX || self.has_used_its_turns()
    }

    fn conclude(self: Box<Self>, stopped: &Stopped) -> Ending {
        if stopped.how == How::Stalled && self.is_stuck() {
            let has_used = self.has_used_its_turns();
            return if has_used { Ending::AllowanceUsed } else { Ending::Overloaded };
        }
        match (stopped.how, &self.error, &self.failing) {
            (How::Exited(_), Some(error), _) => of_error(error, stopped),
            (How::Exited(0), None, _) => self.answered(stopped),
            // It was still trying when its time was over.
            (How::Stalled | How::TimedOut, _, Some(message)) => {
                let words = message.strip_prefix("AI_APICallError: ").unwrap_or(message);
                let meant = limit_words::meaning(words).map(|trouble| trouble.ending(words));
                meant.unwrap_or(Ending::Overloaded)
            }
            _ => Ending::of_stop(stopped),
        }
    }
}

fn of_error(error: &Fault, stopped: &Stopped) -> Ending {
    let message = &error.data.message;
    let said = start_of(message, limits::SAID_BYTES_MAX);
    match (error.data.status_code, error.name.as_str()) {
        (Some(401 | 403), _) | (None, "ProviderAuthError") => Ending::LoginRefused { said },
        (Some(429), _) => Ending::LimitReached { resets: Resets::Words(with_wait(error, said)) },
        (Some(500..), _) => Ending::Overloaded,
        (Some(400..=499), _) | (None, "ContextOverflowError") => Ending::Refused { why: said },
        (None, "APIError") if error.data.is_retryable => Ending::Unreachable { said },
        (_, name) => {
            let meant = limit_words::meaning(message).map(|trouble| trouble.ending(message));
            let said = if said.is_empty() { name.to_string() } else { said };
            let said = with_stderr(&said, &stopped.said);
            meant.unwrap_or_else(|| Ending::of_stop(&Stopped { how: stopped.how, said }))
        }
    }
}

/// The server may have said how long to wait, in a field.
fn with_wait(error: &Fault, said: String) -> String {
    match error.data.response_headers.get("retry-after").and_then(|value| value.as_str()) {
        Some(wait) => start_of(&format!("retry-after: {wait}\n{said}"), limits::SAID_BYTES_MAX),
        None => said,
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
