//! The name of every event as the journal has it, without making JSON first: a simulation asks for millions.

use crate::run::event::Event;

macro_rules! names {
    ($($variant:ident $name:literal),* $(,)?) => {
        impl Event {
            /// All there are, in the order of the event's own list.
            pub const NAMES: &[&str] = &[$($name),*];

            pub fn name(&self) -> &'static str {
                match self {
                    $(Event::$variant { .. } => $name,)*
                }
            }

            /// The place of its name in `NAMES`.
            pub fn place(&self) -> usize {
                match self {
                    $(Event::$variant { .. } => Place::$variant as usize,)*
                }
            }
        }

        enum Place {
            $($variant),*
        }
    };
}

names! {
    RunStarted "run_started",
    ProjectRead "project_read",
    PhaseRead "phase_read",
    RunResumed "run_resumed",
    RunPaused "run_paused",
    RunHalted "run_halted",
    RunCompleted "run_completed",
    StopRequested "stop_requested",
    AddRequested "add_requested",
    PhaseAdded "phase_added",
    MergeRequested "merge_requested",
    RollbackInitiated "rollback_initiated",
    LimitReached "limit_reached",
    AgentSwitched "agent_switched",
    CircuitBreakerOpened "circuit_breaker_opened",
    CircuitBreakerHalfOpened "circuit_breaker_half_opened",
    CircuitBreakerClosed "circuit_breaker_closed",
    StepStarted "step_started",
    AttemptSpawned "attempt_spawned",
    AttemptQuiet "attempt_quiet",
    AttemptLost "attempt_lost",
    AttemptCancelled "attempt_cancelled",
    StepCompleted "step_completed",
    StepFailed "step_failed",
    RunOpened "run_opened",
    PhaseOpened "phase_opened",
    EvidenceMeasured "evidence_measured",
    PlacesLookedUp "places_looked_up",
    TaskPlanned "task_planned",
    PlanRead "plan_read",
    TaskCompleted "task_completed",
    RolledBack "rolled_back",
    PhaseMerged "phase_merged",
    ConfidenceDiagnosticWritten "confidence_diagnostic_written",
    BatchCompletionReport "batch_completion_report",
    ReportWritten "report_written",
    RunMerged "run_merged",
    MergeRefused "merge_refused",
    RollbackCompleted "rollback_completed",
    RollbackRefused "rollback_refused",
    EffectFailed "effect_failed",
    PhaseStarted "phase_started",
    PhaseDelegated "phase_delegated",
    StepSkipped "step_skipped",
    PlanSentBack "plan_sent_back",
    CriteriaAdopted "criteria_adopted",
    TaskRetried "task_retried",
    TaskFailed "task_failed",
    TaskSkipped "task_skipped",
    ReturnRejected "return_rejected",
    IntegrityWarning "integrity_warning",
    UnnecessaryDeferralWarning "unnecessary_deferral_warning",
    CrossContaminationWarning "cross_contamination_warning",
    VerdictReached "verdict_reached",
    DebugAttempt "debug_attempt",
    ReplanAttempt "replan_attempt",
    RemediationStarted "remediation_started",
    PhaseCompleted "phase_completed",
    PhaseFailed "phase_failed",
    PhaseSkipped "phase_skipped",
    PhaseDeferred "phase_deferred",
    RubberStampWarning "rubber_stamp_warning",
    RubberStampEnhanced "rubber_stamp_enhanced",
    RubberStampCritical "rubber_stamp_critical",
}
