//! What a dialogue says and does, from the client's lines.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::line::{Line, Usage};
use super::verdict;
use crate::activity::{Activity, Spend};
use crate::agent::{SideFile, StreamReader};
use crate::answer_text::AnswerText;
use crate::bounded_text::start_of;
use crate::ending::{Ending, Stopped};
use crate::gemini::session::{self, Told, Totals};
use crate::limits;
use crate::waits_for::WaitsFor;

#[derive(Default)]
pub(super) struct AcpReader {
    /// Where Gemini CLI keeps its sessions, with what each answer cost.
    sessions: Option<PathBuf>,
    session: Option<String>,
    answer: AnswerText,
    /// Tools at work, with their kind.
    open: BTreeMap<String, String>,
    told: Told,
    usd_micros: Option<u64>,
    /// The end of the dialogue.
    last: Option<Line>,
}

/// Kinds of calls that change the files they are about.
const CHANGING: [&str; 3] = ["edit", "delete", "move"];

impl AcpReader {
    pub(super) fn with_sessions(sessions: PathBuf) -> AcpReader {
        AcpReader { sessions: Some(sessions), ..AcpReader::default() }
    }

    /// Told once for each call, however often it is spoken of.
    fn used(&mut self, id: &str, kind: Option<String>, title: Option<String>) -> Option<Activity> {
        self.answer.is_over();
        if self.open.contains_key(id) || self.open.len() == limits::CALLS_OPEN_MAX {
            return None;
        }
        let name = kind.unwrap_or_else(|| "other".to_string());
        self.open.insert(id.to_string(), name.clone());
        Some(Activity::UsedTool { name, summary: title.unwrap_or_default() })
    }

    fn tool(&mut self, line: Line) -> Vec<Activity> {
        let Line::Tool { id, kind, title, status, paths } = line else { return Vec::new() };
        let used = self.used(&id, kind.clone(), title);
        let mut seen: Vec<Activity> = used.into_iter().collect();
        if let Some("completed" | "failed") = status.as_deref() {
            let known = self.open.remove(&id);
            let is_changing = kind.or(known).is_some_and(|kind| CHANGING.contains(&kind.as_str()));
            if is_changing && status.as_deref() == Some("completed") {
                seen.extend(paths.into_iter().map(Activity::ChangedFile));
            }
        }
        seen
    }

    /// Where a file beside the stream has more of it, that comes first and this in the end.
    fn ended(&mut self, usage: Option<Usage>) -> Vec<Activity> {
        match (usage, &self.sessions) {
            (None, _) | (Some(_), Some(_)) => Vec::new(),
            (Some(usage), None) => vec![Activity::Spent(Spend {
                input_tokens: usage.input,
                output_tokens: usage.output,
                cache_read_tokens: usage.cache_read,
                cache_write_tokens: usage.cache_write,
                usd_micros: self.usd_micros,
                is_estimate: false,
            })],
        }
    }
}

impl StreamReader for AcpReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<Activity> {
        if line.trim_ascii().is_empty() {
            return Vec::new();
        }
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            let text = String::from_utf8_lossy(line);
            return vec![Activity::Unknown(start_of(&text, limits::ACTIVITY_BYTES_MAX))];
        };
        match line {
            Line::Started { session, agent } => {
                self.session = Some(session);
                agent.map(Activity::Said).into_iter().collect()
            }
            Line::Said { text } => {
                self.answer.add(&text);
                vec![Activity::Said(start_of(&text, limits::ACTIVITY_BYTES_MAX))]
            }
            Line::Thought { text } => vec![Activity::Said(text)],
            Line::Tool { .. } => self.tool(line),
            Line::Asked { id, kind, title, is_allowed: true } => {
                self.used(&id, kind, title).into_iter().collect()
            }
            Line::Asked { title, is_allowed: false, .. } => {
                vec![Activity::Asked(title.unwrap_or_default())]
            }
            Line::Cost { usd_micros } => {
                self.usd_micros = Some(usd_micros);
                Vec::new()
            }
            Line::Ended { usage, .. } => {
                self.last = Some(line);
                self.ended(usage)
            }
            Line::Failed { .. } | Line::Gone { .. } => {
                self.last = Some(line);
                Vec::new()
            }
        }
    }

    fn side_file(&self) -> Option<SideFile> {
        session::file_of(self.session.as_ref()?, self.sessions.clone()?)
    }

    fn read_side_line(&mut self, line: &[u8]) -> Vec<Activity> {
        self.told.line(line)
    }

    /// What the end told and the file did not.
    fn rest(&mut self) -> Vec<Activity> {
        match (&self.last, &self.sessions) {
            (Some(Line::Ended { usage: Some(usage), .. }), Some(_)) => {
                let cached = 0;
                self.told.sums(Totals { input: usage.input, cached, output: usage.output })
            }
            _ => Vec::new(),
        }
    }

    fn waits_for(&self) -> Option<WaitsFor> {
        match (&self.session, &self.last, self.open.is_empty()) {
            (Some(_), None, false) => Some(WaitsFor::Tool),
            (Some(_), None, true) => Some(WaitsFor::Model),
            (None, _, _) | (_, Some(_), _) => None,
        }
    }

    fn conclude(self: Box<Self>, stopped: &Stopped) -> Ending {
        verdict::of(self.last, self.answer.into_text(), stopped)
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
