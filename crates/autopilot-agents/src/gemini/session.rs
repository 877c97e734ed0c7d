//! The file in which Gemini CLI keeps its session: a line for every answer of the model, with what it cost, while the stream tells that
//! only in the end. Also what has been told of the spend so far, whichever way it came.

use std::collections::VecDeque;
use std::path::PathBuf;

use serde::Deserialize;

use crate::activity::{Activity, Spend};
use crate::agent::SideFile;
use crate::limits;

/// How the name of a session's file ends. The id comes from the agent and becomes part of a name that is looked for.
pub(crate) fn file_of(session: &str, folder: PathBuf) -> Option<SideFile> {
    let first = session.split('-').next().unwrap_or_default();
    let is_plain = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_plain.then(|| SideFile { folder, name_ends: vec![format!("-{first}.jsonl")] })
}

/// Sums since the beginning. What came from the cache is part of the input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) input: u64,
    pub(crate) cached: u64,
    pub(crate) output: u64,
}

impl Totals {
    fn larger(self, other: Totals) -> Totals {
        Totals {
            input: self.input.max(other.input),
            cached: self.cached.max(other.cached),
            output: self.output.max(other.output),
        }
    }

    fn plus(self, other: Totals) -> Totals {
        Totals {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            output: self.output.saturating_add(other.output),
        }
    }

    fn minus(self, other: Totals) -> Totals {
        Totals {
            input: self.input.saturating_sub(other.input),
            cached: self.cached.saturating_sub(other.cached),
            output: self.output.saturating_sub(other.output),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Told {
    totals: Totals,
    /// What the file has told.
    in_file: Totals,
    /// The last answers in the file: each comes again when its tools have ended.
    answers: VecDeque<(String, Totals)>,
}

impl Told {
    /// What is new in the sums. They come by two ways, and the later way may be behind.
    pub(crate) fn sums(&mut self, totals: Totals) -> Vec<Activity> {
        let totals = self.totals.larger(totals);
        let new = totals.minus(self.totals);
        self.totals = totals;
        if new == Totals::default() {
            return Vec::new();
        }
        vec![Activity::Spent(Spend {
            input_tokens: new.input.saturating_sub(new.cached),
            output_tokens: new.output,
            cache_read_tokens: new.cached,
            ..Spend::default()
        })]
    }

    /// A line of the session's file.
    pub(crate) fn line(&mut self, line: &[u8]) -> Vec<Activity> {
        let Some((id, cost)) = serde_json::from_slice(line).ok().and_then(Line::cost) else {
            return Vec::new();
        };
        let known = self.answers.iter_mut().find(|(known, _)| *known == id);
        let new = match known {
            Some((_, before)) => {
                let new = cost.minus(*before);
                *before = before.larger(cost);
                new
            }
            None => {
                if self.answers.len() == limits::MESSAGES_OPEN_MAX {
                    self.answers.pop_front();
                }
                self.answers.push_back((id, cost));
                cost
            }
        };
        self.in_file = self.in_file.plus(new);
        self.sums(self.in_file)
    }
}

#[derive(Debug, Deserialize)]
struct Line {
    id: Option<String>,
    tokens: Option<Tokens>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input: u64,
    output: u64,
    cached: u64,
    total: u64,
}

impl Line {
    fn cost(self) -> Option<(String, Totals)> {
        let tokens = self.tokens?;
        Some((self.id?, totals(tokens.input, tokens.cached, (tokens.output, tokens.total))))
    }
}

/// What was thought is counted in the total alone, and is paid for like what was said.
pub(crate) fn totals(input: u64, cached: u64, (output, total): (u64, u64)) -> Totals {
    Totals { input, cached, output: output.max(total.saturating_sub(input)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, tokens: &str) -> String {
        format!(r#"{{"id":"{id}","type":"gemini","content":"x","tokens":{{{tokens}}}}}"#)
    }

    fn spent(activities: &[Activity]) -> (u64, u64, u64) {
        match activities {
            [Activity::Spent(spend)] => {
                (spend.input_tokens, spend.cache_read_tokens, spend.output_tokens)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_answer_counts_once_and_the_sums_of_the_end_add_what_is_missing() {
        let mut told = Told::default();
        let first = line(
            "a",
            r#""input":1000,"output":50,"cached":300,"thoughts":7,"tool":0,"total":1057"#,
        );
        assert_eq!(spent(&told.line(first.as_bytes())), (700, 300, 57));
        assert_eq!(told.line(first.as_bytes()), [], "it comes again with its tools");
        assert_eq!(told.line(br#"{"$set":{"lastUpdated":"now"}}"#), []);
        assert_eq!(told.line(br#"{"id":"u","type":"user"}"#), []);
        assert_eq!(told.line(b"no json"), []);
        let second = line("b", r#""input":1100,"output":70,"cached":900,"total":1170"#);
        assert_eq!(spent(&told.line(second.as_bytes())), (200, 900, 70));
        assert_eq!(told.sums(totals(2100, 1200, (120, 2227))), []);
        let more = told.sums(totals(2600, 1300, (130, 2737)));
        assert_eq!(spent(&more), (400, 100, 10));
        assert_eq!(told.line(second.as_bytes()), [], "the file may be behind");
    }

    #[test]
    fn a_session_that_is_no_plain_name_is_no_file() {
        let name =
            |session: &str| file_of(session, "/f".into()).map(|file| file.name_ends.concat());
        assert_eq!(name("3bcd8ab0-4348-4376-8fc6-6ebe81977312").unwrap(), "-3bcd8ab0.jsonl");
        assert_eq!(name("../../etc/passwd"), None);
        assert_eq!(name(""), None);
    }
}
