//! Watches one agent: the clock and the samples around the judgement of `Stall`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use autopilot_agents::activity::Activity;
use autopilot_agents::waits_for::WaitsFor;
use autopilot_core::limits;
use rustix::process::Pid;

use super::{Stall, Verdict, sampling};
use crate::clock::{Clock, WallClock};
use crate::process::ProcessGroup;

pub(crate) struct Watcher {
    started: Instant,
    stall: Stall,
    leader: Option<Pid>,
    workspace: PathBuf,
    /// Not before: a look that took long is not repeated at once.
    next_sample: Duration,
}

impl Watcher {
    /// Never ends anybody when `patience` is zero.
    pub(crate) fn of(group: &ProcessGroup, workspace: PathBuf, patience: Duration) -> Watcher {
        Watcher {
            started: Instant::now(),
            stall: Stall::new(patience),
            leader: Pid::from_raw(group.id),
            workspace,
            next_sample: Duration::ZERO,
        }
    }

    pub(crate) fn heard(&mut self, activity: &Activity) {
        let now_unix_s = WallClock::default().now().0 / 1_000;
        self.stall.heard(activity, self.started.elapsed(), now_unix_s);
    }

    pub(crate) fn look(&mut self, waits_for: Option<WaitsFor>) -> Option<Verdict> {
        let now = self.started.elapsed();
        if let Some(leader) = self.leader
            && now >= self.next_sample
            && self.stall.wants_sample(now)
        {
            let sample = sampling::take(leader, &self.workspace);
            let took = self.started.elapsed().saturating_sub(now);
            self.next_sample = now + took * limits::STALL_SAMPLE_COST_FACTOR;
            self.stall.saw(sample, now);
        }
        self.stall.judge(waits_for, now)
    }
}
