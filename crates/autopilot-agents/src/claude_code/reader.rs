//! What the lines of Claude Code's stream tell while it works. `verdict` says what they come to.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use super::spending::Spending;
use super::stream::{
    Assistant, Block, Denied, Init, Kind, RateLimit, RateLimitEvent, ResultLine, Retry,
    StreamEvent, User,
};
use super::verdict::{self, Trouble};
use crate::activity::Activity;
use crate::agent::StreamReader;
use crate::bounded_text::start_of;
use crate::ending::{Ending, Stopped};
use crate::limits;
use crate::request::Access;
use crate::waits_for::WaitsFor;

pub(super) struct ClaudeReader {
    access: Access,
    model: Option<String>,
    spending: Spending,
    /// Calls of tools whose results have not come yet, and the file each would change.
    calls: VecDeque<(String, Call)>,
    has_worked: bool,
    trouble: Trouble,
    /// A process can print several; the last one counts.
    result: Option<ResultLine>,
}

struct Call {
    changes: Option<String>,
    is_work: bool,
}

impl ClaudeReader {
    pub(super) fn of(access: Access) -> ClaudeReader {
        ClaudeReader {
            access,
            model: None,
            spending: Spending::default(),
            calls: VecDeque::new(),
            has_worked: false,
            trouble: Trouble::default(),
            result: None,
        }
    }

    fn read(&mut self, line: &[u8]) -> Option<Vec<Activity>> {
        let kind: Kind<'_> = of(line)?;
        match (&*kind.r#type, &*kind.subtype) {
            ("system", "init") => Some(self.init(of(line)?)),
            ("system", "api_retry") => Some(retry(&of(line)?)),
            ("system", "permission_denied") => Some(denied(&of(line)?)),
            ("assistant", _) => Some(self.assistant(of(line)?)),
            ("user", _) => {
                let User { message } = of(line)?;
                Some(message.blocks().filter_map(|block| self.tool_result(&block)).collect())
            }
            ("stream_event", _) => Some(self.part(of(line)?)),
            ("rate_limit_event", _) => {
                Some(self.rate_limit(&of::<RateLimitEvent>(line)?.rate_limit_info))
            }
            ("result", _) => {
                let result: ResultLine = of(line)?;
                let spent = self.spending.total(result.total());
                self.result = Some(result);
                Some(spent.map(Activity::Spent).into_iter().collect())
            }
            // Hooks, tasks in the background, notices: nothing that anybody needs.
            ("system", _) => Some(Vec::new()),
            (_, _) => None,
        }
    }

    /// It comes again with every turn.
    fn init(&mut self, init: Init) -> Vec<Activity> {
        if self.model.as_ref() == Some(&init.model) {
            return Vec::new();
        }
        let model = cut(&init.model);
        self.model = Some(init.model);
        vec![Activity::Started { model }]
    }

    fn assistant(&mut self, line: Assistant) -> Vec<Activity> {
        if let Some(error) = line.error {
            let reset = line.api_error_params.and_then(|params| params.rate_limit_info);
            let resets_at = reset.and_then(|info| info.resets_at).or(self.trouble.resets_at);
            let api_error = line.api_error;
            self.trouble = Trouble { error: Some(error), api_error, resets_at };
            return Vec::new();
        }
        let usage = line.message.usage.unwrap_or_default();
        let spent = self.spending.message(&line.message.id, usage.spend());
        let seen: Vec<Activity> =
            line.message.blocks().filter_map(|block| self.block(block)).collect();
        spent.map(Activity::Spent).into_iter().chain(seen).collect()
    }

    fn block(&mut self, block: Block) -> Option<Activity> {
        match block.r#type.as_str() {
            "text" if block.text.trim().is_empty() => None,
            "text" => Some(Activity::Said(cut(&block.text))),
            // The answer in its form; what it says comes with the result.
            "tool_use" if block.name == "StructuredOutput" => None,
            "tool_use" => {
                let changes = ["Edit", "MultiEdit", "NotebookEdit", "Write"];
                let changes = changes.contains(&block.name.as_str()).then(|| file_of(&block.input));
                let is_work = changes.is_some() || block.name == "Bash";
                if self.calls.len() >= limits::CALLS_OPEN_MAX {
                    self.calls.pop_front();
                }
                let call = Call { changes: changes.flatten(), is_work };
                self.calls.push_back((block.id, call));
                let summary = summary(&block.input);
                Some(Activity::UsedTool { name: cut(&block.name), summary })
            }
            _ => None,
        }
    }

    fn tool_result(&mut self, block: &Block) -> Option<Activity> {
        let at = self.calls.iter().position(|(id, _)| *id == block.tool_use_id)?;
        let (_, call) = self.calls.remove(at)?;
        if block.is_error == Some(true) {
            return None;
        }
        self.has_worked |= call.is_work;
        call.changes.map(|path| Activity::ChangedFile(cut(&path)))
    }

    /// Only in the parts does the usage of a message grow to what it comes to.
    fn part(&mut self, line: StreamEvent) -> Vec<Activity> {
        let message = line.event.message.as_ref();
        let id = message.map(|message| message.id.clone()).or(line.api_message_id);
        let usage = line.event.usage.or(message.and_then(|message| message.usage));
        let spent = match (id, usage) {
            (Some(id), Some(usage)) => self.spending.message(&id, usage.spend()),
            (None, _) | (_, None) => None,
        };
        spent.map(Activity::Spent).into_iter().collect()
    }

    /// Of a subscription. What is allowed, with a warning or without, is no limit.
    fn rate_limit(&mut self, limit: &RateLimit) -> Vec<Activity> {
        if limit.status != "rejected" || limit.is_using_overage {
            return Vec::new();
        }
        self.trouble.resets_at = limit.resets_at.or(self.trouble.resets_at);
        vec![Activity::WaitingForLimit { until_unix_s: limit.resets_at }]
    }
}

impl StreamReader for ClaudeReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<Activity> {
        self.read(line)
            .unwrap_or_else(|| vec![Activity::Unknown(cut(&String::from_utf8_lossy(line)))])
    }

    /// Between its first line and its result somebody is at work all the time: a tool of its, or else its model.
    fn waits_for(&self) -> Option<WaitsFor> {
        match (self.calls.is_empty(), self.model.is_some() && self.result.is_none()) {
            (false, _) => Some(WaitsFor::Tool),
            (true, true) => Some(WaitsFor::Model),
            (true, false) => None,
        }
    }

    fn conclude(self: Box<Self>, stopped: &Stopped) -> Ending {
        let could_work = self.access == Access::ReadOnly || self.has_worked;
        verdict::of(self.result, &self.trouble, could_work, stopped)
    }
}

/// It tries the model again by itself. A login that does not hold is nothing to wait for.
fn retry(retry: &Retry) -> Vec<Activity> {
    match retry.error.as_deref() {
        Some("authentication_failed") => Vec::new(),
        Some(_) | None => vec![Activity::WaitingForLimit { until_unix_s: None }],
    }
}

fn denied(denied: &Denied) -> Vec<Activity> {
    vec![Activity::Asked(cut(&denied.message))]
}

fn of<'l, T: Deserialize<'l>>(line: &'l [u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

fn file_of(input: &Value) -> Option<String> {
    let path = input.get("file_path").or_else(|| input.get("notebook_path"));
    path.and_then(Value::as_str).map(str::to_string)
}

/// What a call is about, in a few words: the first of these that its input has.
fn summary(input: &Value) -> String {
    const TELLING: [&str; 8] =
        ["command", "file_path", "notebook_path", "pattern", "url", "query", "description", "path"];
    let told = TELLING.iter().find_map(|name| input.get(name)?.as_str());
    let line = told.and_then(|text| text.lines().next()).unwrap_or_default();
    start_of(line, limits::SUMMARY_BYTES_MAX)
}

fn cut(text: &str) -> String {
    start_of(text, limits::ACTIVITY_BYTES_MAX)
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
