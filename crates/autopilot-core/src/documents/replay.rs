//! `autopilot replay --json`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::run::projection::iso;
use crate::run::replay::{Difference, Replayed};

/// What today's rules make of a recorded run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "replay")]
pub struct ReplayDocument<'a> {
    pub run: &'a str,
    /// Today's rules decide as it is recorded, everywhere.
    pub same: bool,
    /// Events that were followed.
    pub events: u64,
    /// Those of them that were decisions.
    pub decisions: u64,
    pub differences: Vec<DifferenceDocument<'a>>,
    /// Differences beyond those listed.
    pub left_out: u64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DifferenceDocument<'a> {
    /// The number of the event in the journal, from 0.
    pub event: u64,
    pub at: String,
    /// Absent when it is about the run as a whole.
    pub phase: Option<String>,
    /// The decision in words.
    pub recorded: &'a str,
    pub today: &'a str,
    /// Where the decision is of the same kind: the values that are another.
    pub fields: Vec<FieldDocument<'a>>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FieldDocument<'a> {
    /// As in `effect.round`.
    pub path: &'a str,
    /// JSON, cut where it is long.
    pub recorded: &'a str,
    pub today: &'a str,
}

impl<'a> ReplayDocument<'a> {
    pub fn of(run: &'a str, replayed: &'a Replayed) -> Self {
        ReplayDocument {
            run,
            same: replayed.is_same(),
            events: replayed.events,
            decisions: replayed.decisions,
            differences: replayed.differences.iter().map(DifferenceDocument::of).collect(),
            left_out: replayed.left_out,
        }
    }
}

impl<'a> DifferenceDocument<'a> {
    fn of(difference: &'a Difference) -> Self {
        let Difference { number, at, phase, recorded, today, fields } = difference;
        let field = |one: &'a crate::run::replay::Field| FieldDocument {
            path: &one.path,
            recorded: &one.recorded,
            today: &one.today,
        };
        DifferenceDocument {
            event: *number,
            at: iso(*at),
            phase: phase.as_ref().map(ToString::to_string),
            recorded,
            today,
            fields: fields.iter().map(field).collect(),
        }
    }
}
