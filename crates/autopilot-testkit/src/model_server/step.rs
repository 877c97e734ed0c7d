//! One answer of the scripted model, built by whoever writes the script: what it says and does, what it costs, what goes wrong
//! on the way, and which requests it is for.

use std::time::Duration;

use serde_json::Value;

use super::request::Request;
use super::usage::Usage;

/// What a message costs when a script does not say it.
const USUAL: Usage = Usage { input: 100, output: 20, cache_read: 0, cache_write: 0 };

#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub(super) reply: Reply,
    pub(super) headers: Vec<(String, String)>,
    pub(super) delay: Duration,
    pub(super) trouble: Option<Trouble>,
    pub(super) times: u32,
    conditions: Vec<Condition>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    Message(Message),
    Refusal(Refusal),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Message {
    pub(super) thinking: Option<String>,
    pub(super) text: Option<String>,
    pub(super) acts: Vec<Act>,
    pub(super) usage: Usage,
    pub(super) stop: Option<String>,
}

/// What the model wants done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Act {
    Call(ToolCall),
    /// With whichever tool on offer can write a file.
    Write {
        path: String,
        text: String,
    },
    /// With whichever tool on offer runs commands.
    Run {
        command: String,
    },
    /// An answer to a schema, in the way this request takes one.
    Structured(Value),
}

/// A call of a tool by its name in that agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    pub name: String,
    /// An object, or for a free-form tool a string.
    pub input: Value,
    /// OpenAI Responses: the tool takes text and not an object.
    pub is_free_form: bool,
    /// OpenAI Responses: where the tool of an MCP server lives.
    pub namespace: Option<String>,
}

/// An HTTP status instead of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) kind: Option<String>,
    pub(super) message: Option<String>,
    /// Laid over the error object, for fields that only one server has.
    pub(super) more: Value,
}

/// What keeps an answer from arriving whole. Where it says "in the stream", the beginning has been sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    DroppedBefore,
    DroppedInStream,
    /// Nothing comes, and the connection stays open until the client or the server ends.
    SilentBefore,
    SilentInStream,
    /// Only signs of life come. Gemini's format has none, there it is silent.
    PingsInStream,
    /// An event whose JSON breaks off.
    InvalidJson,
    /// The format's own event for an error.
    ErrorEvent {
        kind: String,
        message: String,
    },
    /// The stream ends in good order before the answer does.
    EndsEarly,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Condition {
    Says(String),
    Lacks(String),
}

impl Step {
    pub fn text(text: impl Into<String>) -> Step {
        Step::of(Message { text: Some(text.into()), usage: USUAL, ..Message::default() })
    }

    /// Nothing said; for a step that only calls tools.
    pub fn silent() -> Step {
        Step::of(Message { usage: USUAL, ..Message::default() })
    }

    /// An answer to a schema: by the tool for it where the request offers one, otherwise as JSON text.
    pub fn structured(answer: Value) -> Step {
        Step::silent().answers_schema(answer)
    }

    /// An HTTP error, in the form the client's wire format has for it.
    pub fn status(status: u16) -> Step {
        let refusal = Refusal { status, kind: None, message: None, more: Value::Null };
        Step { reply: Reply::Refusal(refusal), ..Step::silent() }
    }

    fn of(message: Message) -> Step {
        Step {
            reply: Reply::Message(message),
            headers: Vec::new(),
            delay: Duration::ZERO,
            trouble: None,
            times: 1,
            conditions: Vec::new(),
        }
    }

    pub fn tool(self, name: &str, input: Value) -> Step {
        self.call(ToolCall { name: name.into(), input, is_free_form: false, namespace: None })
    }

    pub fn call(self, call: ToolCall) -> Step {
        self.act(Act::Call(call))
    }

    /// Writes a new file with whichever tool the agent offers. A relative path begins in the folder the agent works in.
    pub fn writes(self, path: impl Into<String>, text: impl Into<String>) -> Step {
        self.act(Act::Write { path: path.into(), text: text.into() })
    }

    /// Runs a shell command with whichever tool the agent offers.
    pub fn runs(self, command: impl Into<String>) -> Step {
        self.act(Act::Run { command: command.into() })
    }

    /// The same as `structured`, beside what it says and does.
    pub fn answers_schema(self, answer: Value) -> Step {
        self.act(Act::Structured(answer))
    }

    pub fn thinking(self, text: impl Into<String>) -> Step {
        self.message(|message| message.thinking = Some(text.into()))
    }

    pub fn usage(self, usage: Usage) -> Step {
        self.message(|message| message.usage = usage)
    }

    /// The reason for its end, in the words of the wire format; otherwise it follows from what the message has.
    pub fn stop_reason(self, reason: &str) -> Step {
        self.message(|message| message.stop = Some(reason.into()))
    }

    /// The type and the words of a refusal.
    pub fn error(self, kind: &str, message: &str) -> Step {
        self.error_type(kind).error_message(message)
    }

    /// Otherwise it is the one the wire format has for this status.
    pub fn error_type(self, kind: &str) -> Step {
        self.refusal(|refusal| refusal.kind = Some(kind.into()))
    }

    pub fn error_message(self, message: &str) -> Step {
        self.refusal(|refusal| refusal.message = Some(message.into()))
    }

    /// Further fields of a refusal's error object.
    pub fn error_fields(self, fields: Value) -> Step {
        self.refusal(|refusal| refusal.more = fields)
    }

    pub fn header(mut self, name: &str, value: &str) -> Step {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Waits before anything is sent.
    pub fn delay(mut self, time: Duration) -> Step {
        self.delay = time;
        self
    }

    pub fn trouble(mut self, trouble: Trouble) -> Step {
        self.trouble = Some(trouble);
        self
    }

    /// Only for requests in which some text contains this.
    pub fn when(mut self, text: &str) -> Step {
        self.conditions.push(Condition::Says(text.into()));
        self
    }

    /// Only for requests in which no text contains this.
    pub fn unless(mut self, text: &str) -> Step {
        self.conditions.push(Condition::Lacks(text.into()));
        self
    }

    /// How many requests it answers; one when nothing is said.
    pub fn times(mut self, times: u32) -> Step {
        self.times = times;
        self
    }

    /// As many requests as there are.
    pub fn always(self) -> Step {
        self.times(u32::MAX)
    }

    pub(super) fn is_for(&self, request: &Request) -> bool {
        self.conditions.iter().all(|condition| match condition {
            Condition::Says(text) => request.says(text),
            Condition::Lacks(text) => !request.says(text),
        })
    }

    fn act(self, act: Act) -> Step {
        self.message(|message| message.acts.push(act))
    }

    /// A refusal has no message; what is said about one is for nothing then.
    fn message(mut self, change: impl FnOnce(&mut Message)) -> Step {
        if let Reply::Message(message) = &mut self.reply {
            change(message);
        }
        self
    }

    fn refusal(mut self, change: impl FnOnce(&mut Refusal)) -> Step {
        if let Reply::Refusal(refusal) = &mut self.reply {
            change(refusal);
        }
        self
    }
}
