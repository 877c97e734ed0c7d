//! What a run of Codex came to. Its errors are sentences, so the sentences that were seen are what is known of them; one that is not
//! known is a crash with its words.

use std::path::PathBuf;

use super::stream::{Item, Line, SessionLine, Told, Usage};
use crate::activity::{Activity, Spend};
use crate::agent::{SideFile, StreamReader};
use crate::bounded_text::start_of;
use crate::ending::{Ending, How, Resets, Stopped};
use crate::waits_for::WaitsFor;
use crate::{limit_words, limits};

pub(super) struct CodexReader {
    sessions: PathBuf,
    thread: Option<String>,
    answer: Option<String>,
    /// Whether the turn went to its end, and how.
    turn: Option<Result<(), String>>,
    /// What was told so far, of the thread's totals.
    told: Usage,
    has_begun: bool,
    /// Tools that were started and have not ended.
    tools_open: u32,
}

impl CodexReader {
    pub(super) fn new(sessions: PathBuf) -> CodexReader {
        CodexReader {
            sessions,
            thread: None,
            answer: None,
            turn: None,
            told: Usage::default(),
            has_begun: false,
            tools_open: 0,
        }
    }

    /// What is new in the totals. They come by two ways, and the later way may be behind.
    fn spent(&mut self, total: Usage) -> Vec<Activity> {
        let told = self.told;
        let total = Usage {
            input_tokens: total.input_tokens.max(told.input_tokens),
            cached_input_tokens: total.cached_input_tokens.max(told.cached_input_tokens),
            cache_write_input_tokens: total
                .cache_write_input_tokens
                .max(told.cache_write_input_tokens),
            output_tokens: total.output_tokens.max(told.output_tokens),
        };
        if total == told {
            return Vec::new();
        }
        self.told = total;
        let cache_read_tokens = total.cached_input_tokens - told.cached_input_tokens;
        let cache_write_tokens = total.cache_write_input_tokens - told.cache_write_input_tokens;
        let input = total.input_tokens - told.input_tokens;
        vec![Activity::Spent(Spend {
            input_tokens: input.saturating_sub(cache_read_tokens + cache_write_tokens),
            output_tokens: total.output_tokens - told.output_tokens,
            cache_read_tokens,
            cache_write_tokens,
            usd_micros: None,
            is_estimate: false,
        })]
    }

    fn item_started(&mut self, item: &Item) -> Vec<Activity> {
        let mut used = |name: &str, summary: &str| {
            self.tools_open = self.tools_open.saturating_add(1);
            Activity::UsedTool {
                name: name.to_string(),
                summary: start_of(summary, limits::ACTIVITY_BYTES_MAX),
            }
        };
        match item {
            Item::CommandExecution { command } => vec![used("shell", command)],
            Item::McpToolCall { server, tool } => vec![used(server, tool)],
            Item::AgentMessage { .. }
            | Item::FileChange { .. }
            | Item::Error { .. }
            | Item::Other => Vec::new(),
        }
    }

    fn item_completed(&mut self, item: Item) -> Vec<Activity> {
        match item {
            Item::AgentMessage { text } => {
                let said = Activity::Said(start_of(&text, limits::ACTIVITY_BYTES_MAX));
                self.answer = Some(start_of(&text, limits::ANSWER_BYTES_MAX));
                vec![said]
            }
            Item::FileChange { changes } => {
                let path = |path: String| start_of(&path, limits::ACTIVITY_BYTES_MAX);
                changes.into_iter().map(|one| Activity::ChangedFile(path(one.path))).collect()
            }
            Item::Error { message } => {
                vec![Activity::Said(start_of(&message, limits::ACTIVITY_BYTES_MAX))]
            }
            Item::CommandExecution { .. } | Item::McpToolCall { .. } => {
                self.tools_open = self.tools_open.saturating_sub(1);
                Vec::new()
            }
            Item::Other => Vec::new(),
        }
    }
}

impl StreamReader for CodexReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<Activity> {
        if line.trim_ascii().is_empty() {
            return Vec::new();
        }
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            let text = String::from_utf8_lossy(line);
            return vec![Activity::Unknown(start_of(&text, limits::ACTIVITY_BYTES_MAX))];
        };
        match line {
            Line::ThreadStarted { thread_id } => {
                // It becomes part of a file name that is looked for.
                let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
                self.thread =
                    Some(thread_id).filter(|id| !id.is_empty() && id.chars().all(is_plain));
                Vec::new()
            }
            Line::ItemStarted { item } => self.item_started(&item),
            Line::ItemCompleted { item } => self.item_completed(item),
            Line::Error { message } => match Trouble::of(&message) {
                Some(Trouble::Limit | Trouble::Overload) => {
                    vec![Activity::WaitingForLimit { until_unix_s: None }]
                }
                _ => vec![Activity::Said(start_of(&message, limits::ACTIVITY_BYTES_MAX))],
            },
            Line::TurnCompleted { usage } => {
                self.turn = Some(Ok(()));
                usage.map(|usage| self.spent(usage)).unwrap_or_default()
            }
            Line::TurnFailed { error } => {
                self.turn = Some(Err(error.message));
                Vec::new()
            }
            Line::TurnStarted => {
                self.has_begun = true;
                Vec::new()
            }
            Line::Other => Vec::new(),
        }
    }

    fn side_file(&self) -> Option<SideFile> {
        let thread = self.thread.as_ref()?;
        let folder = self.sessions.clone();
        Some(SideFile { folder, name_ends: vec![format!("{thread}.jsonl")] })
    }

    fn read_side_line(&mut self, line: &[u8]) -> Vec<Activity> {
        let line = serde_json::from_slice::<SessionLine>(line).ok();
        match line.and_then(SessionLine::told) {
            Some(Told::Model(model)) => {
                vec![Activity::Started { model: start_of(&model, limits::SUMMARY_BYTES_MAX) }]
            }
            Some(Told::Usage(usage)) => self.spent(usage),
            None => Vec::new(),
        }
    }

    /// In a turn somebody is at work all the time: a tool of its, or else its model.
    fn waits_for(&self) -> Option<WaitsFor> {
        match (self.tools_open, self.has_begun && self.turn.is_none()) {
            (1.., _) => Some(WaitsFor::Tool),
            (0, true) => Some(WaitsFor::Model),
            (0, false) => None,
        }
    }

    fn conclude(self: Box<Self>, stopped: &Stopped) -> Ending {
        match (stopped.how, self.turn, self.answer) {
            (How::Exited(0), Some(Ok(())), Some(text)) => Ending::Answered { text },
            (How::Exited(0), Some(Ok(())), None) => Ending::Answered { text: String::new() },
            (How::Exited(_), Some(Err(message)), _) => {
                let seen = Trouble::of(&message).map(|trouble| trouble.ending(&message));
                let meant = || Some(limit_words::meaning(&message)?.ending(&message));
                seen.or_else(meant).unwrap_or_else(|| Ending::Crashed {
                    exit: stopped.how,
                    said: start_of(&message, limits::SAID_BYTES_MAX),
                })
            }
            _ => Ending::of_stop(stopped),
        }
    }
}

/// What its sentences mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    Limit,
    Overload,
    Unreachable,
    NotLoggedIn,
    LoginRefused,
    Refused,
}

impl Trouble {
    fn of(message: &str) -> Option<Trouble> {
        // A notice of another try has the sentence in parentheses.
        let inner = message.strip_prefix("Reconnecting... ").and_then(|it| it.split_once(" ("));
        let sentence = inner.map_or(message, |(_, sentence)| sentence);
        let begins = |words: &[&str]| words.iter().any(|words| sentence.starts_with(words));
        if begins(&[
            "You\u{2019}ve hit your usage limit",
            "You've hit your usage limit",
            "exceeded retry limit, last status: 429",
            "rate limit exceeded",
        ]) {
            Some(Trouble::Limit)
        } else if begins(&[
            "exceeded retry limit, last status: 5",
            "We\u{2019}re currently experiencing high demand",
            "We're currently experiencing high demand",
            "unexpected status 5",
        ]) {
            Some(Trouble::Overload)
        } else if begins(&["stream disconnected before completion"]) {
            Some(Trouble::Unreachable)
        } else if begins(&["unexpected status 401", "unexpected status 403"]) {
            Some(Trouble::LoginRefused)
        } else if begins(&["Not logged in"]) {
            Some(Trouble::NotLoggedIn)
        } else if begins(&["Quota exceeded", "Codex ran out of room"]) {
            Some(Trouble::Refused)
        } else {
            None
        }
    }

    fn ending(self, message: &str) -> Ending {
        match self {
            Trouble::Limit => {
                let words = start_of(message, limits::SAID_BYTES_MAX);
                Ending::LimitReached { resets: Resets::Words(words) }
            }
            Trouble::Overload => Ending::Overloaded,
            Trouble::Unreachable => {
                Ending::Unreachable { said: start_of(message, limits::SAID_BYTES_MAX) }
            }
            Trouble::NotLoggedIn => Ending::NotLoggedIn,
            Trouble::LoginRefused => {
                Ending::LoginRefused { said: start_of(message, limits::SAID_BYTES_MAX) }
            }
            Trouble::Refused => Ending::Refused { why: start_of(message, limits::SAID_BYTES_MAX) },
        }
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
