//! CHECK-3: two tasks and more in a few minutes, and something in the phase that nothing but words vouch for. A warning; the steps
//! themselves are looked at anyway, by `independence`.

use crate::run::checks::{Found, Integrity};
use crate::run::definition::TaskKind;
use crate::run::pipeline::At;
use crate::run::review;
use crate::run::words::seconds;
use crate::run::work::TaskOutcome;

/// With one task a quick phase is nothing odd.
const TASKS_MIN: usize = 2;

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let least_ms = at.run.definition.settings.phase_time_min_ms;
    // The time until the last event: whoever asks later gets the same answer.
    let took_ms = at.run.running_ms(at.run.last_at).saturating_sub(at.work.began_ms);
    let done = at.work.tasks.iter().filter(|task| {
        task.task.kind == TaskKind::Auto && matches!(task.outcome, Some(TaskOutcome::Done { .. }))
    });
    let count = done.count();
    let judged = review::criteria_count(at).judged;
    if took_ms >= least_ms || count < TASKS_MIN || judged == 0 {
        return Vec::new();
    }
    let reason = format!(
        "{count} tasks in {}, under {}, and {judged} criteria that no command proves",
        seconds(took_ms),
        seconds(least_ms)
    );
    vec![Found::Warned { check: Integrity::TooFast, reason }]
}
