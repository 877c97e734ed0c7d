//! The script of the scripted agent: which part it plays for which request. Owns the format and the choice of the entry;
//! playing is `scripted`'s. A recorded run fits the same format: the files it changed as `put` and `delete`, its answers as
//! `reply`, its usage as `spend`. docs/script.md describes the format for people.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version this program writes and reads.
pub const VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub version: u32,
    /// Where it comes from, when it was made of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    pub entries: Vec<Entry>,
}

/// The run a script was made of. Played on the same commit it does the same again; it is still a script, and says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    pub run: String,
    /// Who worked in that run.
    pub agent: String,
    /// The commit it started from.
    pub base: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub when: When,
    #[serde(rename = "do")]
    pub actions: Vec<Action>,
}

/// What a request must be for the entry to be played. What is left out fits every request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
}

/// The request as far as a script can tell requests apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occasion {
    pub phase: String,
    pub step: String,
    pub task: Option<String>,
    pub round: u32,
}

/// One thing to do. Paths are inside the workspace; `outside` plays an agent that leaves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Missing folders are made.
    Write {
        path: String,
        text: String,
        #[serde(default)]
        outside: bool,
    },
    Append {
        path: String,
        text: String,
        #[serde(default)]
        outside: bool,
    },
    /// The first place of `from`, which must be there.
    Replace {
        path: String,
        from: String,
        to: String,
        #[serde(default)]
        outside: bool,
    },
    /// A file, a link, or a folder with all that is in it.
    Delete {
        path: String,
        #[serde(default)]
        outside: bool,
    },
    /// A whole file with exactly these bytes, or a link; whatever lay there before makes room.
    Put {
        path: String,
        #[serde(default)]
        kind: FileKind,
        content: Content,
    },
    /// A unified difference as git writes it.
    Patch {
        difference: String,
    },
    /// By `sh` in the workspace, in the agent's process group. How it ends is told in the stream and stops nothing.
    Run {
        command: String,
    },
    /// Moves HEAD, which agents are told not to do.
    Commit {
        message: String,
    },
    Say {
        text: String,
    },
    Ask {
        question: String,
    },
    Spend(Spending),
    /// Says that it waits for a limit, without waiting.
    WaitForLimit {
        #[serde(default)]
        until_unix_s: Option<u64>,
    },
    /// The answer. Text is given as it stands, so that every broken contract can be played.
    Reply(Reply),
    /// Last words, which count when it crashes afterwards.
    Complain {
        text: String,
    },
    /// Ends with the trouble of a provider.
    Fail(Failure),
    Wait {
        ms: u64,
    },
    Hang,
    Crash(Crash),
    /// Bytes that are no text, the same ones every time.
    Garbage {
        bytes: u64,
    },
    /// Much text: lines of `line_bytes`, or a single line without an end.
    Flood {
        bytes: u64,
        #[serde(default)]
        line_bytes: Option<u64>,
    },
    /// Starts a process that outlives the agent and holds its streams open.
    LeaveBehind(LeftIn),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    #[default]
    Plain,
    Executable,
    /// The content is where it leads.
    Link,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Text(String),
    /// Of bytes that are no text.
    Base64(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Spending {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
    pub usd_micros: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Json(Value),
    Text(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Failure {
    LimitReached {
        #[serde(default)]
        resets_at_unix_s: Option<u64>,
    },
    Overloaded,
    Unreachable {
        said: String,
    },
    Refused {
        why: String,
    },
    NotLoggedIn,
    LoginRefused {
        said: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Crash {
    Exit(u8),
    Signal(i32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftIn {
    SameGroup,
    OwnSession,
}

#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("the script is not understood: {0}")]
    NotUnderstood(#[from] serde_json::Error),
    #[error("the script has version {found}, and only {VERSION} is understood")]
    OtherVersion { found: u32 },
    #[error("entries {first} and {second} of the script fit the same requests: {when}")]
    Twice { first: usize, second: usize, when: String },
    #[error("the script has no entry for {0}")]
    NoEntry(Occasion),
}

impl std::fmt::Display for Occasion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "phase {}, step {}", self.phase, self.step)?;
        if let Some(task) = &self.task {
            write!(f, ", task {task}")?;
        }
        write!(f, ", round {}", self.round)
    }
}

impl Script {
    pub fn read(text: &[u8]) -> Result<Script, ScriptError> {
        let script: Script = serde_json::from_slice(text)?;
        if script.version != VERSION {
            return Err(ScriptError::OtherVersion { found: script.version });
        }
        // Two entries that name the same things and fit one request are equal in all they name, so equality is enough.
        let mut seen = std::collections::BTreeMap::new();
        for (index, entry) in script.entries.iter().enumerate() {
            let when = serde_json::to_string(&entry.when)?;
            if let Some(first) = seen.insert(when.clone(), index + 1) {
                return Err(ScriptError::Twice { first, second: index + 1, when });
            }
        }
        Ok(script)
    }

    /// The entry that fits and names most: the phase counts more than the step, the step more than the task, the task more
    /// than the round.
    pub fn entry_for(&self, occasion: &Occasion) -> Result<&Entry, ScriptError> {
        let fitting = self.entries.iter().filter(|entry| entry.when.fits(occasion));
        fitting
            .max_by_key(|entry| entry.when.precision())
            .ok_or_else(|| ScriptError::NoEntry(occasion.clone()))
    }
}

impl When {
    fn fits(&self, occasion: &Occasion) -> bool {
        self.phase.as_ref().is_none_or(|phase| *phase == occasion.phase)
            && self.step.as_ref().is_none_or(|step| *step == occasion.step)
            && self.task.as_ref().is_none_or(|task| occasion.task.as_ref() == Some(task))
            && self.round.is_none_or(|round| round == occasion.round)
    }

    fn precision(&self) -> (bool, bool, bool, bool) {
        let When { phase, step, task, round } = self;
        (phase.is_some(), step.is_some(), task.is_some(), round.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occasion(phase: &str, step: &str, task: Option<&str>, round: u32) -> Occasion {
        Occasion { phase: phase.into(), step: step.into(), task: task.map(Into::into), round }
    }

    #[test]
    fn the_most_precise_entry_is_played() {
        let say = |when: &str, text: &str| {
            format!(r#"{{"when": {when}, "do": [{{"say": {{"text": "{text}"}}}}]}}"#)
        };
        let entries = [
            say(r#"{"phase": "1", "step": "execute"}"#, "step"),
            say(r#"{"phase": "1", "step": "execute", "round": 2}"#, "round"),
            say(r#"{"phase": "1", "step": "execute", "task": "a"}"#, "task"),
            say(r#"{"phase": "1", "step": "execute", "task": "a", "round": 2}"#, "both"),
            say(r#"{"step": "execute", "task": "a", "round": 3}"#, "no phase"),
            say(r#"{"step": "judge"}"#, "any judge"),
        ];
        let text = format!(r#"{{"version": 1, "entries": [{}]}}"#, entries.join(","));
        let script = Script::read(text.as_bytes()).unwrap();
        let check = |occasion: Occasion, expected: &str| {
            let found = script.entry_for(&occasion).map(|entry| entry.actions.clone());
            let found = found.map_err(|error| error.to_string());
            let expected = match expected.strip_prefix("none: ") {
                Some(error) => Err(error.to_string()),
                None => Ok(vec![Action::Say { text: expected.into() }]),
            };
            assert_eq!(found, expected, "{occasion}");
        };
        check(occasion("1", "execute", None, 1), "step");
        check(occasion("1", "execute", None, 2), "round");
        check(occasion("1", "execute", Some("a"), 1), "task");
        check(occasion("1", "execute", Some("b"), 2), "round");
        check(occasion("1", "execute", Some("a"), 2), "both");
        check(occasion("1", "execute", Some("a"), 3), "task");
        check(occasion("2", "execute", Some("a"), 3), "no phase");
        check(occasion("2", "judge", None, 7), "any judge");
        let unknown = "none: the script has no entry for phase 2, step plan, task b, round 1";
        check(occasion("2", "plan", Some("b"), 1), unknown);
        check(
            occasion("2", "execute", None, 3),
            "none: the script has no entry for phase 2, step execute, round 3",
        );
    }

    #[test]
    fn a_script_with_a_fault_is_refused() {
        let check = |text: &str, expected: &str| {
            let error = Script::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        };
        check("{", "the script is not understood");
        check(r#"{"version": 2, "entries": []}"#, "the script has version 2, and only 1");
        check(
            r#"{"version": 1, "entries": [], "more": 1}"#,
            "the script is not understood: unknown",
        );
        let entry = r#"{"when": {"step": "plan"}, "do": []}"#;
        check(
            &format!(r#"{{"version": 1, "entries": [{entry}, {entry}]}}"#),
            r#"entries 1 and 2 of the script fit the same requests: {"step":"plan"}"#,
        );
        for action in [
            r#"{"fly": {}}"#,
            r#"{"say": {"text": "a", "loud": true}}"#,
            r#"{"write": {"path": "a"}}"#,
        ] {
            let text =
                format!(r#"{{"version": 1, "entries": [{{"when": {{}}, "do": [{action}]}}]}}"#);
            check(&text, "the script is not understood");
        }
    }

    #[test]
    fn every_action_is_written_as_it_is_read() {
        let text = include_str!("../fixtures/every_action.json");
        let script = Script::read(text.as_bytes()).unwrap();
        let written: Value = serde_json::to_value(&script).unwrap();
        assert_eq!(Script::read(written.to_string().as_bytes()).unwrap(), script);
        // The fixture is the format's golden file: a new action or field is added there.
        assert_eq!(script.entries[0].actions.len(), 28);
    }
}
