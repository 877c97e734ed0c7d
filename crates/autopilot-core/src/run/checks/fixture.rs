//! A phase with one candidate, for the tests of the checks.

use std::collections::BTreeMap;

use crate::contract::Role;
use crate::contract::returns::{
    CriterionResult, CriterionScore, CriterionStatus, Judgement, Rating, Recommendation,
    Verification,
};
use crate::phase_id::PhaseId;
use crate::phase_type::PhaseType;
use crate::run::checks::Found;
use crate::run::definition::{
    AgentDefinition, CheckOrder, CriterionDefinition, Depth, PhaseDefinition, ProjectDefinition,
    RunDefinition, RunMode, RunSettings, Runner, SettledBefore, TaskDefinition, TaskKind,
};
use crate::run::effect::{Access, AgentOrder};
use crate::run::ids::{Commit, Moment};
use crate::run::measured::{CheckName, CheckResult, Measured};
use crate::run::pipeline::At;
use crate::run::state::RunState;
use crate::run::work::{TaskWork, Work};
use crate::score::Score;

pub(in crate::run) struct Scene {
    pub run: RunState,
    pub phase: PhaseDefinition,
    pub work: Work,
}

pub(in crate::run) fn commit(number: u8) -> Commit {
    format!("{number:040x}").parse().unwrap()
}

impl Scene {
    /// One criterion that somebody has to judge, and nothing measured.
    pub(in crate::run) fn new() -> Scene {
        let definition = RunDefinition {
            run: "run-1".parse().unwrap(),
            version: String::new(),
            command: String::new(),
            mode: RunMode::Selected,
            settings: settings(),
            base: commit(1),
            user_branch: None,
            is_in_place: false,
            errand: None,
            agent: AgentDefinition::default(),
            fencing: None,
        };
        let phase = PhaseDefinition {
            id: PhaseId::number(1),
            name: "Login".to_string(),
            goal: "People can log in".to_string(),
            phase_type: PhaseType::Mixed,
            depends_on: Vec::new(),
            requirements: Vec::new(),
            criteria: vec![criterion("A wrong password is refused with a clear message", None)],
            folder: String::new(),
            has_plan: false,
            plans: Vec::new(),
            estimate_tokens: 0,
            estimate_runs: 0,
        };
        let work = Work::begin(commit(1), Moment(0), 0);
        Scene { run: RunState::begin(definition, Moment(0)), phase, work }
    }

    pub(in crate::run) fn at(&self) -> At<'_> {
        At { run: &self.run, phase: &self.phase, work: &self.work, now: Moment(0) }
    }

    pub(in crate::run) fn configure(&mut self, names: &[CheckName]) {
        let check = |name: &CheckName| CheckOrder {
            name: *name,
            command: format!("make {name}"),
            is_hidden: false,
        };
        self.run.project = Some(ProjectDefinition {
            name: String::new(),
            roadmap: String::new(),
            spec: None,
            checks: names.iter().map(check).collect(),
            settled: SettledBefore::default(),
            definitions: Vec::new(),
        });
    }

    /// A task of the plan that names these files.
    pub(in crate::run) fn task(&mut self, id: &str, files: &[&str]) {
        let files = files.iter().map(ToString::to_string).collect();
        self.work.tasks.push(TaskWork::new(TaskDefinition {
            id: id.parse().unwrap(),
            name: "Do it".to_string(),
            kind: TaskKind::Auto,
            plan: "01-01-PLAN.md".to_string(),
            after_plans: Vec::new(),
            is_complex: false,
            is_tdd: false,
            files,
            checks: Vec::new(),
        }));
    }

    pub(in crate::run) fn measure(&mut self, names: &[CheckName]) {
        let green = |name: &CheckName| Measured {
            check: *name,
            command: format!("make {name}"),
            result: CheckResult::Green,
            is_flaky: false,
            tests: None,
            took_ms: 1,
            output_hash: String::new(),
            tail: "test result: ok. all of the many small tests of this project have passed today"
                .to_string(),
        };
        self.work.candidate.evidence = Some(names.iter().map(green).collect());
    }
}

pub(in crate::run) fn criterion(text: &str, command: Option<&str>) -> CriterionDefinition {
    let command = command.map(ToString::to_string);
    CriterionDefinition { text: text.to_string(), command, is_hidden: false, is_adopted: false }
}

fn settings() -> RunSettings {
    RunSettings {
        threshold: Score::FULL,
        depth: Depth::Full,
        runner: Runner::Steps,
        has_research: false,
        remediation_cycles_max: 2,
        debug_attempts_max: 3,
        replan_attempts_max: 1,
        phase_tokens_max: 1,
        run_tokens_max: 1,
        has_own_tokens_max: false,
        run_cost_max: None,
        phase_time_max_ms: 1,
        run_time_max_ms: 1,
        retries_max: 10,
        no_progress_max: 3,
        same_error_max: 5,
        cooldown_ms: 1,
        step_time_max_ms: 1,
        check_time_max_ms: 1,
        stall_time_max_ms: 0,
        phase_time_min_ms: 300_000,
        verifier_time_min_ms: 120_000,
        allows_unproven: false,
        accepts_red: false,
        accepts_judged: false,
    }
}

/// A verification that has everything.
pub(in crate::run) fn verification(evidence: &str) -> Verification {
    Verification {
        pass: true,
        automated_checks: BTreeMap::new(),
        criteria_results: vec![result(
            "A wrong password is refused with a clear message",
            evidence,
        )],
        commands_run: vec!["make test -> passed".to_string()],
        failures: Vec::new(),
        scope_creep: Vec::new(),
        autonomous_confidence: None,
        deferral_evidence: None,
    }
}

pub(in crate::run) fn result(criterion: &str, evidence: &str) -> CriterionResult {
    CriterionResult {
        criterion: criterion.to_string(),
        status: CriterionStatus::Verified,
        evidence: evidence.to_string(),
        file: None,
        line: None,
        quote: None,
    }
}

pub(in crate::run) fn judgement(evidence: &str) -> Judgement {
    Judgement {
        recommendation: Recommendation::Proceed,
        concerns: Vec::new(),
        independent_evidence: vec![evidence.to_string()],
        verifier_agreement: None,
        verifier_missed: Vec::new(),
        missing_requirements: Vec::new(),
    }
}

pub(in crate::run) fn rating(tenths: u8, justification: &str) -> Rating {
    let entry = CriterionScore {
        criterion: "A wrong password is refused with a clear message".to_string(),
        score: Score::from_tenths(tenths).unwrap(),
        evidence: "seen".to_string(),
        justification: justification.to_string(),
        command: None,
        file: None,
        deficiency: None,
    };
    Rating { scorecard: vec![entry], alignment_score: None }
}

/// The first attempt of a role at phase 1.
pub(in crate::run) fn agent_order(role: Role) -> AgentOrder {
    AgentOrder {
        phase: "1".parse().unwrap(),
        role,
        task: None,
        round: 1,
        head: commit(1),
        snapshot: None,
        access: Access::Writable,
        tokens_max: 1,
        time_max_ms: 1,
        usd_micros_max: None,
        stand_in: None,
    }
}

/// What was found, as `rejected check: reasons`, one after the other.
pub(super) fn told(found: &[Found]) -> String {
    let word = |check: crate::run::checks::Integrity| {
        let value = serde_json::to_value(check).unwrap();
        value.as_str().unwrap().to_string()
    };
    let each = found.iter().map(|one| match one {
        Found::Rejected { check, reasons } => {
            format!("rejected {}: {}", word(*check), reasons.join("; "))
        }
        Found::Warned { check, reason } => format!("warned {}: {reason}", word(*check)),
    });
    each.collect::<Vec<_>>().join(" / ")
}
