//! The prompts there are: one a role, and two more for an executor that comes back to its work.

use crate::contract::Role;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prompt {
    Research,
    Plan,
    PlanCheck,
    Execute,
    /// A task again, with the output of what failed.
    Fix,
    Verify,
    Judge,
    JudgeDivergence,
    Rate,
    Review,
    Debug,
    /// Findings of a review, worked off.
    Remediate,
    /// A whole phase.
    Delegate,
}

/// Whether an agent is to change files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hands {
    Write,
    Look,
}

impl Prompt {
    pub const ALL: [Prompt; 13] = [
        Prompt::Research,
        Prompt::Plan,
        Prompt::PlanCheck,
        Prompt::Execute,
        Prompt::Fix,
        Prompt::Verify,
        Prompt::Judge,
        Prompt::JudgeDivergence,
        Prompt::Rate,
        Prompt::Review,
        Prompt::Debug,
        Prompt::Remediate,
        Prompt::Delegate,
    ];

    /// Also the name of its file, without `.md`.
    pub fn name(self) -> &'static str {
        match self {
            Prompt::Fix => "fix",
            Prompt::Remediate => "remediate",
            other => other.role().name(),
        }
    }

    /// Whose return it asks for.
    pub fn role(self) -> Role {
        match self {
            Prompt::Research => Role::Research,
            Prompt::Plan => Role::Plan,
            Prompt::PlanCheck => Role::PlanCheck,
            Prompt::Execute | Prompt::Fix | Prompt::Remediate => Role::Execute,
            Prompt::Verify => Role::Verify,
            Prompt::Judge => Role::Judge,
            Prompt::JudgeDivergence => Role::JudgeDivergence,
            Prompt::Rate => Role::Rate,
            Prompt::Review => Role::Review,
            Prompt::Debug => Role::Debug,
            Prompt::Delegate => Role::Delegate,
        }
    }

    pub(super) fn hands(self) -> Hands {
        match self {
            Prompt::Research
            | Prompt::Plan
            | Prompt::Execute
            | Prompt::Fix
            | Prompt::Debug
            | Prompt::Remediate
            | Prompt::Delegate => Hands::Write,
            Prompt::PlanCheck
            | Prompt::Verify
            | Prompt::Judge
            | Prompt::JudgeDivergence
            | Prompt::Rate
            | Prompt::Review => Hands::Look,
        }
    }
}
