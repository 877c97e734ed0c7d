//! The parts an agent can play in a phase. Each has one return; which of them is asked for next is the pipeline's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Research,
    Plan,
    PlanCheck,
    /// Also who mends a task that failed, and who works off findings: both return as an executor does.
    Execute,
    Verify,
    /// The judge with evidence of its own only.
    Judge,
    /// The judge once more, with the verifier's report beside its own.
    JudgeDivergence,
    Rate,
    /// Verifies and rates in one, where the depth is lean.
    Review,
    Debug,
    /// Does a phase from research to execution alone.
    Delegate,
}

impl Role {
    pub const ALL: [Role; 11] = [
        Role::Research,
        Role::Plan,
        Role::PlanCheck,
        Role::Execute,
        Role::Verify,
        Role::Judge,
        Role::JudgeDivergence,
        Role::Rate,
        Role::Review,
        Role::Debug,
        Role::Delegate,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Role::Research => "research",
            Role::Plan => "plan",
            Role::PlanCheck => "plan_check",
            Role::Execute => "execute",
            Role::Verify => "verify",
            Role::Judge => "judge",
            Role::JudgeDivergence => "judge_divergence",
            Role::Rate => "rate",
            Role::Review => "review",
            Role::Debug => "debug",
            Role::Delegate => "delegate",
        }
    }
}
