//! A performer that answers every effect at once, with events of the size real ones have. Counts what every step costs, and apart
//! from that what is done once a second while an agent works.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use autopilot_agents::activity::Activity;
use autopilot_core::contract::{self, Returned, Role};
use autopilot_core::run::checks::Difference;
use autopilot_core::run::checks::places::{CommitSeen, Seen};
use autopilot_core::run::definition::CheckOrder;
use autopilot_core::run::effect::{Access, AgentOrder, Effect, Measurement, Purpose};
use autopilot_core::run::event::{AgentWork, Changed, Event, PlanFile, ProcessGroup, Spend};
use autopilot_core::run::ids::{AttemptId, Commit, TaskId};
use autopilot_core::run::measured::{CheckResult, Measured};
use autopilot_core::run::state::InFlight;
use autopilot_engine::drive::{Host, Ordered, Perform};
use autopilot_testkit::world::given;

use crate::answers;
use crate::spent::processor_ns;

/// Tasks of a phase. With nine of them a phase has about a hundred events.
pub(crate) const TASKS: u32 = 9;

pub(crate) struct Instant {
    returned: BTreeMap<Role, Returned>,
    commits: u64,
    /// When the step under way began, in time on the processor.
    began_ns: Option<u64>,
    /// What ticks took of it.
    ticked_ns: u64,
    /// What autopilot spent on each step, ticks left out.
    pub(crate) steps_ns: Vec<u64>,
    /// The longest tick: one in which state.json was written.
    pub(crate) tick_ns: u64,
}

impl Instant {
    pub(crate) fn new() -> Result<Instant> {
        let mut returned = BTreeMap::new();
        for role in Role::ALL {
            match contract::read(role, answers::text(role)) {
                Ok(read) => returned.insert(role, read.returned),
                Err(broken) => bail!("{role:?}: {broken:?}"),
            };
        }
        Ok(Instant {
            returned,
            commits: 0,
            began_ns: None,
            ticked_ns: 0,
            steps_ns: Vec::new(),
            tick_ns: 0,
        })
    }

    fn commit(&mut self) -> Commit {
        self.commits += 1;
        checked(&format!("{:040x}", self.commits))
    }

    fn answer(&mut self, order: &Ordered, host: &mut dyn Host) -> Vec<Event> {
        let attempt = order.attempt;
        match &order.effect {
            Effect::OpenRun { base } => {
                let branch = "autopilot/run-1".to_string();
                vec![Event::RunOpened { attempt, branch, commit: base.clone(), planning_files: 0 }]
            }
            Effect::OpenPhase { phase, .. } => {
                vec![Event::PhaseOpened {
                    attempt,
                    branch: format!("autopilot/run-1/phase-{phase}"),
                }]
            }
            Effect::Measure(measurement) => {
                let difference = (measurement.purpose == Purpose::Candidate)
                    .then(|| Difference { files: 1, ..Difference::default() });
                let measured = measured(measurement);
                vec![Event::EvidenceMeasured { attempt, measured, difference }]
            }
            Effect::RunAgent(agent) => vec![self.run(attempt, agent, host)],
            Effect::ReadPlan { .. } => read_plan(attempt),
            Effect::LookUp(order) => {
                vec![Event::PlacesLookedUp {
                    attempt,
                    seen: vec![Seen::There; order.places.len()],
                    facts: Vec::new(),
                    commits: vec![CommitSeen::Known; order.commits.len()],
                }]
            }
            Effect::WriteDiagnostic { phase, score } => {
                let path = format!("phase-{phase}-confidence.md");
                vec![Event::ConfidenceDiagnosticWritten { attempt, score: *score, path }]
            }
            Effect::CommitTask(order) => {
                let (phase, task) = (order.phase.clone(), order.task.clone());
                vec![Event::TaskCompleted { attempt, phase, task, commit: Some(self.commit()) }]
            }
            Effect::RollBack { .. } => vec![Event::RolledBack { attempt, rescue: None }],
            Effect::ClosePhase { .. } => {
                vec![Event::PhaseMerged { attempt, commit: self.commit(), receipt: None }]
            }
            Effect::MergeRun(order) => {
                let (branch, commit) = (order.branch.clone(), order.to.clone());
                vec![Event::RunMerged { attempt, branch, commit }]
            }
            Effect::TakeBack(_) => {
                let what = "nothing is taken back here".to_string();
                vec![Event::EffectFailed { attempt, what }]
            }
            Effect::Report => {
                let path = "completion.md".to_string();
                vec![Event::ReportWritten { attempt, path, trend: None }]
            }
        }
    }

    fn run(&mut self, attempt: AttemptId, order: &AgentOrder, host: &mut dyn Host) -> Event {
        let boot_id = Some("0f3a1c58-7a52-4b0e-9d47-1f6f2f3f4a5b".to_string());
        let id = attempt.0.cast_signed();
        if let Err(error) = host.spawned(ProcessGroup { id, start_ticks: Some(1), boot_id }) {
            return Event::EffectFailed { attempt, what: error.to_string() };
        }
        let before_ns = processor_ns();
        host.tick(Some(&Activity::Said("at work".to_string())));
        self.ticked_ns = processor_ns() - before_ns;
        self.tick_ns = self.tick_ns.max(self.ticked_ns);
        let changed = (order.access == Access::Writable).then(|| Changed {
            snapshot: self.commit(),
            files: 2,
            lines: 40,
            own_commits: 0,
        });
        let spend = Spend { input: 900, output: 100, usd_micros: Some(2_700), ..Spend::default() };
        let work = AgentWork { took_ms: 1, spend, changed, ..AgentWork::default() };
        match self.returned.get(&order.role) {
            Some(returned) => Event::StepCompleted { attempt, work, returned: returned.clone() },
            None => Event::EffectFailed { attempt, what: format!("no answer of {:?}", order.role) },
        }
    }
}

impl Perform for Instant {
    fn perform(&mut self, order: &Ordered, host: &mut dyn Host) -> Vec<Event> {
        let now_ns = processor_ns();
        if let Some(began_ns) = self.began_ns {
            self.steps_ns.push((now_ns - began_ns).saturating_sub(self.ticked_ns));
        }
        (self.began_ns, self.ticked_ns) = (Some(now_ns), 0);
        self.answer(order, host)
    }

    fn recover(&mut self, _lost: &InFlight) -> Option<Spend> {
        None
    }
}

/// Criteria are red before the work; the rest is green.
fn measured(measurement: &Measurement) -> Vec<Measured> {
    let is_before = measurement.purpose == Purpose::Triage;
    let result = if is_before { CheckResult::Red { exit: Some(1) } } else { CheckResult::Green };
    let tail = if is_before { "the part is not there\n" } else { "41 passed\n" };
    let see = |order: &CheckOrder| Measured {
        check: order.name,
        command: order.command.clone(),
        result,
        is_flaky: false,
        tests: None,
        took_ms: 5,
        output_hash: "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8".to_string(),
        tail: tail.to_string(),
    };
    measurement.checks.iter().map(see).collect()
}

fn read_plan(attempt: AttemptId) -> Vec<Event> {
    let task = |number: u32| {
        let mut task = given::task(checked::<TaskId>(&format!("01-T{number}")));
        task.plan = "01-PLAN.md".to_string();
        task.files = vec!["lib/part".to_string(), "tests/part.sh".to_string()];
        Event::TaskPlanned { attempt, task }
    };
    let file = PlanFile {
        path: "01-PLAN.md".to_string(),
        hash: String::new(),
        is_users: false,
        files: Vec::new(),
    };
    let read = Event::PlanRead { attempt, plans: vec![file], faults: Vec::new() };
    (1..=TASKS).map(task).chain([read]).collect()
}

/// For words this crate wrote itself.
fn checked<T: std::str::FromStr>(text: &str) -> T {
    match text.parse() {
        Ok(value) => value,
        Err(_) => unreachable!("{text:?} is well formed"),
    }
}
