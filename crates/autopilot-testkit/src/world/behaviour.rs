//! The ways an agent can behave in the made-up world. What a behaviour does to the tree is `world`'s, what is said is `returns`'s.

use autopilot_core::contract::returns::{ConcernSeverity, Recommendation};
use autopilot_core::run::event::Failure;
use autopilot_core::run::measured::CheckName;
use autopilot_core::score::Score;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behaviour {
    /// Does what it was asked; whoever rates gives `GOOD`.
    Good,
    /// Brings no return.
    Fails(Failure),
    /// Meets a usage limit that is reset that long afterwards.
    HitsLimit {
        for_ms: u64,
    },
    /// Works, says that all is done, and leaves these not green.
    Leaves {
        reds: Vec<(CheckName, Red)>,
        lines: u64,
    },
    /// Says that all is done and touched no file.
    ChangesNothing,
    /// Leaves a JSON file that cannot be read.
    BreaksJson,
    /// Its commits come to nothing.
    UndoesItself,
    /// It takes a test away (CHECK-18).
    DeletesATest,
    /// It makes what tests expect fit its work (CHECK-18).
    RefitsTests,
    /// It brings the project's first tests (GATE-6).
    BringsTests,
    /// The same, and they hold without its code.
    BringsIdleTests,
    /// It changes the settings work is measured by, which are put back unless its plan lists them (CHECK-19).
    ChangesSettings,
    /// It ticks boxes of the roadmap (CHECK-19).
    TicksRoadmap,
    /// Says that it made a commit that nobody finds (CHECK-17).
    NamesGhostCommit,
    /// Changes a file that no plan names (CHECK-17).
    Strays,
    /// Leaves a process running.
    LeavesAServer,
    /// Returns in a way that cannot be believed.
    Shady(Shady),
    /// Looks at a plan.
    ChecksPlan {
        confidence: Score,
        blockers: u32,
    },
    Verifies(Verified),
    Judges {
        recommendation: Recommendation,
        concern: Option<ConcernSeverity>,
    },
    Rates(Marks),
    /// Verifies and rates in one.
    Reviews {
        verified: Verified,
        marks: Marks,
    },
}

/// In which way a check is not green.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Red {
    Red,
    TimedOut,
    NotRun,
}

impl Red {
    pub(super) fn bits(self) -> u8 {
        match self {
            Red::Red => 1,
            Red::TimedOut => 2,
            Red::NotRun => 3,
        }
    }
}

/// Ways of a reviewer that is not worth its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shady {
    /// No commands, no evidence; of a second judge full agreement besides.
    ShowsNothing,
    /// Evidence at a place that is not there.
    NamesGhost,
    /// The verifier's sentence as its own.
    QuotesVerifier,
    /// A second judge that does not say how it stands to the verifier.
    AnalysesNothing,
    /// Asks for a person without a task of the plan.
    DefersVaguely,
    /// Asks for somebody to look.
    DefersGenerically,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    Holds,
    /// Passes it and names a failure.
    NamesFailure,
    Fails,
    NeedsPerson,
}

/// What a rater writes on its scorecard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    pub scores: Vec<Score>,
    /// Whether a score that is not full says what is missing.
    pub gives_reasons: bool,
}

/// The score of good work.
pub const GOOD: Score = match Score::from_tenths(92) {
    Some(score) => score,
    None => Score::FULL,
};

impl Marks {
    pub fn one(score: Score) -> Marks {
        Marks { scores: vec![score], gives_reasons: true }
    }
}
