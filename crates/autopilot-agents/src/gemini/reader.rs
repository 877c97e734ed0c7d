//! What a run of Gemini CLI says and does, line by line.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::session::{self, Told};
use super::stream::{ErrorLine, Line, ResultLine, Stats};
use super::verdict;
use crate::activity::Activity;
use crate::agent::{SideFile, StreamReader};
use crate::answer_text::AnswerText;
use crate::bounded_text::start_of;
use crate::ending::{Ending, Stopped};
use crate::limits;
use crate::waits_for::WaitsFor;

pub(super) struct GeminiReader {
    sessions: PathBuf,
    session: Option<String>,
    answer: AnswerText,
    /// Tools at work, and the file that each of them changes.
    open: BTreeMap<String, Option<String>>,
    told: Told,
    /// The last remark on the way: a result that is an error does not always say which.
    remark: String,
    result: Option<ResultLine>,
}

/// Tools that change the file their parameters name.
const EDITING: [&str; 2] = ["write_file", "replace"];
/// What a call is about, in the first of these parameters that is there.
const ABOUT: [&str; 6] = ["command", "file_path", "dir_path", "pattern", "query", "prompt"];

impl GeminiReader {
    pub(super) fn new(sessions: PathBuf) -> GeminiReader {
        GeminiReader {
            sessions,
            session: None,
            answer: AnswerText::default(),
            open: BTreeMap::new(),
            told: Told::default(),
            remark: String::new(),
            result: None,
        }
    }

    fn used(&mut self, name: String, id: String, parameters: &Value) -> Activity {
        self.answer.is_over();
        let text = |field: &str| parameters.get(field).and_then(Value::as_str);
        let bounded = |text: &str| start_of(text, limits::ACTIVITY_BYTES_MAX);
        let is_editing = EDITING.contains(&name.as_str());
        let changes = text("file_path").filter(|_| is_editing).map(bounded);
        if self.open.len() < limits::CALLS_OPEN_MAX {
            self.open.insert(id, changes);
        }
        let about = ABOUT.iter().find_map(|field| text(field)).unwrap_or_default();
        Activity::UsedTool { name, summary: bounded(about) }
    }

    fn spent(&mut self, stats: Stats) -> Vec<Activity> {
        let output = (stats.output_tokens, stats.total_tokens);
        self.told.sums(session::totals(stats.input_tokens, stats.cached, output))
    }
}

impl StreamReader for GeminiReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<Activity> {
        if line.trim_ascii().is_empty() {
            return Vec::new();
        }
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            let text = String::from_utf8_lossy(line);
            return vec![Activity::Unknown(start_of(&text, limits::ACTIVITY_BYTES_MAX))];
        };
        match line {
            Line::Init { session_id, model } => {
                self.session = Some(session_id);
                vec![Activity::Started { model: start_of(&model, limits::SUMMARY_BYTES_MAX) }]
            }
            Line::Message { role, content } if role == "assistant" => {
                self.answer.add(&content);
                vec![Activity::Said(start_of(&content, limits::ACTIVITY_BYTES_MAX))]
            }
            Line::ToolUse { tool_name, tool_id, parameters } => {
                let name = start_of(&tool_name, limits::SUMMARY_BYTES_MAX);
                vec![self.used(name, tool_id, &parameters)]
            }
            Line::ToolResult { tool_id, status } => {
                let changed = self.open.remove(&tool_id).flatten();
                let changed = changed.filter(|_| status == "success");
                changed.map(Activity::ChangedFile).into_iter().collect()
            }
            Line::Error { message } => {
                self.remark = start_of(&message, limits::ACTIVITY_BYTES_MAX);
                vec![Activity::Said(self.remark.clone())]
            }
            Line::Result(mut result) => {
                let stats = result.stats;
                let message = std::mem::take(&mut self.remark);
                if result.status == "error" && result.error.is_none() && !message.is_empty() {
                    result.error = Some(ErrorLine { kind: String::new(), message });
                }
                self.result = Some(result);
                stats.map(|stats| self.spent(stats)).unwrap_or_default()
            }
            Line::Message { .. } | Line::Other => Vec::new(),
        }
    }

    fn side_file(&self) -> Option<SideFile> {
        session::file_of(self.session.as_ref()?, self.sessions.clone())
    }

    fn read_side_line(&mut self, line: &[u8]) -> Vec<Activity> {
        self.told.line(line)
    }

    fn waits_for(&self) -> Option<WaitsFor> {
        match (&self.session, &self.result, self.open.is_empty()) {
            (Some(_), None, false) => Some(WaitsFor::Tool),
            (Some(_), None, true) => Some(WaitsFor::Model),
            (None, _, _) | (_, Some(_), _) => None,
        }
    }

    fn conclude(self: Box<Self>, stopped: &Stopped) -> Ending {
        verdict::of(self.result.as_ref(), self.answer.into_text(), stopped)
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
