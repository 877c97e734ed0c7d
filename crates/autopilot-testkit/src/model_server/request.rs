//! What a client asked: which wire format it speaks, whether it wants a stream, which tools it offers. Reads only; who
//! answers is `script`'s.

use serde_json::Value;

use super::conversation::{self, Said, Who};

/// How an answer must look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    AnthropicMessages,
    OpenAiResponses,
    OpenAiChat,
    Gemini,
}

/// What a path and a method ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Answer {
        wire: Wire,
        streamed: bool,
    },
    /// How many tokens a request would have.
    Count(Wire),
    Models,
    Unknown,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub method: String,
    /// With what follows a question mark.
    pub path: String,
    /// Names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    /// `Null` where there was none, a string where it was no JSON.
    pub body: Value,
}

impl Request {
    pub fn asked(&self) -> Asked {
        let path = self.path.split('?').next().unwrap_or_default();
        let is_streamed = self.body["stream"] == true;
        let answer = |wire, streamed| Asked::Answer { wire, streamed };
        match self.method.as_str() {
            "GET" if path.contains("/models") => Asked::Models,
            "POST" if path.ends_with("/messages/count_tokens") => {
                Asked::Count(Wire::AnthropicMessages)
            }
            "POST" if path.ends_with(":countTokens") => Asked::Count(Wire::Gemini),
            "POST" if path.ends_with("/messages") => answer(Wire::AnthropicMessages, is_streamed),
            "POST" if path.ends_with("/responses") => answer(Wire::OpenAiResponses, is_streamed),
            "POST" if path.ends_with("/chat/completions") => answer(Wire::OpenAiChat, is_streamed),
            "POST" if path.ends_with(":streamGenerateContent") => answer(Wire::Gemini, true),
            "POST" if path.ends_with(":generateContent") => answer(Wire::Gemini, false),
            _ => Asked::Unknown,
        }
    }

    pub fn wire(&self) -> Option<Wire> {
        match self.asked() {
            Asked::Answer { wire, .. } | Asked::Count(wire) => Some(wire),
            Asked::Models | Asked::Unknown => None,
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The model it is meant for; Gemini has its name in the path.
    pub fn model(&self) -> &str {
        let in_path =
            || self.path.split_once("/models/").and_then(|(_, rest)| rest.split(':').next());
        self.body["model"].as_str().or_else(in_path).unwrap_or_default()
    }

    /// The names of the tools on offer, those inside a namespace without its name.
    pub fn tools(&self) -> Vec<String> {
        let mut names = Vec::new();
        for tool in self.body["tools"].as_array().into_iter().flatten() {
            let inside =
                [&tool["functionDeclarations"], &tool["function_declarations"], &tool["tools"]];
            let inside = inside.into_iter().filter_map(Value::as_array).flatten();
            let named = std::iter::once(tool).chain(inside);
            let name = |tool: &Value| {
                let name = tool["name"].as_str().or_else(|| tool["function"]["name"].as_str());
                name.map(str::to_string)
            };
            names.extend(named.filter_map(name));
        }
        names
    }

    /// Requests without tools are an agent's own business: titles, probes, summaries.
    pub fn has_tools(&self) -> bool {
        self.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
    }

    /// Whether any text in it, wherever it stands, contains this.
    pub fn says(&self, text: &str) -> bool {
        contains(&self.body, text)
    }

    /// What was said so far, in the order of the conversation; rules for the model first.
    pub fn conversation(&self) -> Vec<Said> {
        self.wire().map(|wire| conversation::read(wire, &self.body)).unwrap_or_default()
    }

    /// How often the model has had its say already: 0 in the first request of a conversation.
    pub fn turns(&self) -> usize {
        let said = self.conversation();
        let is_model = |said: &Said| said.who == Who::Model;
        let first = said.first().is_some_and(is_model);
        let begins = said.windows(2).filter(|pair| !is_model(&pair[0]) && is_model(&pair[1]));
        begins.count() + usize::from(first)
    }

    /// Everything people said in it, each part on lines of its own.
    pub fn prompt(&self) -> String {
        let said = self.conversation().into_iter().filter(|said| said.who == Who::User);
        said.map(|said| said.text).collect::<Vec<_>>().join("\n")
    }

    /// What tools answered last.
    pub fn last_tool_result(&self) -> Option<String> {
        let said = self.conversation().into_iter().rfind(|said| said.who == Who::Tool);
        said.map(|said| said.text)
    }
}

fn contains(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(values) => values.iter().any(|value| contains(value, text)),
        Value::Object(fields) => fields.values().any(|value| contains(value, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
