//! A run for tests of what is made of runs: three phases with `--complete`, of which the first stays red and is given up, the second
//! is blocked by it, and the third passes at 8.4. Everything in it is made up and the same each time.

use serde_json::{Value, json};

use crate::contract::{self, Role};
use crate::phase_id::PhaseId;
use crate::phase_type::PhaseType;
use crate::run::checks::places::{CommitSeen, Seen};
use crate::run::definition::{
    AgentDefinition, CheckOrder, CriterionDefinition, Depth, PhaseDefinition, ProjectDefinition,
    RunDefinition, RunMode, RunSettings, Runner, SettledBefore, TaskDefinition, TaskKind,
};
use crate::run::effect::{AgentOrder, Effect, Measurement, Purpose};
use crate::run::event::{AgentWork, Event, PlanFile, Spend};
use crate::run::files::phase_files::{self, PhaseFile};
use crate::run::files::trace::Trail;
use crate::run::ids::{AttemptId, Commit, Moment};
use crate::run::measured::{CheckName, CheckResult, Measured};
use crate::run::state::RunState;
use crate::run::{Move, apply, next};
use crate::score::Score;

/// 2026-01-02T03:04:05Z.
const START: Moment = Moment(1_767_323_045_000);
/// More events than the story has.
const EVENTS_MAX: usize = 400;

pub(super) struct Story {
    pub state: RunState,
    /// Every file that was to be written, in order.
    pub files: Vec<PhaseFile>,
    pub events: Vec<(Event, Moment)>,
    /// The trail after the event that ended each phase.
    pub trails: Vec<Trail>,
}

impl Story {
    /// The last text that was written under this name.
    pub(super) fn file(&self, path: &str) -> &str {
        let found = self.files.iter().rev().find(|file| file.path == path);
        found.map(|file| file.text.as_str()).unwrap_or_else(|| panic!("{path} was not written"))
    }
}

pub(super) fn told() -> Story {
    let mut teller = Teller { now: START, ..Teller::default() };
    for event in opening() {
        teller.tell(event);
    }
    while teller.events.len() < EVENTS_MAX {
        match next(teller.state.as_ref().unwrap(), teller.now) {
            Move::Record(event) => teller.tell(event),
            Move::Start(effect) => teller.perform(effect),
            Move::Wait { .. } | Move::Done => {
                let Teller { state, files, events, trails, .. } = teller;
                return Story { state: state.unwrap(), files, events, trails };
            }
        }
    }
    panic!("the story does not end");
}

#[derive(Default)]
struct Teller {
    now: Moment,
    state: Option<RunState>,
    trail: Trail,
    files: Vec<PhaseFile>,
    events: Vec<(Event, Moment)>,
    trails: Vec<Trail>,
}

impl Teller {
    fn tell(&mut self, event: Event) {
        let before = self.state.clone();
        self.trail.add(before.as_ref(), &event, self.now);
        if let Some(before) = &before {
            let files = phase_files::of_phase(before, &self.trail, &event, self.now);
            self.files.extend(files);
        }
        let after = apply(self.state.take(), &event, self.now).unwrap();
        self.files.extend(phase_files::of_run(&after, &event));
        if matches!(event, Event::PhaseFailed { .. } | Event::PhaseCompleted { .. }) {
            self.trails.push(self.trail.clone());
        }
        self.state = Some(after);
        self.events.push((event, self.now));
    }

    fn perform(&mut self, effect: Effect) {
        let attempt = AttemptId(self.state.as_ref().unwrap().attempts + 1);
        self.tell(Event::StepStarted { attempt, effect: effect.clone() });
        for event in answer(attempt, &effect) {
            self.now = Moment(self.now.0 + 61_000);
            self.tell(event);
        }
    }
}

fn commit(number: u32) -> Commit {
    format!("{number:08x}{:032}", 0).parse().unwrap()
}

fn answer(attempt: AttemptId, effect: &Effect) -> Vec<Event> {
    let branch = "autopilot/run-1".to_string();
    let end = match effect {
        Effect::OpenRun { base } => {
            Event::RunOpened { attempt, branch, commit: base.clone(), planning_files: 0 }
        }
        Effect::OpenPhase { .. } => Event::PhaseOpened { attempt, branch },
        Effect::Measure(order) => {
            Event::EvidenceMeasured { attempt, measured: measured(order), difference: None }
        }
        Effect::RunAgent(order) => ran(attempt, order),
        Effect::LookUp(order) => Event::PlacesLookedUp {
            attempt,
            seen: vec![Seen::There; order.places.len()],
            facts: Vec::new(),
            commits: vec![CommitSeen::Known; order.commits.len()],
        },
        Effect::ReadPlan { phase } => {
            let path = "01-01-PLAN.md".to_string();
            let plans =
                vec![PlanFile { path, hash: String::new(), is_users: true, files: Vec::new() }];
            let read = Event::PlanRead { attempt, plans, faults: Vec::new() };
            return vec![Event::TaskPlanned { attempt, task: task(phase) }, read];
        }
        Effect::CommitTask(order) => Event::TaskCompleted {
            attempt,
            phase: order.phase.clone(),
            task: order.task.clone(),
            commit: Some(commit(1_000 + attempt.0)),
        },
        Effect::RollBack { .. } => Event::RolledBack { attempt, rescue: None },
        Effect::ClosePhase { .. } => {
            Event::PhaseMerged { attempt, commit: commit(2_000 + attempt.0), receipt: None }
        }
        Effect::WriteDiagnostic { score, .. } => {
            let path = ".autopilot/diagnostics/phase-3-confidence.md".to_string();
            Event::ConfidenceDiagnosticWritten { attempt, score: *score, path }
        }
        Effect::MergeRun(order) => {
            Event::RunMerged { attempt, branch: order.branch.clone(), commit: order.to.clone() }
        }
        Effect::TakeBack(order) => Event::RollbackCompleted {
            attempt,
            phases: order.phases.iter().map(|one| one.phase.clone()).collect(),
            branch: order.branch.clone(),
            commit: commit(3_000 + attempt.0),
            rescue: "refs/autopilot/run-1/rescue/rollback".to_string(),
        },
        Effect::Report => {
            Event::ReportWritten { attempt, path: "completion.md".to_string(), trend: None }
        }
    };
    vec![end]
}

/// The first phase never gets its candidate green; one of its two red checks is mended by the first repair.
fn measured(order: &Measurement) -> Vec<Measured> {
    let is_first = order.phase.as_ref() == Some(&PhaseId::number(1));
    let is_candidate = order.purpose == Purpose::Candidate;
    let is_triage = order.purpose == Purpose::Triage;
    let is_repaired = order.at != commit(1_000 + 9);
    let see = |check: CheckName| match check {
        CheckName::Test if is_first && is_candidate => CheckResult::Red { exit: Some(1) },
        CheckName::Criterion(_) if is_triage => CheckResult::Red { exit: Some(1) },
        CheckName::Criterion(_) if is_first && is_candidate && !is_repaired => {
            CheckResult::TimedOut
        }
        _ => CheckResult::Green,
    };
    let one = |check: &CheckOrder| Measured {
        check: check.name,
        command: check.command.clone(),
        result: see(check.name),
        is_flaky: false,
        tests: None,
        took_ms: 200,
        output_hash: String::new(),
        tail: "running 2 tests\nassertion failed: left == right\n\n".to_string(),
    };
    order.checks.iter().map(one).collect()
}

fn ran(attempt: AttemptId, order: &AgentOrder) -> Event {
    let spend = Spend { input: 1_000, output: 200, ..Spend::default() };
    let changed = order.task.as_ref().map(|_| crate::run::event::Changed {
        snapshot: commit(3_000 + attempt.0),
        files: 1,
        lines: 10,
        own_commits: 0,
    });
    let work = AgentWork { took_ms: 60_000, spend, changed, ..AgentWork::default() };
    let read = contract::read(order.role, &said(order).to_string()).unwrap();
    Event::StepCompleted { attempt, work, returned: read.returned }
}

fn said(order: &AgentOrder) -> Value {
    match order.role {
        Role::PlanCheck => json!({
            "pass": true, "confidence": 9.0, "issues": [], "blocker_count": 0, "warning_count": 0
        }),
        Role::Execute => json!({
            "tasks_completed": "1/1", "tasks_failed": "0/1", "evidence": [], "deviations": []
        }),
        Role::Debug => json!({
            "fixed": true, "changes": ["lib.rs -- an attempt at it"], "remaining_issues": [],
            "failure_categories": ["acceptance_criteria_unmet"]
        }),
        Role::Verify => json!({
            "pass": true, "automated_checks": {}, "commands_run": ["sh check.sh"], "failures": [],
            "scope_creep": [],
            "criteria_results": [
                {"criterion": "It is quick", "status": "verified", "evidence": "seen | felt", "file": "src/quick.rs", "line": 12},
                {"criterion": "It is kind", "status": "not_verified", "evidence": "nobody said so"}
            ]
        }),
        Role::Judge | Role::JudgeDivergence => json!({
            "recommendation": "proceed", "independent_evidence": ["src/kind.rs:3"],
            "missing_requirements": [], "verifier_agreement": true, "verifier_missed": [],
            "concerns": [
                {"severity": "minor", "description": "No word of thanks", "file": "src/kind.rs", "expected_gain": 0.4},
                {"severity": "major", "description": "Errors are swallowed"}
            ]
        }),
        Role::Rate => json!({"scorecard": [
            {"criterion": "It is quick", "score": 9.4, "evidence": "src/quick.rs:12", "justification": "measured"},
            {"criterion": "It is kind", "score": 7.4, "evidence": "see src/kind.rs:3, which is curt.", "justification": "curt",
             "deficiency": "The answer has no greeting"}
        ]}),
        Role::Research | Role::Plan | Role::Review | Role::Delegate => {
            panic!("nobody asks for {:?}", order.role)
        }
    }
}

fn task(phase: &PhaseId) -> TaskDefinition {
    TaskDefinition {
        id: format!("{phase}-01-1").parse().unwrap(),
        name: "Build it".to_string(),
        kind: TaskKind::Auto,
        plan: "01-01-PLAN.md".to_string(),
        after_plans: Vec::new(),
        is_complex: false,
        is_tdd: false,
        files: vec!["src/lib.rs".to_string()],
        checks: Vec::new(),
    }
}

fn opening() -> Vec<Event> {
    let agent = AgentDefinition {
        name: "scripted".into(),
        version: "1".into(),
        ..AgentDefinition::default()
    };
    let definition = RunDefinition {
        run: "run-1".parse().unwrap(),
        version: "0.1.0".to_string(),
        command: "autopilot run --complete".to_string(),
        mode: RunMode::Complete,
        settings: settings(),
        base: commit(1),
        user_branch: None,
        is_in_place: false,
        errand: None,
        agent,
        fencing: None,
    };
    let order = |name: CheckName, command: &str| CheckOrder {
        name,
        command: command.to_string(),
        is_hidden: false,
    };
    let project = ProjectDefinition {
        name: "Story".to_string(),
        roadmap: "ROADMAP.md".to_string(),
        spec: None,
        checks: vec![order(CheckName::Lint, "make lint"), order(CheckName::Test, "make test")],
        settled: SettledBefore { phases: 5, count: 2, listed: vec![PhaseId::number(0)] },
        definitions: Vec::new(),
    };
    let read = |number: u32, name: &str, depends_on: Vec<PhaseId>, is_last: bool| {
        let phase = phase(number, name, depends_on);
        Event::PhaseRead { phase, is_last }
    };
    vec![
        Event::RunStarted { definition },
        Event::ProjectRead { project },
        read(1, "Red | door", Vec::new(), false),
        read(2, "Behind it", vec![PhaseId::number(1)], false),
        read(3, "Kind answers", Vec::new(), true),
    ]
}

fn phase(number: u32, name: &str, depends_on: Vec<PhaseId>) -> PhaseDefinition {
    let criterion = |text: &str| CriterionDefinition {
        text: text.to_string(),
        command: Some("make look".to_string()),
        is_hidden: true,
        is_adopted: false,
    };
    PhaseDefinition {
        id: PhaseId::number(number),
        name: name.to_string(),
        goal: "to be there".to_string(),
        phase_type: PhaseType::Mixed,
        depends_on,
        requirements: Vec::new(),
        criteria: vec![criterion("It is there")],
        folder: format!(".planning/phases/{number:02}"),
        has_plan: true,
        plans: Vec::new(),
        estimate_tokens: 120_000,
        estimate_runs: 0,
    }
}

fn settings() -> RunSettings {
    RunSettings {
        threshold: Score::from_tenths(90).unwrap(),
        depth: Depth::Full,
        runner: Runner::Steps,
        has_research: true,
        remediation_cycles_max: 0,
        debug_attempts_max: 3,
        replan_attempts_max: 1,
        phase_tokens_max: 500_000,
        run_tokens_max: 5_000_000,
        has_own_tokens_max: false,
        run_cost_max: None,
        phase_time_max_ms: 120 * 60_000,
        run_time_max_ms: 1_440 * 60_000,
        retries_max: 10,
        no_progress_max: 30,
        same_error_max: 50,
        cooldown_ms: 300_000,
        step_time_max_ms: 1_800_000,
        check_time_max_ms: 600_000,
        stall_time_max_ms: 0,
        phase_time_min_ms: 0,
        verifier_time_min_ms: 0,
        allows_unproven: false,
        accepts_red: false,
        accepts_judged: false,
    }
}
