//! The JSON form of a refusal.

use schemars::JsonSchema;
use serde::Serialize;

use crate::documents::FindingDocument;
use crate::finding::Finding;
use crate::problem::Problem;

/// What every command prints with --json when it cannot do what was asked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "error")]
pub struct ErrorDocument<'a> {
    pub error: ErrorBody,
    /// Everything noticed in the project's files before the refusal.
    pub findings: Vec<FindingDocument<'a>>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ErrorBody {
    /// usage, environment, failed, …: one word for each exit code.
    pub kind: String,
    pub exit_code: u8,
    /// What happened.
    pub what: String,
    /// Why it matters.
    pub why: String,
    /// What to do.
    pub fix: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

impl<'a> ErrorDocument<'a> {
    pub fn of(problem: &Problem, findings: &'a [Finding]) -> ErrorDocument<'a> {
        ErrorDocument {
            error: ErrorBody {
                kind: problem.exit.word().to_string(),
                exit_code: problem.exit.code(),
                what: problem.what.clone(),
                why: problem.why.clone(),
                fix: problem.fix.clone(),
                file: problem.place.as_ref().map(|place| place.file.clone()),
                line: problem.place.as_ref().and_then(|place| place.line),
            },
            findings: findings.iter().map(FindingDocument::from).collect(),
        }
    }
}
