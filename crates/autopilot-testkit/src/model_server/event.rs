//! One event of a stream, as text for the wire: server-sent events.

use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event(String);

impl Event {
    /// With a line that names its kind, as Anthropic and OpenAI Responses send it.
    pub(super) fn named(name: &str, data: &Value) -> Event {
        Event(format!("event: {name}\ndata: {data}\n\n"))
    }

    pub(super) fn data(data: &Value) -> Event {
        Event(format!("data: {data}\n\n"))
    }

    /// Words that need not be JSON.
    pub(super) fn raw(data: &str) -> Event {
        Event(format!("data: {data}\n\n"))
    }

    /// A line that readers skip.
    pub(super) fn comment(words: &str) -> Event {
        Event(format!(": {words}\n\n"))
    }

    /// Well-formed as an event, but its data breaks off in the middle.
    pub(super) fn broken(name: Option<&str>) -> Event {
        let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
        Event(format!("{name}data: {{\"type\":\"unfinished\",\"index\":0,\"delta\":{{\"te\n\n"))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}
