//! Whether an agent that says nothing still lives, judged by several signs at once: what it says, the CPU time of its processes, the
//! files in its workspace, and what it said it waits for. Pure: whoever watches hands in what was seen and when. What is done about
//! a verdict is the performer's; how the signs are taken is `sampling`'s.
//!
//! | sign | counts as life |
//! |---|---|
//! | it used a tool, changed a file, spent tokens, asked | always: behind each is an answer of its model |
//! | it said something | if it has not said the same before, numbers and dots aside |
//! | a line nobody understood | never |
//! | CPU time of its tree | from a few hundredths of a core on |
//! | a file in its workspace | if it is not as it was |
//! | it waits for its model, or a tool of its runs | when that changes; and while it lasts patience is longer |
//! | it waits for a usage limit until a moment | silence until then does not count |
//!
//! New processes are no sign: a shell that waits in a loop makes one a second. A tree that is busy without any result is let go on
//! here; the time of a step bounds it.

use std::time::Duration;

use autopilot_agents::activity::Activity;
use autopilot_agents::waits_for::WaitsFor;
use autopilot_core::limits;

mod sampling;
mod watcher;
mod words;

pub(crate) use watcher::Watcher;
use words::Words;

/// What is seen of processes and files at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sample {
    /// Of the whole tree; `None` where the kernel does not tell.
    pub(crate) cpu: Option<Duration>,
    /// A number that is another when a file is.
    pub(crate) files: u64,
}

/// What is to be done now. Each is said once; after signs of life it starts over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Warn(Silence),
    Nudge(Silence),
    End(Silence),
    /// It was warned of, and lives.
    Lives,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Silence {
    pub(crate) lasted: Duration,
    pub(crate) ends_after: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Lively,
    Warned,
    Nudged,
    Ended,
}

#[derive(Debug)]
pub(crate) struct Stall {
    /// Zero: nobody is ever ended.
    patience: Duration,
    /// On a clock that only has to run forward.
    looked_at: Duration,
    silent: Duration,
    /// How much longer it waits for a limit, as it said.
    limit_wait: Duration,
    stage: Stage,
    waits_for: Option<WaitsFor>,
    has_cpu_time: bool,
    sampled: Option<(Duration, Sample)>,
    words: Words,
}

impl Stall {
    pub(crate) fn new(patience: Duration) -> Stall {
        Stall {
            patience,
            looked_at: Duration::ZERO,
            silent: Duration::ZERO,
            limit_wait: Duration::ZERO,
            stage: Stage::Lively,
            waits_for: None,
            has_cpu_time: true,
            sampled: None,
            words: Words::default(),
        }
    }

    /// Something of its stream. `now_unix_s` is the time of day, for moments that it names.
    pub(crate) fn heard(&mut self, activity: &Activity, now: Duration, now_unix_s: u64) {
        self.pass(now);
        let is_life = match activity {
            Activity::Started { .. }
            | Activity::UsedTool { .. }
            | Activity::ChangedFile(_)
            | Activity::Asked(_) => true,
            Activity::Spent(spend) => {
                spend.input_tokens
                    + spend.output_tokens
                    + spend.cache_read_tokens
                    + spend.cache_write_tokens
                    > 0
            }
            // Somebody who talks all the time is not asked what about.
            Activity::Said(text) => self.has_paused() && self.words.are_new(text),
            Activity::WaitingForLimit { until_unix_s } => {
                let until = until_unix_s.unwrap_or(now_unix_s);
                self.limit_wait = Duration::from_secs(until.saturating_sub(now_unix_s));
                false
            }
            Activity::Unknown(_) => false,
        };
        if is_life {
            self.silent = Duration::ZERO;
            self.limit_wait = Duration::ZERO;
        }
    }

    /// Whether processes and files have to be looked at.
    pub(crate) fn wants_sample(&self, now: Duration) -> bool {
        let after = limits::STALL_SAMPLE_AFTER.min(self.patience / 10);
        let pause = limits::STALL_SAMPLE_PAUSE.min(self.patience / 20);
        let is_due = self.sampled.is_none_or(|(at, _)| now.saturating_sub(at) >= pause);
        !self.patience.is_zero() && self.stage != Stage::Ended && self.silent >= after && is_due
    }

    pub(crate) fn saw(&mut self, sample: Sample, now: Duration) {
        self.pass(now);
        self.has_cpu_time = sample.cpu.is_some();
        let before = self.sampled.replace((now, sample));
        let Some((at, before)) = before else { return };
        if before.files != sample.files || is_busy(before, sample, now.saturating_sub(at)) {
            self.silent = Duration::ZERO;
        }
    }

    pub(crate) fn judge(&mut self, waits_for: Option<WaitsFor>, now: Duration) -> Option<Verdict> {
        self.pass(now);
        // Something came to an end, or began, although nobody said a word about it.
        if std::mem::replace(&mut self.waits_for, waits_for) != waits_for {
            self.silent = Duration::ZERO;
        }
        if self.patience.is_zero() || self.stage == Stage::Ended {
            return None;
        }
        let ends_after = self.patience * self.factor(waits_for);
        let part = |percent: u32| ends_after * percent / 100;
        let stage = match self.silent {
            silent if silent >= ends_after => Stage::Ended,
            silent if silent >= part(limits::STALL_NUDGE_PERCENT) => Stage::Nudged,
            silent if silent >= part(limits::STALL_WARN_PERCENT) => Stage::Warned,
            _ => Stage::Lively,
        };
        let before = std::mem::replace(&mut self.stage, stage);
        if stage == before {
            return None;
        }
        let silence = Silence { lasted: self.silent, ends_after };
        match stage {
            // Between the stages it did not live, it was only found to wait for something.
            Stage::Warned | Stage::Nudged if stage < before => {
                self.stage = before;
                None
            }
            Stage::Lively => Some(Verdict::Lives),
            Stage::Warned => Some(Verdict::Warn(silence)),
            Stage::Nudged => Some(Verdict::Nudge(silence)),
            Stage::Ended => Some(Verdict::End(silence)),
        }
    }

    /// A clock that was set back, or stood still, lets no time pass; one that jumped lets little pass.
    fn pass(&mut self, now: Duration) {
        let gap = now.saturating_sub(self.looked_at).min(limits::STALL_GAP_MAX);
        self.looked_at = now;
        let waited = gap.min(self.limit_wait);
        self.limit_wait -= waited;
        self.silent += gap - waited;
    }

    fn has_paused(&self) -> bool {
        self.silent >= WORDS_PAUSE || !self.limit_wait.is_zero()
    }

    fn factor(&self, waits_for: Option<WaitsFor>) -> u32 {
        let waiting = match waits_for {
            None => 1,
            Some(WaitsFor::Model) => limits::STALL_MODEL_FACTOR,
            Some(WaitsFor::Tool) => limits::STALL_TOOL_FACTOR,
        };
        if self.has_cpu_time { waiting } else { waiting.max(limits::STALL_TOOL_FACTOR) }
    }
}

/// Between two things said that are compared with what was said before: comparing costs more than reading.
const WORDS_PAUSE: Duration = Duration::from_millis(500);

fn is_busy(before: Sample, now: Sample, between: Duration) -> bool {
    let (Some(before), Some(now)) = (before.cpu, now.cpu) else { return false };
    let used = now.saturating_sub(before);
    used >= limits::STALL_BUSY_MIN && used * 100 >= between * limits::STALL_BUSY_PERCENT
}

#[cfg(test)]
#[path = "stall_tests.rs"]
mod tests;
