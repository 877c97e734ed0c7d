//! One answer of the model with everything settled, and the way to its wire format.

use serde_json::{Value, json};

use super::acts::Spoken;
use super::event::Event;
use super::request::{Request, Wire};
use super::step::Message;
use super::usage::Usage;
use super::{anthropic, chat, gemini, responses};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer<'a> {
    pub(super) wire: Wire,
    /// The number of its request; every id in the answer is made from it.
    pub(super) number: usize,
    pub(super) model: &'a str,
    pub(super) thinking: Option<&'a str>,
    pub(super) spoken: Spoken,
    pub(super) usage: Usage,
    pub(super) stop: Option<&'a str>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(
        wire: Wire,
        number: usize,
        request: &'a Request,
        message: &'a Message,
        spoken: Spoken,
    ) -> Answer<'a> {
        Answer {
            wire,
            number,
            model: request.model(),
            thinking: message.thinking.as_deref(),
            spoken,
            usage: message.usage.told_by(wire),
            stop: message.stop.as_deref(),
        }
    }

    /// In one piece.
    pub(super) fn whole(&self) -> Value {
        match self.wire {
            Wire::AnthropicMessages => anthropic::whole(self),
            Wire::OpenAiResponses => responses::whole(self),
            Wire::OpenAiChat => chat::whole(self),
            Wire::Gemini => gemini::whole(self),
        }
    }

    /// As a stream; the first event says that an answer begins and nothing of what it is.
    pub(super) fn events(&self) -> Vec<Event> {
        match self.wire {
            Wire::AnthropicMessages => anthropic::events(self),
            Wire::OpenAiResponses => responses::events(self),
            Wire::OpenAiChat => chat::events(self),
            Wire::Gemini => gemini::events(self),
        }
    }

    /// The event that says within a stream that something went wrong.
    pub(super) fn error_event(&self, kind: &str, message: &str) -> Event {
        match self.wire {
            Wire::AnthropicMessages => {
                let error = json!({"type": kind, "message": message});
                Event::named("error", &json!({"type": "error", "error": error}))
            }
            Wire::OpenAiResponses => responses::failed(self, kind, message),
            Wire::OpenAiChat => {
                Event::data(&json!({"error": {"type": kind, "message": message, "code": kind}}))
            }
            Wire::Gemini => {
                Event::data(&json!({"error": {"code": 500, "status": kind, "message": message}}))
            }
        }
    }

    pub(super) fn broken_event(&self) -> Event {
        match self.wire {
            Wire::AnthropicMessages => Event::broken(Some("content_block_delta")),
            Wire::OpenAiResponses => Event::broken(Some("response.output_text.delta")),
            Wire::OpenAiChat | Wire::Gemini => Event::broken(None),
        }
    }

    /// A sign of life, where the format has one.
    pub(super) fn ping(&self) -> Option<Event> {
        match self.wire {
            Wire::AnthropicMessages => Some(Event::named("ping", &json!({"type": "ping"}))),
            Wire::OpenAiResponses | Wire::OpenAiChat => Some(Event::comment("ping")),
            // Gemini's client takes a comment for a broken stream.
            Wire::Gemini => None,
        }
    }
}

/// A text in two pieces, so that readers have something to put together.
pub(super) fn halves(text: &str) -> Vec<&str> {
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (first, second) = text.split_at(middle);
    [first, second].into_iter().filter(|piece| !piece.is_empty()).collect()
}
