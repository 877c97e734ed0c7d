//! Whether what came back can be believed (CHECK-0 to CHECK-19): looked at after every return and once more before the gate, from
//! facts of the state alone. A return that is not accepted is asked for once more with the reasons; the second time the phase
//! fails. One file a check; what the gate makes of accepted returns is `gate`'s.

mod already_done;
pub mod claimed;
pub(in crate::run) mod claims;
mod contamination;
pub(in crate::run) mod criteria_before;
mod deferral;
mod failure_category;
pub mod footprint;
mod gate_definition;
mod honest_change;
mod independence;
mod judge_report;
pub(in crate::run) mod known_red;
mod left_running;
mod phase_type_evidence;
pub mod places;
mod prose;
pub mod run_files;
mod telling;
pub(in crate::run) mod tests_before;
mod too_fast;
pub mod uniform_scores;
mod verifier_evidence;

pub use telling::{alert, remarks, said};

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::contract::{Category, Role};
use crate::finding::printable;
use crate::honesty::{Doubt, Expectation};
use crate::limits;
use crate::run::checks::run_files::RunFile;
use crate::run::definition::CheckOrder;
use crate::run::effect::Effect;
use crate::run::event::Event;
use crate::run::gate_definitions::Touched;
use crate::run::ids::AttemptId;
use crate::run::next::Move;
use crate::run::pipeline::At;

/// Times one step of a phase may be rejected; with the last of them the phase fails (CHECK-0).
pub const REJECTIONS_MAX: u32 = 2;

/// What was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Integrity {
    /// CHECK-1 and CHECK-4.
    Independence,
    /// CHECK-2, CHECK-6 and CHECK-8.
    AlreadyDone,
    /// CHECK-3.
    TooFast,
    /// CHECK-7.
    PhaseTypeEvidence,
    /// CHECK-9 and CHECK-11.
    JudgeReport,
    /// CHECK-10.
    VerifierEvidence,
    /// CHECK-10, the time.
    VerifierTime,
    /// CHECK-12.
    FailureCategory,
    /// CHECK-13.
    Deferral,
    /// CHECK-14.
    UnnecessaryDeferral,
    /// CHECK-16.
    Contamination,
    /// CHECK-17, commits and places.
    Claims,
    /// CHECK-17, the files of a phase.
    Footprint,
    /// CHECK-18.
    HonestChange,
    /// CHECK-19.
    GateDefinition,
    /// What a worker started and did not end.
    LeftRunning,
    /// GATE-4.
    KnownRed,
}

impl Integrity {
    pub const ALL: [Integrity; 17] = [
        Integrity::Independence,
        Integrity::AlreadyDone,
        Integrity::TooFast,
        Integrity::PhaseTypeEvidence,
        Integrity::JudgeReport,
        Integrity::VerifierEvidence,
        Integrity::VerifierTime,
        Integrity::FailureCategory,
        Integrity::Deferral,
        Integrity::UnnecessaryDeferral,
        Integrity::Contamination,
        Integrity::Claims,
        Integrity::Footprint,
        Integrity::HonestChange,
        Integrity::GateDefinition,
        Integrity::LeftRunning,
        Integrity::KnownRed,
    ];

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Integrity::Independence => "independent review",
            Integrity::AlreadyDone => "work that was there already",
            Integrity::TooFast => "time of the phase",
            Integrity::PhaseTypeEvidence => "evidence of the phase's kind",
            Integrity::JudgeReport => "judge's own evidence",
            Integrity::VerifierEvidence => "verifier's own evidence",
            Integrity::VerifierTime => "time of the verification",
            Integrity::FailureCategory => "categories of failures",
            Integrity::Deferral => "reason to wait for a person",
            Integrity::UnnecessaryDeferral => "need of a person",
            Integrity::Contamination => "blind review",
            Integrity::Claims => "truth of what is claimed",
            Integrity::Footprint => "footprint of the plan",
            Integrity::HonestChange => "honesty of the change",
            Integrity::GateDefinition => "what work is measured by",
            Integrity::LeftRunning => "processes left running",
            Integrity::KnownRed => "what was red before the run",
        }
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    Rejected { check: Integrity, reasons: Vec<String> },
    Warned { check: Integrity, reason: String },
}

/// What is known of a phase's returns besides their content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// By step; both rounds of the judge are one.
    pub rejected: BTreeMap<Role, Rejected>,
    pub warned: Vec<Warned>,
    /// Attempts that worked on tasks: none of them may review (CHECK-4).
    pub workers: BTreeSet<AttemptId>,
    /// Words of debuggers that are no category (CHECK-12).
    pub unclassified: Vec<String>,
    /// Reviewers are to be stricter than usual (CHECK-5).
    pub is_enhanced: bool,
    /// Definitions that were put back since the work was last sent back for it (CHECK-19).
    pub put_back: Vec<Touched>,
    /// Claims of the tasks that are not true, until the work is sent back for them (CHECK-17).
    pub contradicted: claims::Contradicted,
    /// Names of what workers left running.
    pub left_running: BTreeSet<String>,
    /// Files that whoever worked last left where git ignores them.
    pub ignored: Vec<String>,
    /// Files that workers hid from git since the work was last sent back for it.
    pub hidden: BTreeSet<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejected {
    pub count: u32,
    /// What whoever is asked again is told; empty once it has returned.
    pub reasons: Vec<String>,
    /// The last ones, for the reports.
    pub last: Vec<String>,
    /// Who has to do it again.
    pub role: Option<Role>,
}

/// A warning that was told. Once for each role and check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warned {
    pub check: Integrity,
    pub role: Role,
    pub reason: String,
}

/// Who brought a return, and how long it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reviewed {
    pub attempt: AttemptId,
    pub took_ms: u64,
}

/// What the engine saw of the difference a phase makes (CHECK-7, CHECK-18).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub files: u32,
    /// Changed JSON files that cannot be read.
    #[serde(default)]
    pub bad_json: Vec<String>,
    /// What makes the change doubtful (CHECK-18).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
    /// Files that say how work is measured and that a task of the plan lists (CHECK-19).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<Touched>,
    /// Files that no plan of the phase names (CHECK-17).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// Files that tests rest on and that are others than before the phase (CHECK-18).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<Expectation>,
    /// Files that the commands of criteria run and that are others than before the phase (CHECK-18).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_files: Vec<RunFile>,
    /// All changed and new files of tests; only where there are such.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Checks that the candidate has and that the run began without (GATE-6).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought: Vec<CheckOrder>,
    /// The code of the phase, without its tests and settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

impl Checked {
    /// The step a role belongs to.
    pub fn step(role: Role) -> Role {
        if role == Role::JudgeDivergence { Role::Judge } else { role }
    }

    fn is_again(&self, role: Role) -> bool {
        self.rejected.contains_key(&Checked::step(role))
    }

    pub(super) fn has_warned(&self, check: Integrity, role: Role) -> bool {
        self.warned.iter().any(|warned| warned.check == check && warned.role == role)
    }

    /// The step that was rejected too often.
    pub(super) fn given_up(&self) -> Option<(Role, &Rejected)> {
        let mut steps = self.rejected.iter().map(|(role, rejected)| (*role, rejected));
        steps.find(|(_, rejected)| rejected.count >= REJECTIONS_MAX)
    }

    /// Why this role is asked again.
    pub(super) fn reasons(&self, role: Role) -> &[String] {
        let rejected = self.rejected.get(&Checked::step(role));
        let is_its = |rejected: &&Rejected| rejected.role == Some(role);
        rejected.filter(is_its).map(|rejected| rejected.reasons.as_slice()).unwrap_or_default()
    }

    /// How often a return was not accepted.
    pub(super) fn rejections(&self) -> u32 {
        self.rejected.values().map(|rejected| rejected.count).sum()
    }

    /// What reports ask for, without what only decisions need.
    pub(super) fn told(&self) -> Checked {
        let (rejected, warned) = (self.rejected.clone(), self.warned.clone());
        Checked { rejected, warned, ..Checked::default() }
    }
}

/// After the candidate was measured, before anybody reviews it. None when nothing speaks against it.
pub(super) fn of_candidate(at: At<'_>) -> Option<Move> {
    if let Some(order) = claims::order_of_work(at) {
        return Some(Move::Start(Effect::LookUp(order)));
    }
    let found = [
        phase_type_evidence::look(at),
        gate_definition::look(at),
        honest_change::look(at),
        tests_before::look(at),
        criteria_before::look(at),
        claims::of_work(at),
        footprint::look(at),
        left_running::look(at),
        known_red::look(at),
    ];
    decide(at, Role::Execute, found.concat())
}

/// After a reviewer has returned.
pub(super) fn of_return(at: At<'_>, role: Role) -> Option<Move> {
    if let Some(order) = claims::order(at, role) {
        return Some(Move::Start(Effect::LookUp(order)));
    }
    let found = match role {
        Role::Verify => [
            already_done::look(at),
            verifier_evidence::look(at, role),
            claims::of_return(at, role),
            deferral::look(at),
            contamination::look(at, role),
        ]
        .concat(),
        Role::Review => [
            already_done::look(at),
            verifier_evidence::look(at, role),
            claims::of_return(at, role),
            deferral::look(at),
            independence::score(at),
        ]
        .concat(),
        Role::Judge => [
            judge_report::look(at, role),
            claims::of_return(at, role),
            contamination::look(at, role),
        ]
        .concat(),
        Role::JudgeDivergence => {
            [judge_report::look(at, role), claims::of_return(at, role)].concat()
        }
        Role::Rate => [independence::score(at), contamination::look(at, role)].concat(),
        _ => Vec::new(),
    };
    decide(at, role, found)
}

/// Once all have returned.
pub(super) fn of_phase(at: At<'_>, roles: &[Role]) -> Option<Move> {
    let first = roles.first().copied().unwrap_or(Role::Review);
    let found = [too_fast::look(at), failure_category::look(at)].concat();
    let warned = decide(at, first, found);
    warned.or_else(|| {
        let (role, found) = independence::look(at, roles)?;
        decide(at, role, vec![found])
    })
}

/// Why what could pass otherwise is a person's to decide.
pub(super) fn needs_person(at: At<'_>) -> Option<String> {
    let said = [
        gate_definition::needs_person(at),
        tests_before::needs_person(at),
        criteria_before::needs_person(at),
        claims::needs_person(at),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// Warnings that were not told yet come first; all reasons to reject are told at once, under the name of the first.
fn decide(at: At<'_>, role: Role, found: Vec<Found>) -> Option<Move> {
    let mut rejection: Option<(Integrity, Vec<String>)> = None;
    for one in found {
        match one {
            Found::Warned { check, reason } => {
                if !at.work.checked.has_warned(check, role) {
                    return Some(Move::Record(warning(at, role, check, reason)));
                }
            }
            Found::Rejected { check, reasons } => {
                rejection.get_or_insert((check, Vec::new())).1.extend(reasons);
            }
        }
    }
    let (check, mut reasons) = rejection?;
    reasons.truncate(limits::REJECTION_REASONS_MAX);
    let phase = at.phase.id.clone();
    Some(Move::Record(Event::ReturnRejected { phase, role, check, reasons }))
}

fn warning(at: At<'_>, role: Role, check: Integrity, reason: String) -> Event {
    let phase = at.phase.id.clone();
    match check {
        Integrity::UnnecessaryDeferral => Event::UnnecessaryDeferralWarning { phase, role, reason },
        Integrity::Contamination => Event::CrossContaminationWarning { phase, role, reason },
        check => Event::IntegrityWarning { phase, role, check, reason },
    }
}

/// The kind of failure a phase has whose step was rejected too often.
pub(super) fn category(role: Role) -> Category {
    match role {
        Role::Execute => Category::ExecutorIncomplete,
        _ => Category::ToolFailure,
    }
}

/// An agent's words inside a reason: on one line and short.
fn quoted(text: &str) -> String {
    let line = printable(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    match line.char_indices().nth(limits::QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("\"{}…\"", &line[..end]),
        None => format!("\"{line}\""),
    }
}

#[cfg(test)]
#[path = "checks_tests.rs"]
mod tests;

#[cfg(test)]
pub(super) mod fixture;
