//! The script of a scenario: what its lines say about who behaves how, looked up by phase, role and round. Whoever is not mentioned
//! behaves well.

use std::collections::BTreeMap;

use autopilot_core::contract::Role;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::definition::{PhaseDefinition, TaskDefinition};
use autopilot_core::run::effect::{AgentOrder, Effect};
use autopilot_core::run::event::PlanFault;

use super::account;
use super::expectation::Pattern;
use crate::world::given::{self, Given, checked};
use crate::world::{Behaviour, Effort, Plan, Script};

#[derive(Debug, Clone, Default)]
pub struct Scripted {
    pub given: Given,
    /// The first plan of a phase; where nothing is said it has one task, named like the phase.
    pub(super) plans: BTreeMap<PhaseId, Vec<TaskDefinition>>,
    /// Every plan after the first.
    pub(super) new_plans: BTreeMap<PhaseId, Vec<TaskDefinition>>,
    /// What is wrong with the plans of a phase, one after the other.
    pub(super) flaws: BTreeMap<PhaseId, Vec<Flaw>>,
    /// How many criteria hold before any work.
    pub(super) holding: BTreeMap<PhaseId, u32>,
    /// One entry a round.
    pub(super) behaviours: BTreeMap<Who, Vec<Behaviour>>,
    /// Tokens of each round beyond the usual, and its milliseconds.
    pub(super) spends: BTreeMap<Who, Vec<u64>>,
    pub(super) takes: BTreeMap<Who, Vec<u64>>,
    pub(super) engine_fails: Vec<Pattern>,
    /// Files are changed and not committed.
    pub(super) is_user_at_work: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Who {
    pub(super) phase: PhaseId,
    pub(super) role: Role,
    /// None for whoever plays the role in any task.
    pub(super) task: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    Stub,
    Empty,
}

impl Scripted {
    pub(super) fn knows(&self, id: &PhaseId) -> bool {
        self.given.phases.iter().any(|phase| &phase.id == id)
    }

    fn phase(&self, id: &PhaseId) -> Option<&PhaseDefinition> {
        self.given.phases.iter().find(|phase| &phase.id == id)
    }

    fn queue(&self, phase: &PhaseId, role: Role, task: Option<&str>) -> &[Behaviour] {
        rounds(&self.behaviours, phase, role, task)
    }
}

/// What was said about each round of whoever plays a role, in this task or in any.
fn rounds<'a, T>(
    said: &'a BTreeMap<Who, Vec<T>>,
    phase: &PhaseId,
    role: Role,
    task: Option<&str>,
) -> &'a [T] {
    let of = |role: Role, task: Option<&str>| {
        let who = Who { phase: phase.clone(), role, task: task.map(str::to_string) };
        said.get(&who).map(Vec::as_slice)
    };
    // Whoever reviews also rates: one word for both.
    let asked = if role == Role::Review { Role::Rate } else { role };
    of(asked, task).or_else(|| of(asked, None)).unwrap_or_default()
}

/// Whether a judge said something that its second look could repeat.
fn is_word(behaviour: &Behaviour) -> bool {
    !matches!(behaviour, Behaviour::Fails(_) | Behaviour::Shady(_))
}

fn at(queue: &[Behaviour], round: u32) -> Behaviour {
    let index = round.saturating_sub(1) as usize;
    queue.get(index).cloned().unwrap_or(Behaviour::Good)
}

impl Script for Scripted {
    fn is_user_at_work(&self) -> bool {
        self.is_user_at_work
    }

    fn behaviour(&self, order: &AgentOrder) -> Behaviour {
        let task = order.task.as_ref().map(|task| task.as_str());
        let queue = self.queue(&order.phase, order.role, task);
        if order.role == Role::JudgeDivergence && queue.is_empty() {
            // The judge stays with its own word unless somebody says otherwise.
            let first = self.queue(&order.phase, Role::Judge, None).iter();
            let words: Vec<Behaviour> = first.filter(|said| is_word(said)).cloned().collect();
            return at(&words, order.round);
        }
        at(queue, order.round)
    }

    fn effort(&self, order: &AgentOrder) -> Effort {
        let task = order.task.as_ref().map(|task| task.as_str());
        let of = |said: &BTreeMap<Who, Vec<u64>>| {
            let rounds = rounds(said, &order.phase, order.role, task);
            rounds.get(order.round.saturating_sub(1) as usize).copied()
        };
        let usual = Effort::default();
        Effort {
            tokens: of(&self.spends).unwrap_or(usual.tokens),
            took_ms: of(&self.takes).unwrap_or(usual.took_ms),
        }
    }

    fn plan(&self, phase: &PhaseId, round: u32) -> Plan {
        let Some(definition) = self.phase(phase) else { return Plan::default() };
        let tries = self.queue(phase, Role::Plan, None);
        let is_written = |round: &u32| {
            !matches!(at(tries, *round), Behaviour::Fails(_) | Behaviour::HitsLimit { .. })
        };
        let written = (1..=round).filter(is_written).count();
        // The user's own plan is the first one where there is one.
        let nth = if definition.has_plan { written } else { written.saturating_sub(1) };
        let usual = || vec![given::task(checked(&definition.name))];
        let first = self.plans.get(phase).cloned().unwrap_or_else(usual);
        let tasks = match self.new_plans.get(phase) {
            Some(new) if nth > 0 => new.clone(),
            _ => first,
        };
        let flaws = self.flaws.get(phase).map(Vec::as_slice).unwrap_or_default();
        let stub = PlanFault { is_blocker: true, message: "an action is a stub".to_string() };
        match flaws.get(nth).copied().unwrap_or(Flaw::None) {
            Flaw::None => Plan { tasks, faults: Vec::new() },
            Flaw::Stub => Plan { tasks, faults: vec![stub] },
            Flaw::Empty => Plan::default(),
        }
    }

    fn holds_before(&self, phase: &PhaseId, criterion: u32) -> bool {
        self.holding.get(phase).is_some_and(|count| criterion <= *count)
    }

    fn engine_fails(&self, effect: &Effect) -> Option<String> {
        let sentence = account::started(effect);
        let fails = self.engine_fails.iter().any(|pattern| pattern.fits(&sentence));
        fails.then(|| "the disk is full".to_string())
    }
}
