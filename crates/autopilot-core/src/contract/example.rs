//! An example of each role's return. Prompts and reminders show it, and a test reads every one of them back.

use super::role::Role;

pub fn text(role: Role) -> &'static str {
    match role {
        Role::Research => include_str!("examples/research.json"),
        Role::Plan => include_str!("examples/plan.json"),
        Role::PlanCheck => include_str!("examples/plan_check.json"),
        Role::Execute => include_str!("examples/execute.json"),
        Role::Verify => include_str!("examples/verify.json"),
        Role::Judge => include_str!("examples/judge.json"),
        Role::JudgeDivergence => include_str!("examples/judge_divergence.json"),
        Role::Rate => include_str!("examples/rate.json"),
        Role::Review => include_str!("examples/review.json"),
        Role::Debug => include_str!("examples/debug.json"),
        Role::Delegate => include_str!("examples/delegate.json"),
    }
}
