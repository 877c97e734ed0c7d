//! What a phase is expected to cost before it runs (BUD-2): tokens from its tasks, else from its type; and how many agent runs.

use crate::config::Config;
use crate::errand;
use crate::limits;
use crate::phase_type::PhaseType;
use crate::plan::{Complexity, Plan, Task};
use crate::roadmap::Phase;
use crate::settings::Depth;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    pub tokens: u64,
    pub agent_runs: u32,
    /// Tasks of its plans; 0 when there is no plan yet.
    pub tasks: u32,
}

/// Research, plan, plan check, verify and judge together, as the sources measured them.
const OVERHEAD_TOKENS: u64 = 50_000;

pub fn of(
    phase: &Phase,
    plans: &[&Plan],
    phase_type: PhaseType,
    config: &Config,
    depth: Depth,
) -> Estimate {
    let tasks: Vec<&Task> = plans.iter().flat_map(|plan| &plan.tasks).collect();
    let is_errand = errand::is_errand(&phase.id);
    // A single task is small until its plan says otherwise.
    let depth = if is_errand && depth == Depth::Auto { Depth::Lean } else { depth };
    let tokens = match (tasks.is_empty(), is_errand) {
        (true, false) => without_plan(phase_type),
        (true, true) => OVERHEAD_TOKENS + 2 * tokens_of(Complexity::Medium),
        (false, _) => OVERHEAD_TOKENS + tasks.iter().map(|task| task_tokens(task)).sum::<u64>(),
    };
    Estimate {
        tokens: tokens * 12 / 10,
        agent_runs: agent_runs(phase, &tasks, config, depth),
        tasks: u32::try_from(tasks.len()).unwrap_or(u32::MAX),
    }
}

/// What so many tokens are worth, in millionths of a dollar, by the prices that stand in where nobody tells one. Agents read more than
/// they write: of what counts about one token in seven is theirs.
pub fn usd_micros(tokens: u64) -> u64 {
    const WRITTEN_ONE_IN: u64 = 7;
    let written = tokens / WRITTEN_ONE_IN;
    let read = (tokens - written).saturating_mul(limits::INPUT_TOKEN_NANODOLLARS);
    let written = written.saturating_mul(limits::OUTPUT_TOKEN_NANODOLLARS);
    read.saturating_add(written) / 1_000
}

fn without_plan(phase_type: PhaseType) -> u64 {
    match phase_type {
        PhaseType::Protocol => 150_000,
        PhaseType::Ui => 250_000,
        PhaseType::Data => 100_000,
        PhaseType::Mixed => 200_000,
    }
}

fn task_tokens(task: &Task) -> u64 {
    tokens_of(complexity(task))
}

fn tokens_of(complexity: Complexity) -> u64 {
    match complexity {
        Complexity::Simple => 15_000,
        Complexity::Medium => 30_000,
        Complexity::Complex => 60_000,
    }
}

/// What the plan says, else by how many files the task touches: up to two, up to five, more.
pub fn complexity(task: &Task) -> Complexity {
    task.complexity.unwrap_or(match task.files.len() {
        0..=2 => Complexity::Simple,
        3..=5 => Complexity::Medium,
        _ => Complexity::Complex,
    })
}

/// One run a task, and around it what the depth asks for (PIPE-15). The judge is asked twice.
fn agent_runs(phase: &Phase, tasks: &[&Task], config: &Config, depth: Depth) -> u32 {
    let automatic = tasks.iter().filter(|task| !task.kind.is_checkpoint()).count();
    let executed = match (tasks.is_empty(), phase.criteria.len()) {
        // Without a plan: one task a criterion, within what real plans have (two to four).
        (true, criteria) => criteria.clamp(2, 4),
        (false, _) => automatic,
    };
    let planning = match (tasks.is_empty(), config.has_research, is_lean(phase, tasks, depth)) {
        (false, _, true) => 0,
        (false, _, false) => 1,
        (true, _, true) => 1,
        (true, false, false) => 2,
        (true, true, false) => 3,
    };
    let reviewing = if is_lean(phase, tasks, depth) { 1 } else { 4 };
    u32::try_from(executed + planning + reviewing).unwrap_or(u32::MAX)
}

/// `auto` is lean for a plan of at most three tasks, none complex, where a command proves every criterion.
fn is_lean(phase: &Phase, tasks: &[&Task], depth: Depth) -> bool {
    match depth {
        Depth::Lean => true,
        Depth::Full => false,
        Depth::Auto => {
            let is_small = (1..=3).contains(&tasks.len())
                && tasks.iter().all(|task| complexity(task) < Complexity::Complex);
            let mut criteria = phase
                .criteria
                .iter()
                .chain(tasks.iter().flat_map(|task| &task.criteria))
                .peekable();
            is_small
                && criteria.peek().is_some()
                && criteria.all(|criterion| criterion.is_proven_by_command())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plan, roadmap};

    fn estimate(plan_text: &str, phase_type: PhaseType, depth: Depth) -> (u64, u32, u32) {
        let (roadmap, _) =
            roadmap::read("R.md", "### Phase 1: X\n**Success Criteria**:\n1. a\n2. b\n3. c\n");
        let (plan, _) = plan::read("P.md", plan_text);
        let plans: Vec<&Plan> = if plan.tasks.is_empty() { vec![] } else { vec![&plan] };
        let estimate = of(&roadmap.phases[0], &plans, phase_type, &Config::default(), depth);
        (estimate.tokens, estimate.agent_runs, estimate.tasks)
    }

    #[test]
    fn a_single_task_is_expected_to_be_small() {
        let errand = errand::Errand::of("do it", &[]).unwrap();
        let roadmap = errand.roadmap(errand::next_id([]));
        let expected = |depth| {
            let config = Config::default();
            let estimate = of(&roadmap.phases[0], &[], PhaseType::Mixed, &config, depth);
            (estimate.tokens, estimate.agent_runs)
        };
        assert_eq!(expected(Depth::Auto), (132_000, 4));
        assert_eq!(expected(Depth::Full), (132_000, 9));
    }

    #[test]
    fn without_a_plan_the_type_decides() {
        let check =
            |phase_type, tokens| assert_eq!(estimate("", phase_type, Depth::Auto), (tokens, 10, 0));
        check(PhaseType::Protocol, 180_000);
        check(PhaseType::Ui, 300_000);
        check(PhaseType::Data, 120_000);
        check(PhaseType::Mixed, 240_000);
    }

    #[test]
    fn with_a_plan_the_tasks_decide() {
        let task = |complexity: &str| {
            format!("<task complexity=\"{complexity}\">\n<name>x</name>\n</task>\n")
        };
        let plan = [task("simple"), task("medium"), task("complex")].concat();
        assert_eq!(
            estimate(&plan, PhaseType::Mixed, Depth::Auto),
            ((50_000 + 105_000) * 12 / 10, 8, 3)
        );
        assert_eq!(estimate(&plan, PhaseType::Mixed, Depth::Lean), (186_000, 4, 3));
        let by_files = "<task>\n<files>a, b, c</files>\n</task>\n";
        assert_eq!(estimate(by_files, PhaseType::Mixed, Depth::Full).0, 96_000);
        let person = "<task type=\"checkpoint:decision\">\n<name>x</name>\n</task>\n";
        assert_eq!(
            estimate(person, PhaseType::Mixed, Depth::Full).1,
            5,
            "a person's task needs no agent"
        );
    }
}
