//! The lines of `codex exec --json` and of its session file, as far as they mean something here. Fields come and go between versions, so
//! everything is optional and what is not known is passed over.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Line {
    #[serde(rename = "thread.started")]
    ThreadStarted { thread_id: String },
    #[serde(rename = "turn.started")]
    TurnStarted,
    #[serde(rename = "item.started")]
    ItemStarted { item: Item },
    #[serde(rename = "item.completed")]
    ItemCompleted { item: Item },
    /// Also a notice that it tries again; only a failed turn is final.
    #[serde(rename = "error")]
    Error { message: String },
    #[serde(rename = "turn.completed")]
    TurnCompleted { usage: Option<Usage> },
    #[serde(rename = "turn.failed")]
    TurnFailed { error: Message },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item {
    AgentMessage {
        text: String,
    },
    CommandExecution {
        command: String,
    },
    FileChange {
        #[serde(default)]
        changes: Vec<Change>,
    },
    McpToolCall {
        server: String,
        tool: String,
    },
    Error {
        message: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct Change {
    pub(super) path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub(super) message: String,
}

/// Of the whole thread so far. What came from the cache is part of the input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: u64,
    pub(super) cached_input_tokens: u64,
    pub(super) cache_write_input_tokens: u64,
    pub(super) output_tokens: u64,
}

/// A line of the session file. Of interest are those that name the model, once a turn, and those that count tokens, after each answer.
#[derive(Debug, Deserialize)]
pub(super) struct SessionLine {
    #[serde(rename = "type")]
    kind: Option<String>,
    payload: Option<Payload>,
}

#[derive(Debug, Deserialize)]
struct Payload {
    #[serde(rename = "type")]
    kind: Option<String>,
    info: Option<Info>,
    model: Option<String>,
}

/// What a line of the session file tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    Model(String),
    Usage(Usage),
}

#[derive(Debug, Deserialize)]
struct Info {
    total_token_usage: Option<Usage>,
}

impl SessionLine {
    pub(super) fn told(self) -> Option<Told> {
        let payload = self.payload?;
        if self.kind.as_deref() == Some("turn_context") {
            return payload.model.map(Told::Model);
        }
        let is_count = payload.kind.as_deref() == Some("token_count");
        payload.info.filter(|_| is_count)?.total_token_usage.map(Told::Usage)
    }
}
