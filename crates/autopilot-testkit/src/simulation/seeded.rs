//! The world of a seed: its roadmap, its settings, and how everybody in it behaves. Behaviour depends on what is asked and on what
//! the work stands on, never on how often the question was asked before.

use std::collections::BTreeMap;

use autopilot_core::contract::Role;
use autopilot_core::contract::returns::{ConcernSeverity, Recommendation};
use autopilot_core::phase_id::PhaseId;
use autopilot_core::phase_type::PhaseType;
use autopilot_core::run::cost_cap::CostCap;
use autopilot_core::run::definition::{
    Depth, RunMode, RunSettings, Runner, TaskDefinition, TaskKind,
};
use autopilot_core::run::effect::{AgentOrder, Effect};
use autopilot_core::run::event::{Failure, PlanFault};
use autopilot_core::run::gate_definitions::CONFIG;
use autopilot_core::run::measured::CheckName;
use autopilot_core::score::Score;

use super::Disturbance;
use super::chance::Chance;
use crate::world::given::{self, CHECKS, Given, checked};
use crate::world::tree::{Tree, mix, of_text};
use crate::world::{Behaviour, Effort, Marks, Plan, Red, Script, Shady, Verified};

const PHASES_MAX: usize = 30;
/// How many of a thousand attempts go wrong in a world, from paradise to purgatory.
const TEMPERS: [u64; 6] = [0, 30, 80, 80, 200, 450];

pub struct Seeded {
    seed: u64,
    pub given: Given,
    pub disturbance: Disturbance,
    holding: BTreeMap<PhaseId, u32>,
    temper: u64,
    /// Executors say that everything was there already.
    is_lazy: bool,
    /// The effect the engine itself fails at, by its step and phase.
    breaks_at: Option<(&'static str, PhaseId)>,
}

impl Seeded {
    pub fn new(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let mut given = Given::default();
        settings(&mut given, &mut chance);
        // The smaller of two draws: long roadmaps are rarer, and half of all have eight phases or more.
        let count = 1 + chance.below(PHASES_MAX).min(chance.below(PHASES_MAX));
        let mut holding = BTreeMap::new();
        for number in 1..=count {
            let phase = phase(&given, number, &mut chance);
            let criteria = phase.criteria.len();
            let hold = match chance.below(12) {
                0 => criteria,
                1 => criteria.saturating_sub(1),
                2 => 1,
                _ => 0,
            };
            holding.insert(phase.id.clone(), u32::try_from(hold).unwrap_or_default());
            given.phases.push(phase);
        }
        // Some are asked for when the run is under way; the first phase is always there.
        given.later = if chance.one_in(6) { chance.below(count) } else { 0 };
        let disturbance = match chance.below(10) {
            0 => Disturbance::EveryOf(40),
            1 => Disturbance::EveryOf(150),
            _ => Disturbance::None,
        };
        let steps = ["merge", "preflight", "plan", "execute", "evidence"];
        let broken = (*chance.pick(&steps), given.phases[chance.below(count)].id.clone());
        Seeded {
            seed,
            disturbance,
            holding,
            temper: *chance.pick(&TEMPERS),
            is_lazy: chance.one_in(8),
            breaks_at: chance.one_in(40).then_some(broken),
            given,
        }
    }
}

fn settings(given: &mut Given, chance: &mut Chance) {
    let settings = &mut given.settings;
    let stand_ins = *chance.pick(&[0, 0, 1, 2]);
    given.fallback = ["second", "third"].into_iter().take(stand_ins).map(str::to_string).collect();
    given.mode = if chance.one_in(3) { RunMode::Selected } else { RunMode::Complete };
    given.is_in_place = chance.one_in(6);
    given.is_errand = chance.one_in(8);
    settings.depth = *chance.pick(&[Depth::Auto, Depth::Auto, Depth::Lean, Depth::Full]);
    settings.threshold = tenths(*chance.pick(&[90, 90, 90, 95, 70, 92]));
    settings.has_research = !chance.one_in(4);
    settings.remediation_cycles_max = *chance.pick(&[2, 2, 2, 3, 0]);
    settings.runner = if chance.one_in(5) { Runner::Delegate } else { Runner::Steps };
    bounds(settings, chance);
    settings.phase_time_min_ms = *chance.pick(&[0, 0, 4 * 3_600_000]);
    settings.verifier_time_min_ms = *chance.pick(&[0, 0, 120_000]);
    settings.allows_unproven = chance.one_in(3);
    settings.accepts_judged = chance.one_in(3);
    settings.accepts_red = chance.one_in(2);
    given.checks = match chance.below(8) {
        0 => Vec::new(),
        1 => vec![CheckName::Compile, CheckName::Lint],
        2 => vec![CheckName::Test],
        _ => CHECKS.to_vec(),
    };
    if chance.one_in(12) {
        given.reds = given.checks.iter().map(|check| (*check, Red::Red)).take(1).collect();
    }
}

/// Every agent spends some 1.3k tokens and up to 20 minutes; a phase has five to fifty agents. Most worlds have room enough, for
/// a cap that is used up hides what would have come after it.
fn bounds(settings: &mut RunSettings, chance: &mut Chance) {
    settings.retries_max = *chance.pick(&[10, 30, 100, 1_000, 1_000, 1_000, 1_000]);
    settings.phase_tokens_max = *chance.pick(&[500_000, 500_000, 500_000, 500_000, 30_000]);
    settings.run_tokens_max = *chance.pick(&[5_000_000, 5_000_000, 5_000_000, 60_000]);
    settings.no_progress_max = *chance.pick(&[3, 3, 2, 1]);
    settings.same_error_max = *chance.pick(&[5, 3, 2]);
    let hours = |count: u64| count * 3_600_000;
    settings.phase_time_max_ms = hours(*chance.pick(&[1_000, 1_000, 1_000, 1_000, 2]));
    settings.run_time_max_ms = hours(*chance.pick(&[5_000, 5_000, 5_000, 10]));
    // An agent costs a third of a cent and more.
    let usd_micros = *chance.pick(&[None, None, None, None, Some(120_000)]);
    settings.run_cost_max = usd_micros.map(|usd_micros| CostCap { usd_micros, is_typed: false });
}

fn phase(
    given: &Given,
    number: usize,
    chance: &mut Chance,
) -> autopilot_core::run::definition::PhaseDefinition {
    let (provable, judged) =
        *chance.pick(&[(1, 0), (1, 0), (2, 0), (6, 0), (3, 1), (0, 2), (0, 0)]);
    let id = PhaseId::number(u32::try_from(number).unwrap_or(u32::MAX));
    let mut phase = given::phase(id, "part", provable, judged);
    phase.has_plan = chance.one_in(4);
    phase.phase_type = *chance.pick(&[PhaseType::Mixed, PhaseType::Ui, PhaseType::Data]);
    for _ in 0..chance.below(3) {
        // Near ones: real dependencies rarely reach back over the whole project.
        let back = 1 + chance.below(4);
        if let Some(earlier) = number.checked_sub(1 + back).and_then(|at| given.phases.get(at))
            && !phase.depends_on.contains(&earlier.id)
        {
            phase.depends_on.push(earlier.id.clone());
        }
    }
    phase
}

fn tenths(tenths: u8) -> Score {
    Score::from_tenths(tenths).unwrap_or(Score::FULL)
}

impl Seeded {
    fn drawn(&self, order: &AgentOrder) -> u64 {
        let task = order.task.as_ref().map_or(0, |task| of_text(task.as_str()));
        let on = Tree::read(&order.head).words;
        mix(&[self.seed, on, order.role as u64, task, u64::from(order.round)])
    }
}

impl Script for Seeded {
    fn is_user_at_work(&self) -> bool {
        self.seed.is_multiple_of(5)
    }

    fn behaviour(&self, order: &AgentOrder) -> Behaviour {
        let mut chance = Chance::new(self.drawn(order));
        let is_bad = chance.draw() % 1_000 < self.temper;
        match (is_bad, order.role) {
            (true, _) if chance.one_in(4) => Behaviour::Fails(failure(&mut chance)),
            (true, _) if chance.one_in(20) => obstacle(&mut chance),
            (_, Role::Execute | Role::Delegate) if self.is_lazy => Behaviour::ChangesNothing,
            (true, Role::Execute | Role::Debug | Role::Delegate) => work(&mut chance),
            (true, role) if is_reviewer(role) && (self.is_lazy || chance.one_in(3)) => {
                Behaviour::Shady(shady(role, &mut chance))
            }
            (true, Role::PlanCheck) => Behaviour::ChecksPlan {
                confidence: tenths(*chance.pick(&[60, 69, 70, 95])),
                blockers: u32::from(chance.one_in(2)),
            },
            (true, Role::Verify) => Behaviour::Verifies(verified(&mut chance)),
            (true, Role::Judge | Role::JudgeDivergence) => judge(&mut chance),
            (true, Role::Review) => {
                Behaviour::Reviews { verified: verified(&mut chance), marks: marks(&mut chance) }
            }
            (true, Role::Rate) => Behaviour::Rates(marks(&mut chance)),
            // Good work is rated differently too; somebody strict asks for more now and then.
            (false, Role::Rate | Role::Review) if self.temper > 0 => Behaviour::Rates(Marks::one(
                tenths(*chance.pick(&[95, 96, 98, 92, 91, 99, 97, 88])),
            )),
            (true, Role::Research | Role::Plan) | (false, _) => Behaviour::Good,
        }
    }

    fn effort(&self, order: &AgentOrder) -> Effort {
        let mut chance = Chance::new(self.drawn(order) ^ 0xEFF);
        let tokens = if chance.one_in(40) { 10_000 } else { 0 };
        // Now and then somebody takes longer than the half hour an attempt has.
        let is_slow = chance.draw() % 4_000 < self.temper;
        let took_ms = if is_slow { 2_400_000 } else { chance.draw() % 1_200_000 };
        Effort { tokens, took_ms }
    }

    fn plan(&self, phase: &PhaseId, round: u32) -> Plan {
        let number = of_text(&phase.to_string());
        // A try that failed or was put off left what was there; which try that is does not matter to a random plan.
        let mut chance = Chance::new(mix(&[self.seed, number, u64::from(round), 5]));
        let is_bad = chance.draw() % 1_000 < self.temper;
        if is_bad && chance.one_in(4) {
            return Plan::default();
        }
        let fault = PlanFault { is_blocker: chance.one_in(2), message: "a stub".to_string() };
        let faults = if is_bad { vec![fault] } else { Vec::new() };
        let count = *chance.pick(&[1, 1, 1, 2, 2, 3, 4, 6]);
        let mut tasks: Vec<TaskDefinition> = Vec::new();
        for number in 1..=count {
            // Now and then a plan has a task that is called as the engine calls its own.
            let word = *chance.pick(&["task", "task", "task", "task", "debug", "remediation"]);
            let mut task = given::task(checked(&format!("{word}-{number}")));
            task.is_complex = chance.one_in(8);
            task.is_tdd = chance.one_in(8);
            task.kind = *chance.pick(&KINDS);
            if chance.one_in(4) {
                task.checks.clear();
            }
            if chance.one_in(10) {
                task.files.push(CONFIG.to_string());
            }
            if number > 1 && chance.one_in(3) {
                task.after_plans = vec![tasks[chance.below(number - 1)].plan.clone()];
            }
            tasks.push(task);
        }
        Plan { tasks, faults }
    }

    fn holds_before(&self, phase: &PhaseId, criterion: u32) -> bool {
        self.holding.get(phase).is_some_and(|count| criterion <= *count)
    }

    fn engine_fails(&self, effect: &Effect) -> Option<String> {
        let (step, phase) = self.breaks_at.as_ref()?;
        let is_it = effect.step() == *step && effect.phase() == Some(phase);
        is_it.then(|| "the disk is full".to_string())
    }
}

/// Decisions of a person are rare: a phase with one ends there. What somebody may have to look at is left to the verifier.
const KINDS: [TaskKind; 24] = {
    let mut kinds = [TaskKind::Auto; 24];
    kinds[0] = TaskKind::HumanVerify;
    kinds[1] = TaskKind::HumanVerify;
    kinds[2] = TaskKind::HumanVerify;
    kinds[3] = TaskKind::Decision;
    kinds
};

fn failure(chance: &mut Chance) -> Failure {
    match chance.below(11) {
        8 => Failure::LimitReached { resets_at: None },
        9 => Failure::Overloaded { unreachable: String::new() },
        10 => Failure::NotLoggedIn { said: String::new() },
        0 | 1 => Failure::ContractBroken { breaches: vec!["no `evidence`".to_string()] },
        2 => Failure::Crashed { said: "signal 11".to_string() },
        3 => Failure::TimedOut,
        4 => Failure::Stalled,
        5 => Failure::Refused { why: "no".to_string() },
        6 => Failure::TooMuchOutput,
        _ => Failure::Asked { questions: vec!["which?".to_string()] },
    }
}

/// Resets from a minute to eight hours away, which is too long to wait for.
fn obstacle(chance: &mut Chance) -> Behaviour {
    match chance.below(8) {
        0 => Behaviour::Fails(Failure::NotLoggedIn { said: String::new() }),
        1 => Behaviour::Fails(Failure::LimitReached { resets_at: None }),
        2 | 3 => Behaviour::Fails(Failure::Overloaded { unreachable: String::new() }),
        _ => Behaviour::HitsLimit { for_ms: 60_000 * (1 + chance.draw() % 480) },
    }
}

fn work(chance: &mut Chance) -> Behaviour {
    if chance.one_in(6) {
        return Behaviour::ChangesNothing;
    }
    if chance.one_in(6) {
        return chance.pick(&ODD).clone();
    }
    let checks = [
        CheckName::Compile,
        CheckName::Lint,
        CheckName::Test,
        CheckName::Test,
        CheckName::Build,
        CheckName::Criterion(1),
        CheckName::Criterion(2),
        CheckName::Task(1),
    ];
    let red = *chance.pick(&[Red::Red, Red::Red, Red::Red, Red::TimedOut, Red::NotRun]);
    let reds = (0..=chance.below(2)).map(|_| (*chance.pick(&checks), red)).collect();
    Behaviour::Leaves { reds, lines: 20 + chance.below(40) as u64 }
}

fn is_reviewer(role: Role) -> bool {
    matches!(role, Role::Verify | Role::Judge | Role::JudgeDivergence | Role::Rate | Role::Review)
}

/// What does not fit the role is as good as nothing.
fn shady(role: Role, chance: &mut Chance) -> Shady {
    match role {
        Role::Verify | Role::Review => *chance.pick(&[
            Shady::ShowsNothing,
            Shady::NamesGhost,
            Shady::DefersVaguely,
            Shady::DefersGenerically,
            Shady::DefersGenerically,
        ]),
        Role::Judge => {
            *chance.pick(&[Shady::ShowsNothing, Shady::QuotesVerifier, Shady::NamesGhost])
        }
        Role::JudgeDivergence => *chance.pick(&[Shady::ShowsNothing, Shady::AnalysesNothing]),
        _ => Shady::QuotesVerifier,
    }
}

fn verified(chance: &mut Chance) -> Verified {
    *chance.pick(&[Verified::Holds, Verified::NamesFailure, Verified::Fails, Verified::NeedsPerson])
}

fn judge(chance: &mut Chance) -> Behaviour {
    let recommendation = match chance.below(16) {
        0 => Recommendation::Rollback,
        1 => Recommendation::Halt,
        2..=6 => Recommendation::Debug,
        _ => Recommendation::Proceed,
    };
    let concerns = [
        None,
        Some(ConcernSeverity::Minor),
        Some(ConcernSeverity::Major),
        Some(ConcernSeverity::Critical),
    ];
    Behaviour::Judges { recommendation, concern: *chance.pick(&concerns) }
}

fn marks(chance: &mut Chance) -> Marks {
    let count = *chance.pick(&[1, 1, 2, 3, 0]);
    let low = *chance.pick(&[30, 60, 70, 80, 80, 85]);
    let scores = (0..count).map(|_| tenths(low + chance.below(15) as u8)).collect();
    Marks { scores, gives_reasons: !chance.one_in(5) }
}

/// What an executor may leave beside red checks.
const ODD: [Behaviour; 11] = [
    Behaviour::NamesGhostCommit,
    Behaviour::Strays,
    Behaviour::LeavesAServer,
    Behaviour::BreaksJson,
    Behaviour::UndoesItself,
    Behaviour::DeletesATest,
    Behaviour::RefitsTests,
    Behaviour::BringsTests,
    Behaviour::BringsIdleTests,
    Behaviour::ChangesSettings,
    Behaviour::TicksRoadmap,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roadmaps_have_one_to_thirty_phases_and_half_of_them_eight_or_more() {
        let mut counts: Vec<usize> =
            (0..2_000).map(|seed| Seeded::new(seed).given.phases.len()).collect();
        counts.sort_unstable();
        assert_eq!((counts[0], counts[counts.len() - 1]), (1, PHASES_MAX));
        assert!(counts[counts.len() / 2] >= 8, "{}", counts[counts.len() / 2]);
    }

    #[test]
    fn a_seed_tells_the_same_story_every_time() {
        assert_eq!(super::super::account(7), super::super::account(7));
        assert_ne!(super::super::account(7), super::super::account(8));
    }
}
