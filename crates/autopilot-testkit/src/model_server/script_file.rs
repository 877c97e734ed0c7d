//! A script as JSON, for people who start the server by hand. Has types of its own; a key nobody knows is refused, because a
//! misspelt step would otherwise answer something else than was meant.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::script::Script;
use super::step::{Step, ToolCall, Trouble};
use super::usage::Usage;

/// `times` of a step that never ends.
const ALWAYS: u32 = 0;

#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("this is no script: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("step {place} has a status and something to say: it can have only one of them")]
    Contradiction { place: usize },
    #[error("step {place} waits {seconds} seconds, which is no time")]
    NoTime { place: usize, seconds: f64 },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    steps: Vec<StepFile>,
    #[serde(default)]
    otherwise: Option<StepFile>,
    #[serde(default)]
    beside: Option<StepFile>,
    #[serde(default)]
    toolless_too: bool,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct StepFile {
    text: Option<String>,
    thinking: Option<String>,
    tools: Vec<ToolFile>,
    writes: Vec<WriteFile>,
    runs: Vec<String>,
    structured: Option<Value>,
    usage: Option<UsageFile>,
    stop_reason: Option<String>,
    status: Option<u16>,
    error_type: Option<String>,
    message: Option<String>,
    error_fields: Option<Value>,
    headers: BTreeMap<String, String>,
    delay_seconds: f64,
    trouble: Option<TroubleFile>,
    when: Vec<String>,
    unless: Vec<String>,
    times: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolFile {
    name: String,
    input: Value,
    #[serde(default)]
    free_form: bool,
    #[serde(default)]
    namespace: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteFile {
    path: String,
    text: String,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct UsageFile {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum TroubleFile {
    DroppedBefore,
    DroppedInStream,
    SilentBefore,
    SilentInStream,
    PingsInStream,
    InvalidJson,
    EndsEarly,
    ErrorEvent {
        #[serde(rename = "type")]
        kind: String,
        message: String,
    },
}

impl Script {
    pub fn from_json(text: &str) -> Result<Script, ScriptError> {
        let file: ScriptFile = serde_json::from_str(text)?;
        let mut script = Script::new();
        for (index, step) in file.steps.into_iter().enumerate() {
            script = script.step(step.read(index + 1)?);
        }
        if let Some(step) = file.otherwise {
            script = script.otherwise(step.read(0)?);
        }
        if let Some(step) = file.beside {
            script = script.beside(step.read(0)?);
        }
        Ok(if file.toolless_too { script.toolless_too() } else { script })
    }
}

impl StepFile {
    /// `place` is for the error: its number in the list, 0 for one outside of it.
    fn read(self, place: usize) -> Result<Step, ScriptError> {
        let says = self.text.is_some() || self.structured.is_some() || !self.tools.is_empty();
        let acts = !self.writes.is_empty() || !self.runs.is_empty();
        if self.status.is_some() && (says || acts) {
            return Err(ScriptError::Contradiction { place });
        }
        let seconds = self.delay_seconds;
        let delay = Duration::try_from_secs_f64(seconds);
        let delay = delay.map_err(|_| ScriptError::NoTime { place, seconds })?;
        let trouble = self.trouble.as_ref().map(TroubleFile::read);
        let (times, headers) = (self.times, self.headers.clone());
        let (when, unless) = (self.when.clone(), self.unless.clone());
        let mut step = match self.status {
            Some(status) => self.refusal(status),
            None => self.message(),
        };
        step = step.delay(delay);
        for (name, value) in headers {
            step = step.header(&name, &value);
        }
        step = when.iter().fold(step, |step, text| step.when(text));
        step = unless.iter().fold(step, |step, text| step.unless(text));
        if let Some(trouble) = trouble {
            step = step.trouble(trouble);
        }
        Ok(match times {
            None => step,
            Some(ALWAYS) => step.always(),
            Some(times) => step.times(times),
        })
    }

    fn refusal(self, status: u16) -> Step {
        let mut step = Step::status(status);
        step = self.error_type.iter().fold(step, |step, kind| step.error_type(kind));
        step = self.message.iter().fold(step, |step, message| step.error_message(message));
        self.error_fields.into_iter().fold(step, Step::error_fields)
    }

    fn message(self) -> Step {
        let mut step = self.text.map_or_else(Step::silent, Step::text);
        step = self.thinking.into_iter().fold(step, Step::thinking);
        for tool in self.tools {
            let ToolFile { name, input, free_form, namespace } = tool;
            step = step.call(ToolCall { name, input, is_free_form: free_form, namespace });
        }
        step =
            self.writes.into_iter().fold(step, |step, write| step.writes(write.path, write.text));
        step = self.runs.into_iter().fold(step, Step::runs);
        step = self.structured.into_iter().fold(step, Step::answers_schema);
        if let Some(usage) = self.usage {
            let UsageFile { input, output, cache_read, cache_write } = usage;
            step = step.usage(Usage { input, output, cache_read, cache_write });
        }
        self.stop_reason.iter().fold(step, |step, reason| step.stop_reason(reason))
    }
}

impl TroubleFile {
    fn read(&self) -> Trouble {
        match self {
            TroubleFile::DroppedBefore => Trouble::DroppedBefore,
            TroubleFile::DroppedInStream => Trouble::DroppedInStream,
            TroubleFile::SilentBefore => Trouble::SilentBefore,
            TroubleFile::SilentInStream => Trouble::SilentInStream,
            TroubleFile::PingsInStream => Trouble::PingsInStream,
            TroubleFile::InvalidJson => Trouble::InvalidJson,
            TroubleFile::EndsEarly => Trouble::EndsEarly,
            TroubleFile::ErrorEvent { kind, message } => {
                Trouble::ErrorEvent { kind: kind.clone(), message: message.clone() }
            }
        }
    }
}

#[cfg(test)]
#[path = "script_file_tests.rs"]
mod tests;
