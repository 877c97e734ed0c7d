//! A pure world for the rules of a run: it answers every effect with the events an engine would record, without a file, a program
//! or a clock. What agents do in it is a `Script`'s; what the answers mean is the core's.

use autopilot_core::contract::Role;
use autopilot_core::honesty::{Doubt, DoubtKind, Expectation, ExpectationKind};
use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::checks::Difference;
use autopilot_core::run::checks::claimed::CommitClaim;
use autopilot_core::run::checks::places::{CommitSeen, Place, Seen};
use autopilot_core::run::definition::{CheckOrder, RunMode, TaskDefinition, TaskKind};
use autopilot_core::run::effect::{AgentOrder, CommitOrder, Effect, Measurement, Purpose};
use autopilot_core::run::event::{
    AgentWork, Changed, Event, Failure, PlanFault, PlanFile, ProcessGroup, Spend,
};
use autopilot_core::run::files::batch_report;
use autopilot_core::run::ids::{AttemptId, Moment, TaskId};
use autopilot_core::run::measured::{CheckName, CheckResult, Measured};
use autopilot_core::run::quiet::Quiet;
use autopilot_core::run::state::RunState;
use autopilot_core::run::taking_back::TakeBackHow;
use autopilot_core::test_counts::{Runner, TestCounts};

pub mod behaviour;
pub mod drive;
pub mod given;
pub mod replay;
mod definitions;
mod returns;
pub mod tree;

pub use behaviour::{Behaviour, Marks, Red, Shady, Verified};
pub use drive::{Drive, Stepped, Trouble};

use returns::About;
use tree::Tree;

/// Lines a piece of work has when nobody says how many.
const LINES: u64 = 40;

/// Decides how everybody in the world behaves. The same question gets the same answer, however often it is asked: a lost
/// attempt that is made again goes as it would have gone.
pub trait Script {
    fn behaviour(&self, order: &AgentOrder) -> Behaviour;

    /// What lies in the phase's folder after that many tries of the planner; after none it is the user's own plan. A try that
    /// failed leaves the plan that was there.
    fn plan(&self, phase: &PhaseId, round: u32) -> Plan;

    /// Whether the criterion of that number, from 1, is green before any work on the phase.
    fn holds_before(&self, phase: &PhaseId, criterion: u32) -> bool;

    /// What an attempt takes.
    fn effort(&self, _order: &AgentOrder) -> Effort {
        Effort::default()
    }

    /// Whether the user has changed files and not committed them.
    fn is_user_at_work(&self) -> bool {
        false
    }

    /// Why the engine itself fails at this, if it does.
    fn engine_fails(&self, effect: &Effect) -> Option<String>;
}

/// What an attempt would take if it were let.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Beyond what everybody spends.
    pub tokens: u64,
    pub took_ms: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { tokens: 0, took_ms: 1_000 }
    }
}

/// The plan of a phase as the engine reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub tasks: Vec<TaskDefinition>,
    pub faults: Vec<PlanFault>,
}

/// The events an engine would record for an effect that was started as `attempt`.
pub fn answer(
    script: &impl Script,
    (state, now): (&RunState, Moment),
    attempt: AttemptId,
    effect: &Effect,
) -> Vec<Event> {
    if let Some(what) = script.engine_fails(effect) {
        return vec![Event::EffectFailed { attempt, what }];
    }
    match effect {
        Effect::OpenRun { base } => {
            let branch = format!("autopilot/{}", state.definition.run);
            vec![Event::RunOpened { attempt, branch, commit: base.clone(), planning_files: 0 }]
        }
        Effect::OpenPhase { phase, .. } => {
            let branch = format!("autopilot/{}/phase-{phase}", state.definition.run);
            vec![Event::PhaseOpened { attempt, branch }]
        }
        Effect::Measure(measurement) => {
            let measured = measure(script, state, measurement);
            let difference = difference(state, measurement);
            vec![Event::EvidenceMeasured { attempt, measured, difference }]
        }
        Effect::RunAgent(order) => {
            let spawned = Event::AttemptSpawned { attempt, group: group(attempt) };
            let ended = agent(script, (state, now), attempt, order);
            [spawned].into_iter().chain(quiet(attempt, &ended)).chain([ended]).collect()
        }
        Effect::LookUp(order) => {
            let is_there = |place: &Place| place.file == returns::FILE;
            let see = |place| if is_there(place) { Seen::There } else { Seen::NoFile };
            let known = |claim: &CommitClaim| match claim.name == returns::GHOST_COMMIT {
                true => CommitSeen::Missing,
                false => CommitSeen::Known,
            };
            vec![Event::PlacesLookedUp {
                attempt,
                seen: order.places.iter().map(see).collect(),
                facts: Vec::new(),
                commits: order.commits.iter().map(known).collect(),
            }]
        }
        Effect::ReadPlan { phase } => read_plan(script, state, attempt, phase),
        Effect::CommitTask(order) => vec![commit(attempt, order)],
        Effect::RollBack { .. } => vec![Event::RolledBack { attempt, rescue: None }],
        Effect::ClosePhase { head, onto, .. } => {
            let commit = Tree::read(head).closed_on(&Tree::read(onto)).commit();
            vec![Event::PhaseMerged { attempt, commit, receipt: None }]
        }
        Effect::WriteDiagnostic { phase, score } => {
            let path = format!(".autopilot/diagnostics/phase-{phase}-confidence.md");
            vec![Event::ConfidenceDiagnosticWritten { attempt, score: *score, path }]
        }
        Effect::MergeRun(_) | Effect::TakeBack(_) => vec![landing(script, attempt, effect)],
        Effect::Report => report(state, attempt),
    }
}

/// Nobody is ended for being silent without having been told to go on.
fn quiet(attempt: AttemptId, ended: &Event) -> Option<Event> {
    let is_stalled = matches!(ended, Event::StepFailed { failure: Failure::Stalled, .. });
    let quiet = Quiet::Nudged { silent_ms: 420_000, ends_after_ms: 600_000 };
    is_stalled.then_some(Event::AttemptQuiet { attempt, quiet })
}

/// The user's branch moves, and phases are taken back, unless somebody has changed the user's files.
fn landing(script: &impl Script, attempt: AttemptId, effect: &Effect) -> Event {
    let (why, fix) = ("lib/1 is not committed".to_string(), "commit it".to_string());
    match (effect, script.is_user_at_work()) {
        (Effect::MergeRun(order), false) => {
            let (branch, commit) = (order.branch.clone(), order.to.clone());
            Event::RunMerged { attempt, branch, commit }
        }
        (Effect::TakeBack(order), false) => Event::RollbackCompleted {
            attempt,
            phases: order.phases.iter().map(|one| one.phase.clone()).collect(),
            branch: order.branch.clone(),
            commit: match &order.how {
                TakeBackHow::Reset { to } => to.clone(),
                TakeBackHow::Revert | TakeBackHow::Apart => order.base.clone(),
            },
            rescue: "refs/autopilot/run-1/rescue/rollback".to_string(),
        },
        (Effect::TakeBack(_), true) => Event::RollbackRefused { attempt, why, fix },
        _ => Event::MergeRefused { attempt, why, fix },
    }
}

fn report(state: &RunState, attempt: AttemptId) -> Vec<Event> {
    let batch = (state.definition.mode == RunMode::Complete).then(|| {
        let path = ".autopilot/completion-report.md".to_string();
        Event::BatchCompletionReport { attempt, path, percent: batch_report::percent(state) }
    });
    let path = ".autopilot/completion.md".to_string();
    batch.into_iter().chain([Event::ReportWritten { attempt, path, trend: None }]).collect()
}

fn group(attempt: AttemptId) -> ProcessGroup {
    ProcessGroup {
        id: 1000 + attempt.0.cast_signed(),
        start_ticks: Some(u64::from(attempt.0)),
        boot_id: None,
    }
}

fn measure(script: &impl Script, state: &RunState, measurement: &Measurement) -> Vec<Measured> {
    let tree = Tree::read(measurement.snapshot.as_ref().unwrap_or(&measurement.at));
    let criteria = match &measurement.phase {
        Some(phase) => criteria_of(script, state, phase, &tree),
        None => 0,
    };
    let is_unfit = match measurement.purpose {
        Purpose::TestsBefore | Purpose::AllTestsBefore => tree.flaws & tree::REFITTED != 0,
        Purpose::WithoutWork => tree.flaws & tree::IDLE == 0,
        _ => false,
    };
    let is_counted = measurement.purpose == Purpose::Brought;
    let see = |check: CheckName| match check {
        CheckName::Test if is_unfit => CheckResult::Red { exit: Some(1) },
        CheckName::Criterion(number) => match criteria & tree::bit(number) {
            0 => CheckResult::Red { exit: Some(1) },
            _ => CheckResult::Green,
        },
        other => tree.result(other),
    };
    let checks = measurement.checks.iter();
    checks
        .map(|order| Measured {
            check: order.name,
            command: order.command.clone(),
            result: see(order.name),
            is_flaky: false,
            tests: is_counted.then(one_test),
            took_ms: 5,
            output_hash: String::new(),
            tail: String::new(),
        })
        .collect()
}

/// What the phase changes in all, of a candidate.
fn difference(state: &RunState, measurement: &Measurement) -> Option<Difference> {
    let work = state.phase(measurement.phase.as_ref()?)?.work.as_ref()?;
    let tree = Tree::read(&measurement.at);
    let is_changed = measurement.at != work.base && tree.flaws & tree::UNDONE == 0;
    let is_broken = measurement.at != work.base && tree.flaws & tree::BAD_JSON != 0;
    let bad_json = is_broken.then(|| "data/table.json".to_string()).into_iter().collect();
    let is_candidate = measurement.purpose == Purpose::Candidate;
    let is_shady = measurement.at != work.base && tree.flaws & tree::WEAKENED != 0;
    let is_refitted = measurement.at != work.base && tree.flaws & tree::REFITTED != 0;
    let weaker = "the test `adds` compares with nothing any more".to_string();
    let table = Expectation {
        file: "tests/table.json".to_string(),
        kind: ExpectationKind::Data,
        weaker: Some(weaker),
    };
    let known = state.project.iter().flat_map(|project| &project.checks);
    let is_untested = known.into_iter().all(|check| check.name != CheckName::Test);
    let brings = is_untested && measurement.at != work.base && tree.flaws & tree::TESTED != 0;
    let is_outside = measurement.at != work.base && tree.flaws & tree::STRAYED != 0;
    let doubts = is_shady.then(deleted_test).into_iter().collect();
    is_candidate.then_some(Difference {
        run_files: Vec::new(),
        files: u32::from(is_changed),
        bad_json,
        doubts,
        definitions: definitions::changed(measurement, work, &tree),
        outside: is_outside.then(|| "src/other.rs".to_string()).into_iter().collect(),
        expectations: is_refitted.then_some(table).into_iter().collect(),
        tests: is_refitted.then(|| "tests/table.json".to_string()).into_iter().collect(),
        brought: brings.then(first_tests).into_iter().collect(),
        sources: is_changed.then(|| "src/login.rs".to_string()).into_iter().collect(),
    })
}

fn one_test() -> TestCounts {
    TestCounts {
        runner: Runner::Pytest,
        passed: 1,
        failed: 0,
        skipped: 0,
        failed_names: Vec::new(),
    }
}

fn first_tests() -> CheckOrder {
    CheckOrder { name: CheckName::Test, command: "make test".to_string(), is_hidden: false }
}

fn deleted_test() -> Doubt {
    let (file, fact) = ("tests/login.rs".to_string(), "the test `refuses` is gone".to_string());
    Doubt { kind: DoubtKind::TestDeleted, file, line: None, fact, more: 0 }
}

/// The criteria of the phase that are green in a tree, as bits. A tree that no task of the phase has touched is as it was.
fn criteria_of(script: &impl Script, state: &RunState, phase: &PhaseId, tree: &Tree) -> u32 {
    if tree.phase == place(state, phase) {
        return tree.criteria;
    }
    let count = criteria_count(state, phase);
    (1..=count).filter(|number| script.holds_before(phase, *number)).map(tree::bit).sum()
}

fn criteria_count(state: &RunState, phase: &PhaseId) -> u32 {
    let criteria = state.phase(phase).map_or(0, |phase| phase.definition.criteria.len());
    u32::try_from(criteria).unwrap_or(u32::MAX)
}

/// The place of a phase in the schedule, from 1; 0 is the user's own work.
fn place(state: &RunState, phase: &PhaseId) -> u16 {
    let at = state.phases.iter().position(|known| &known.definition.id == phase);
    at.and_then(|at| u16::try_from(at + 1).ok()).unwrap_or_default()
}

fn agent(
    script: &impl Script,
    (state, now): (&RunState, Moment),
    attempt: AttemptId,
    order: &AgentOrder,
) -> Event {
    let effort = script.effort(order);
    let mut spend = spend(order);
    spend.input += effort.tokens;
    spend.usd_micros = Some(spend.input * 3);
    let is_over = spend.counted_tokens() > order.tokens_max
        || order.usd_micros_max.is_some_and(|max| spend.usd_micros > Some(max));
    // It tells what it spent at its end: the overshoot is one attempt's (BUD-1).
    let behaviour = match (is_over, script.behaviour(order)) {
        _ if effort.took_ms > order.time_max_ms => Behaviour::Fails(Failure::TimedOut),
        (true, _) => Behaviour::Fails(Failure::AllowanceUsed),
        (false, behaviour) => behaviour,
    };
    let work = AgentWork {
        took_ms: effort.took_ms.min(order.time_max_ms),
        spend,
        changed: changed(script, state, order, &behaviour),
        put_back: definitions::put_back(state, order, &behaviour),
        left_running: match behaviour {
            Behaviour::LeavesAServer => vec!["node server.js".to_string()],
            _ => Vec::new(),
        },
        ..AgentWork::default()
    };
    match behaviour {
        Behaviour::Fails(failure) => Event::StepFailed { attempt, work, failure },
        Behaviour::HitsLimit { for_ms } => {
            let resets_at = Some(now.0 + work.took_ms + for_ms);
            Event::StepFailed { attempt, work, failure: Failure::LimitReached { resets_at } }
        }
        behaviour => {
            let returned = returns::made(order, &behaviour, &about(state, order));
            Event::StepCompleted { attempt, work, returned }
        }
    }
}

/// What whoever returns may have read.
fn about(state: &RunState, order: &AgentOrder) -> About {
    let phase = state.phase(&order.phase);
    let criteria = phase.into_iter().flat_map(|phase| &phase.definition.criteria);
    let tasks =
        phase.and_then(|phase| phase.work.as_ref()).into_iter().flat_map(|work| &work.tasks);
    let mut checkpoints = tasks.filter(|task| !task.task.kind.is_agents());
    About {
        criteria: criteria.map(|criterion| criterion.text.clone()).collect(),
        checkpoint: checkpoints.next().map(|task| task.task.id.to_string()),
    }
}

/// Known from the order alone, so that a sum can be made without the core's.
pub fn spend(order: &AgentOrder) -> Spend {
    let input = 1_000 + 10 * u64::from(order.round) + order.phase.to_string().len() as u64;
    Spend {
        input,
        output: 100,
        cache_read: 5_000,
        cache_write: 200,
        usd_micros: Some(input * 3),
        is_estimate: false,
    }
}

fn changed(
    script: &impl Script,
    state: &RunState,
    order: &AgentOrder,
    behaviour: &Behaviour,
) -> Option<Changed> {
    let task = order.task.as_ref()?;
    let (reds, lines): (&[(CheckName, Red)], u64) = match behaviour {
        Behaviour::Leaves { reds, lines } => (reds, *lines),
        Behaviour::ChangesNothing | Behaviour::Fails(_) | Behaviour::HitsLimit { .. } => {
            return None;
        }
        _ => (&[], LINES),
    };
    let head = Tree::read(&order.head);
    let before = criteria_of(script, state, &order.phase, &head);
    let all = (1..=criteria_count(state, &order.phase)).map(tree::bit).sum();
    let is_debug = order.role == Role::Debug;
    let mut tree = Tree {
        phase: place(state, &order.phase),
        criteria: if is_debug || order.role == Role::Delegate {
            all
        } else {
            before | share(state, &order.phase, task)
        },
        reds: if is_debug { 0 } else { head.reds },
        task_reds: 0,
        flaws: flaws(state, order, behaviour),
        words: tree::mix(&[
            Tree::read(order.snapshot.as_ref().unwrap_or(&order.head)).words,
            u64::from(place(state, &order.phase)),
            tree::of_text(task.as_str()),
            u64::from(order.round),
        ]),
    };
    for (check, red) in reds {
        tree.leave(*check, *red);
    }
    Some(Changed { snapshot: tree.commit(), files: 1, lines, own_commits: 0 })
}

/// What is odd about the work: what this attempt adds, and what earlier ones of the phase left.
fn flaws(state: &RunState, order: &AgentOrder, behaviour: &Behaviour) -> u8 {
    const STAYS: u8 = tree::BAD_JSON
        | tree::WEAKENED
        | tree::REDEFINED
        | tree::REFITTED
        | tree::TESTED
        | tree::IDLE;
    let head = Tree::read(&order.head);
    let is_own = head.phase == place(state, &order.phase);
    let is_debug = order.role == Role::Debug;
    let is_mending = order.task.as_ref().is_some_and(|task| task.as_str().starts_with("rejected"));
    match behaviour {
        Behaviour::BreaksJson => tree::BAD_JSON,
        Behaviour::UndoesItself => tree::UNDONE,
        Behaviour::DeletesATest => tree::WEAKENED,
        Behaviour::RefitsTests => tree::REFITTED,
        Behaviour::BringsTests => tree::TESTED,
        Behaviour::BringsIdleTests => tree::TESTED | tree::IDLE,
        Behaviour::Strays => tree::STRAYED,
        Behaviour::ChangesSettings if definitions::are_listed(state, order) => tree::REDEFINED,
        _ if is_own && is_debug => head.flaws & tree::REDEFINED,
        _ if is_debug || is_mending => 0,
        _ if is_own => head.flaws & STAYS,
        _ => 0,
    }
}

/// The criteria a planned task sees to: every one has a task, and tasks beyond the criteria have none.
fn share(state: &RunState, phase: &PhaseId, task: &TaskId) -> u32 {
    let work = state.phase(phase).and_then(|phase| phase.work.as_ref());
    let Some(work) = work else { return 0 };
    let planned = work.tasks.iter().filter(|work| work.task.kind == TaskKind::Auto);
    let ids: Vec<&TaskId> = planned.map(|work| &work.task.id).collect();
    let Some(at) = ids.iter().position(|id| *id == task) else { return 0 };
    let count = criteria_count(state, phase) as usize;
    let own = (0..count).filter(|criterion| criterion % ids.len() == at);
    own.filter_map(|criterion| u32::try_from(criterion + 1).ok()).map(tree::bit).sum()
}

fn read_plan(
    script: &impl Script,
    state: &RunState,
    attempt: AttemptId,
    phase: &PhaseId,
) -> Vec<Event> {
    let work = state.phase(phase).and_then(|phase| phase.work.as_ref());
    let tries = work.map_or(0, |work| work.next_round(Role::Plan, None) - 1);
    let plan = script.plan(phase, tries);
    let file = |task: &TaskDefinition| PlanFile {
        path: task.plan.clone(),
        hash: String::new(),
        is_users: tries == 0,
        files: Vec::new(),
    };
    let mut plans: Vec<PlanFile> = plan.tasks.iter().map(file).collect();
    plans.dedup_by(|one, other| one.path == other.path);
    let tasks = plan.tasks.into_iter().map(|task| Event::TaskPlanned { attempt, task });
    let read = Event::PlanRead { attempt, plans, faults: plan.faults };
    tasks.chain([read]).collect()
}

fn commit(attempt: AttemptId, order: &CommitOrder) -> Event {
    let made = (order.snapshot != order.parent)
        .then(|| Tree::read(&order.snapshot).committed_on(&Tree::read(&order.parent)).commit());
    let (phase, task) = (order.phase.clone(), order.task.clone());
    Event::TaskCompleted { attempt, phase, task, commit: made }
}
