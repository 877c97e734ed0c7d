//! What a run of goose came to. It ends well whatever happened, so only words of its model are an answer: what goose itself says names
//! no model, and is an error or a notice. An error has a kind in some cases and begins with its class in all that were seen.

use std::path::PathBuf;

use super::stream::{Content, Failing, Line, LogLine, Message, Usage};
use crate::activity::{Activity, Spend};
use crate::agent::{SideFile, StreamReader};
use crate::bounded_text::start_of;
use crate::ending::{Ending, How, Resets, Stopped};
use crate::waits_for::WaitsFor;
use crate::{limit_words, limits};

pub(super) struct GooseReader {
    logs: PathBuf,
    /// The last message that says something.
    said: Said,
    /// Whether this version names the model of what a model said.
    names_models: bool,
    error_kind: Option<String>,
    is_complete: bool,
    waits_for: Option<WaitsFor>,
    /// The request that failed last, as long as it tries again.
    failing: Option<Failing>,
    told: Spend,
}

#[derive(Debug, Default)]
struct Said {
    id: Option<String>,
    text: String,
    names_model: bool,
}

impl GooseReader {
    pub(super) fn new(logs: PathBuf) -> GooseReader {
        GooseReader {
            logs,
            said: Said::default(),
            names_models: false,
            error_kind: None,
            is_complete: false,
            waits_for: Some(WaitsFor::Model),
            failing: None,
            told: Spend::default(),
        }
    }

    fn message(&mut self, message: Message) -> Vec<Activity> {
        let names_model = message.metadata.inference.is_some();
        self.names_models |= names_model;
        let is_agent = message.role == "assistant";
        let mut seen = Vec::new();
        for content in message.content {
            match content {
                Content::Text { text } if is_agent => {
                    seen.push(Activity::Said(start_of(&text, limits::ACTIVITY_BYTES_MAX)));
                    self.says(message.id.as_deref(), &text, names_model);
                }
                Content::Error { kind, message: text } => {
                    seen.push(Activity::Said(start_of(&text, limits::ACTIVITY_BYTES_MAX)));
                    self.error_kind = Some(kind);
                    self.says(message.id.as_deref(), &text, false);
                }
                Content::ToolRequest { tool_call } => {
                    self.waits_for = Some(WaitsFor::Tool);
                    seen.extend(used(&tool_call));
                }
                Content::ToolResponse => self.waits_for = Some(WaitsFor::Model),
                Content::Text { .. } | Content::Other => {}
            }
        }
        seen
    }

    fn says(&mut self, id: Option<&str>, text: &str, names_model: bool) {
        let goes_on = id.is_some() && self.said.id.as_deref() == id;
        if !goes_on {
            self.said = Said { id: id.map(str::to_string), ..Said::default() };
        }
        self.said.names_model = names_model;
        let room = limits::ANSWER_BYTES_MAX.saturating_sub(self.said.text.len());
        self.said.text.push_str(&start_of(text, room));
    }

    /// What is new in the sum of all requests.
    fn completed(&mut self, usage: Usage) -> Vec<Activity> {
        self.is_complete = true;
        self.waits_for = None;
        let (all, told) = (spend_of(usage), self.told);
        let rest = Spend {
            input_tokens: all.input_tokens.saturating_sub(told.input_tokens),
            output_tokens: all.output_tokens.saturating_sub(told.output_tokens),
            cache_read_tokens: all.cache_read_tokens.saturating_sub(told.cache_read_tokens),
            cache_write_tokens: all.cache_write_tokens.saturating_sub(told.cache_write_tokens),
            ..all
        };
        self.told = told.plus(rest);
        let is_nothing = rest == Spend::default();
        if is_nothing { Vec::new() } else { vec![Activity::Spent(rest)] }
    }

    fn answer(&self) -> Option<&str> {
        let text = self.said.text.as_str();
        let is_own = Class::of(text).is_some() || text.starts_with(TURNS_USED);
        // A version that names no models tells at least what they cost.
        let is_told = !self.names_models && !is_own && self.told != Spend::default();
        let is_models = self.said.names_model || is_told;
        Some(text).filter(|text| is_models && !text.trim().is_empty())
    }
}

fn used(call: &serde_json::Value) -> Option<Activity> {
    let call = call.get("value")?;
    let arguments = call.get("arguments");
    let field = |name: &str| arguments.and_then(|it| it.get(name)).and_then(|it| it.as_str());
    let name = call.get("name").and_then(|name| name.as_str()).unwrap_or_default();
    let summary = field("command").or(field("path")).unwrap_or_default();
    Some(Activity::UsedTool {
        name: start_of(name, limits::SUMMARY_BYTES_MAX),
        summary: start_of(summary, limits::SUMMARY_BYTES_MAX),
    })
}

fn spend_of(usage: Usage) -> Spend {
    let caches = (
        usage.cache_read_input_tokens.unwrap_or_default(),
        usage.cache_write_input_tokens.unwrap_or_default(),
    );
    let input = usage.input_tokens.unwrap_or_default();
    let micros = usage.cost_usd.map(|usd| usd * 1e6);
    Spend {
        input_tokens: input.saturating_sub(caches.0.saturating_add(caches.1)),
        output_tokens: usage.output_tokens.unwrap_or_default(),
        cache_read_tokens: caches.0,
        cache_write_tokens: caches.1,
        usd_micros: micros.filter(|it| it.is_finite() && *it > 0.0).map(|it| it.round() as u64),
        is_estimate: false,
    }
}

impl StreamReader for GooseReader {
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
            Line::Message { message } => self.message(message),
            Line::Error { error } => {
                self.says(None, &error, false);
                Vec::new()
            }
            Line::Complete(usage) => self.completed(usage),
            Line::Other => Vec::new(),
        }
    }

    /// Its logs of requests, one a file, tell at once what each cost; that it tries again after an error stands only in its log of what it
    /// does.
    fn side_file(&self) -> Option<SideFile> {
        let name_ends = [".jsonl", ".log"].map(str::to_string).into();
        Some(SideFile { folder: self.logs.clone(), name_ends })
    }

    fn read_side_line(&mut self, line: &[u8]) -> Vec<Activity> {
        let Ok(line) = serde_json::from_slice::<LogLine>(line) else { return Vec::new() };
        if let Some(failing) = line.failing() {
            self.failing = Some(failing);
            return vec![Activity::WaitingForLimit { until_unix_s: None }];
        }
        // After the sum nothing is new.
        let Some(usage) = line.usage.filter(|_| !self.is_complete) else { return Vec::new() };
        let spend = spend_of(usage);
        self.told = self.told.plus(spend);
        vec![Activity::Spent(spend)]
    }

    /// It would wait as long as its server says, be it a day.
    fn is_stuck(&self) -> bool {
        let wait_s = self.failing.as_ref().and_then(|failing| failing.wait_s);
        wait_s.is_some_and(|wait_s| wait_s > limits::OWN_WAIT_S_MAX)
    }

    fn waits_for(&self) -> Option<WaitsFor> {
        self.waits_for
    }

    fn conclude(self: Box<Self>, stopped: &Stopped) -> Ending {
        let How::Exited(code) = stopped.how else {
            let was_trying = matches!(stopped.how, How::Stalled | How::TimedOut);
            return match self.failing.filter(|_| was_trying) {
                Some(failing) => failing.ending(),
                None => Ending::of_stop(stopped),
            };
        };
        if let (0, true, Some(text)) = (code, self.is_complete, self.answer()) {
            return Ending::Answered { text: text.to_string() };
        }
        let own = &self.said.text;
        if own.is_empty() || self.answer().is_some() {
            return Ending::of_stop(stopped);
        }
        if own.starts_with(TURNS_USED) {
            return Ending::AllowanceUsed;
        }
        let said = start_of(own, limits::SAID_BYTES_MAX);
        let class = self.error_kind.as_deref().and_then(Class::of_kind).or_else(|| Class::of(own));
        let meant = || limit_words::meaning(own).map(|trouble| trouble.ending(own));
        let ending = class.and_then(|class| class.ending(&said)).or_else(meant);
        ending.unwrap_or_else(|| Ending::of_stop(&Stopped { how: stopped.how, said }))
    }
}

impl Failing {
    fn ending(&self) -> Ending {
        match (self.is_limit, self.wait_s) {
            (false, _) => Ending::Overloaded,
            (true, Some(wait_s)) => {
                Ending::LimitReached { resets: Resets::Words(format!("retry-after: {wait_s}")) }
            }
            (true, None) => Ending::LimitReached { resets: Resets::Words(String::new()) },
        }
    }
}

/// How the notice begins that its turns are used up; it ends well then.
const TURNS_USED: &str = "I've reached the maximum number of actions";

/// The classes of its errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Limit,
    Overload,
    Unreachable,
    LoginRefused,
    Refused,
    Other,
}

impl Class {
    fn of_kind(kind: &str) -> Option<Class> {
        match kind {
            "authentication" => Some(Class::LoginRefused),
            _ => None,
        }
    }

    /// `None` for words that are none of its errors.
    fn of(text: &str) -> Option<Class> {
        let (announced, message) = match text.strip_prefix("Ran into this error: ") {
            Some(message) => (true, message),
            None => (false, text),
        };
        let begins = |words: &[&str]| words.iter().any(|words| message.starts_with(words));
        if begins(&["Network error: "]) {
            return Some(Class::Unreachable);
        }
        if announced && begins(&["Server error: "]) {
            return Some(Class::Overload);
        }
        let class = if begins(&["Authentication error: "]) {
            Class::LoginRefused
        } else if begins(&["Rate limit exceeded"]) {
            Class::Limit
        } else if begins(&["Request failed: ", "Context length exceeded", "Credits exhausted"]) {
            Class::Refused
        } else {
            Class::Other
        };
        announced.then_some(class)
    }

    fn ending(self, said: &str) -> Option<Ending> {
        let text = || said.to_string();
        Some(match self {
            Class::Limit => Ending::LimitReached { resets: Resets::Words(text()) },
            Class::Overload => Ending::Overloaded,
            Class::Unreachable => Ending::Unreachable { said: text() },
            Class::LoginRefused => Ending::LoginRefused { said: text() },
            Class::Refused => Ending::Refused { why: text() },
            Class::Other => return None,
        })
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
