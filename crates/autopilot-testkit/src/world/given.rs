//! What a made-up run starts from: its definition, its project, its phases, as the events that open it.

use autopilot_core::contract::Role;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::phase_type::PhaseType;
use autopilot_core::run::addition::Addition;
use autopilot_core::run::agent_definition::StandIn;
use autopilot_core::run::definition::{
    AgentDefinition, CheckOrder, CriterionDefinition, Depth, PhaseDefinition, ProjectDefinition,
    RunDefinition, RunMode, RunSettings, Runner, SettledBefore, TaskDefinition, TaskKind,
};
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::{RunId, TaskId};
use autopilot_core::run::measured::CheckName;
use autopilot_core::score::Score;

use super::behaviour::Red;
use super::tree::Tree;

/// The checks of a project, in the order they run.
pub const CHECKS: [CheckName; 4] =
    [CheckName::Compile, CheckName::Lint, CheckName::Test, CheckName::Build];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub mode: RunMode,
    pub is_in_place: bool,
    /// Its one phase was asked for by word.
    pub is_errand: bool,
    pub settings: RunSettings,
    pub checks: Vec<CheckName>,
    /// What is not green before the run.
    pub reds: Vec<(CheckName, Red)>,
    /// In the order they are to run.
    pub phases: Vec<PhaseDefinition>,
    /// How many of them, from the last, are no part of the run until somebody adds them.
    pub later: usize,
    /// Agents that go on where the first cannot.
    pub fallback: Vec<String>,
}

impl Default for Given {
    fn default() -> Self {
        Given {
            mode: RunMode::Selected,
            is_in_place: false,
            is_errand: false,
            settings: settings(),
            checks: CHECKS.to_vec(),
            reds: Vec::new(),
            phases: Vec::new(),
            later: 0,
            fallback: Vec::new(),
        }
    }
}

fn stand_in(name: &str) -> StandIn {
    StandIn { name: name.to_string(), version: "1".to_string(), model: None, paid: None }
}

impl Given {
    /// Those the run begins with, and those that are added to it.
    fn parts(&self) -> (&[PhaseDefinition], &[PhaseDefinition]) {
        self.phases.split_at(self.phases.len().saturating_sub(self.later))
    }

    /// The wish for those that come later.
    pub fn addition(&self) -> Addition {
        Addition {
            run: checked::<RunId>("run-1"),
            command: "autopilot add".to_string(),
            phases: self.parts().1.to_vec(),
        }
    }

    /// The events a run begins with, before anything is decided.
    pub fn opening(&self) -> Vec<Event> {
        let definition = RunDefinition {
            run: checked::<RunId>("run-1"),
            version: "0.1.0".to_string(),
            command: "autopilot run all".to_string(),
            mode: self.mode,
            settings: self.settings.clone(),
            base: Tree::base(&self.reds).commit(),
            user_branch: Some("main".to_string()),
            is_in_place: self.is_in_place,
            errand: self.is_errand.then(|| "make it so".to_string()),
            agent: AgentDefinition {
                name: "scripted".into(),
                version: "1".into(),
                fallback: self.fallback.iter().map(|name| stand_in(name)).collect(),
                ..AgentDefinition::default()
            },
            fencing: None,
        };
        let order = |name: &CheckName| CheckOrder {
            name: *name,
            command: format!("make {name}"),
            is_hidden: false,
        };
        let project = ProjectDefinition {
            name: "made up".to_string(),
            roadmap: ".planning/ROADMAP.md".to_string(),
            spec: None,
            settled: SettledBefore::default(),
            definitions: Vec::new(),
            checks: self.checks.iter().map(order).collect(),
        };
        let mut events = vec![Event::RunStarted { definition }, Event::ProjectRead { project }];
        let (first, _) = self.parts();
        let last = first.len();
        let phases = (1..).zip(first);
        events.extend(phases.map(|(number, phase)| Event::PhaseRead {
            phase: phase.clone(),
            is_last: number == last,
        }));
        events
    }
}

/// As a user has them who set nothing.
pub fn settings() -> RunSettings {
    RunSettings {
        threshold: Score::from_tenths(90).unwrap_or(Score::FULL),
        depth: Depth::Auto,
        runner: Runner::Steps,
        has_research: true,
        remediation_cycles_max: 2,
        debug_attempts_max: 3,
        replan_attempts_max: 1,
        phase_tokens_max: 500_000,
        run_tokens_max: 5_000_000,
        has_own_tokens_max: false,
        run_cost_max: None,
        phase_time_max_ms: 120 * 60_000,
        run_time_max_ms: 1_440 * 60_000,
        retries_max: 10,
        no_progress_max: 3,
        same_error_max: 5,
        cooldown_ms: 5 * 60_000,
        step_time_max_ms: 1_800_000,
        check_time_max_ms: 600_000,
        stall_time_max_ms: 0,
        // Everybody works in a second here; a scenario about time says so.
        phase_time_min_ms: 0,
        verifier_time_min_ms: 0,
        allows_unproven: false,
        accepts_red: false,
        accepts_judged: false,
    }
}

/// A phase with that many criteria that a command proves, and that many somebody has to judge.
pub fn phase(id: PhaseId, name: &str, provable: u32, judged: u32) -> PhaseDefinition {
    let folder = format!(".planning/phases/{id}-{name}");
    let criterion = |number: u32| CriterionDefinition {
        text: format!("{name} does what it should, part {number}"),
        command: (number <= provable).then(|| format!("make {name}-{number}")),
        is_hidden: false,
        is_adopted: false,
    };
    PhaseDefinition {
        id,
        name: name.to_string(),
        goal: String::new(),
        phase_type: PhaseType::Mixed,
        depends_on: Vec::new(),
        requirements: Vec::new(),
        criteria: (1..=provable + judged).map(criterion).collect(),
        folder,
        has_plan: false,
        plans: Vec::new(),
        estimate_tokens: 0,
        estimate_runs: 0,
    }
}

/// A simple task in a plan of its own, with one check of its own.
pub fn task(id: TaskId) -> TaskDefinition {
    TaskDefinition {
        name: format!("make the {id}"),
        kind: TaskKind::Auto,
        plan: format!("{id}-PLAN.md"),
        after_plans: Vec::new(),
        is_complex: false,
        is_tdd: false,
        files: Vec::new(),
        checks: vec![format!("make {id}-check")],
        id,
    }
}

/// For words this crate wrote itself.
pub(crate) fn checked<T: std::str::FromStr>(text: &str) -> T {
    match text.parse() {
        Ok(value) => value,
        Err(_) => unreachable!("{text:?} is well formed"),
    }
}

/// What people call whoever plays a role.
pub const ROLES: [(&str, Role); 11] = [
    ("researcher", Role::Research),
    ("planner", Role::Plan),
    ("plan checker", Role::PlanCheck),
    ("executor", Role::Execute),
    ("verifier", Role::Verify),
    ("judge", Role::Judge),
    ("second judge", Role::JudgeDivergence),
    ("rater", Role::Rate),
    ("reviewer", Role::Review),
    ("debugger", Role::Debug),
    ("delegate", Role::Delegate),
];

pub fn role_word(role: Role) -> &'static str {
    let known = ROLES.into_iter().find(|(_, known)| *known == role);
    known.map_or("agent", |(word, _)| word)
}
