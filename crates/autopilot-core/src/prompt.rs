//! What agents are told. Templates of our own, or the user's, filled with what the run knows; everything that comes from the
//! project or from agents stands in quotes. Which agent gets which prompt is the pipeline's.

pub mod context;
pub mod draft;
mod fit;
mod kind;
pub mod quoting;
mod render;
mod sections;

pub use context::PromptContext;
pub use kind::Prompt;
pub use render::{PromptError, render};

/// All templates by their names: one for each prompt of a run, and the one a project is drafted with.
pub fn templates() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_runs = Prompt::ALL.into_iter().map(|prompt| (prompt.name(), builtin(prompt)));
    of_runs.chain([(draft::NAME, draft::builtin())])
}

/// Our own template, for those who want to start from it.
pub fn builtin(prompt: Prompt) -> &'static str {
    match prompt {
        Prompt::Research => include_str!("prompt/templates/research.md"),
        Prompt::Plan => include_str!("prompt/templates/plan.md"),
        Prompt::PlanCheck => include_str!("prompt/templates/plan_check.md"),
        Prompt::Execute => include_str!("prompt/templates/execute.md"),
        Prompt::Fix => include_str!("prompt/templates/fix.md"),
        Prompt::Verify => include_str!("prompt/templates/verify.md"),
        Prompt::Judge => include_str!("prompt/templates/judge.md"),
        Prompt::JudgeDivergence => include_str!("prompt/templates/judge_divergence.md"),
        Prompt::Rate => include_str!("prompt/templates/rate.md"),
        Prompt::Review => include_str!("prompt/templates/review.md"),
        Prompt::Debug => include_str!("prompt/templates/debug.md"),
        Prompt::Delegate => include_str!("prompt/templates/delegate.md"),
        Prompt::Remediate => include_str!("prompt/templates/remediate.md"),
    }
}

#[cfg(test)]
mod prompt_tests;
