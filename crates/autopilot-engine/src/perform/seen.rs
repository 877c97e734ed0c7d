//! An agent's attempt as it is followed: its lines and the files beside them, what it spends, whether it lives, and its end.

use std::time::{Duration, Instant};

use autopilot_agents::activity::{Activity, Spend as AgentSpend};
use autopilot_agents::agent::StreamReader;
use autopilot_agents::ending::{Ending, How, Stopped};
use autopilot_core::limits;
use autopilot_core::run::event::Spend;
use autopilot_core::run::quiet::Quiet;

use super::allowance::Allowance;
use super::hiding;
use super::side_file::Aside;
use crate::drive::Host;
use crate::process::strays;
use crate::process::supervise::{self, Exit, Grace, Outcome, Running};
use crate::stall::{Verdict, Watcher};

/// An agent's attempt, from its first line to its end.
pub(crate) struct Seen {
    pub(crate) exit: Exit,
    pub(crate) ending: Ending,
    pub(crate) spend: Spend,
    /// The one it said it works with.
    pub(crate) model: Option<String>,
    pub(super) ended_for: Option<EndedFor>,
    /// Files that it told git not to look at.
    pub(super) hidden: Vec<String>,
}

/// Why we ended an agent that nobody asked us to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndedFor {
    Allowance,
    /// It is silent, or at work and gets nowhere.
    Stall,
}

impl Seen {
    pub(crate) fn of(
        running: Running,
        mut reader: Box<dyn StreamReader>,
        mut watcher: Watcher,
        allowance: Allowance,
        host: &mut dyn Host,
    ) -> Seen {
        let mut spend = Spend::default();
        let mut noted = Noted::default();
        let mut ended_for = None;
        let mut is_cancelled = false;
        let mut aside = Aside::default();
        let mut looked_aside = Instant::now();
        let exit = loop {
            let next = running.next(limits::TICK_TIME);
            let mut seen = match &next {
                Some(supervise::Event::Line(line)) => reader.read_line(&line.bytes),
                Some(supervise::Event::Exited(_)) | None => Vec::new(),
            };
            let is_over = matches!(next, Some(supervise::Event::Exited(_)));
            // Also while lines come without a pause: what it spends may stand only there.
            if is_over || looked_aside.elapsed() >= limits::TICK_TIME {
                seen.extend(aside.read(reader.as_mut()));
                looked_aside = Instant::now();
            }
            if is_over {
                seen.extend(reader.rest());
            }
            add_spent(&mut spend, &seen);
            for activity in &seen {
                noted.add(activity);
                watcher.heard(activity);
                host.tick(Some(activity));
            }
            match next {
                Some(supervise::Event::Exited(exit)) => break exit,
                Some(supervise::Event::Line(_)) => {}
                None => host.tick(None),
            }
            if is_cancelled {
                continue;
            }
            if allowance.is_exceeded_by(&spend) {
                ended_for = Some(EndedFor::Allowance);
            } else if reader.is_stuck()
                || watcher.look(reader.waits_for()).is_some_and(|it| is_dead(it, &running, host))
            {
                ended_for = Some(EndedFor::Stall);
            }
            if ended_for.is_some() || host.must_end() {
                is_cancelled = true;
                running.cancel(Grace::Given);
            }
        };
        let stopped = stopped(&exit, ended_for);
        let ending = reader.conclude(&stopped);
        let Noted { model, hidden } = noted;
        Seen { exit, ending, spend, model, ended_for, hidden }
    }
}

/// What is kept of an attempt's activities.
#[derive(Default)]
struct Noted {
    model: Option<String>,
    hidden: Vec<String>,
}

impl Noted {
    fn add(&mut self, activity: &Activity) {
        match activity {
            Activity::Started { model } => self.model = Some(model.clone()),
            Activity::UsedTool { summary, .. }
                if self.hidden.len() < limits::OVERLOOKED_FILES_MAX =>
            {
                self.hidden.extend(hiding::files(summary));
            }
            _ => {}
        }
    }
}

/// Does what is to be done about an agent that may be dead, and says whether it is to be ended.
fn is_dead(verdict: Verdict, running: &Running, host: &mut dyn Host) -> bool {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    match verdict {
        Verdict::Warn(silence) => host.quiet(Quiet::Noticed {
            silent_ms: ms(silence.lasted),
            ends_after_ms: ms(silence.ends_after),
        }),
        Verdict::Nudge(silence) => {
            running.nudge();
            host.quiet(Quiet::Nudged {
                silent_ms: ms(silence.lasted),
                ends_after_ms: ms(silence.ends_after),
            });
        }
        Verdict::Lives => host.quiet(Quiet::Over),
        Verdict::End(_) => return true,
    }
    false
}

fn stopped(exit: &Exit, ended_for: Option<EndedFor>) -> Stopped {
    let how = match &exit.outcome {
        Outcome::Exited(code) => How::Exited(*code),
        Outcome::Signalled(signal) => How::Signalled(*signal),
        Outcome::TimedOut => How::TimedOut,
        Outcome::Cancelled => match ended_for {
            Some(EndedFor::Allowance) => How::AllowanceUsed,
            Some(EndedFor::Stall) => How::Stalled,
            None => How::Cancelled,
        },
        Outcome::TooMuchOutput => How::TooMuchOutput,
        Outcome::CannotStart { .. } | Outcome::Lost { .. } => How::CannotStart,
    };
    let said = match &exit.outcome {
        Outcome::CannotStart { why } | Outcome::Lost { why } => why.clone(),
        _ => strays::without(exit.stderr.last_lines()).join("\n"),
    };
    Stopped { how, said }
}

/// None where nothing was: that is not to be taken for nothing spent.
pub(super) fn told(spend: Spend) -> Option<Spend> {
    (spend != Spend::default()).then_some(spend)
}

pub(super) fn add_spent(sum: &mut Spend, seen: &[Activity]) {
    for activity in seen {
        if let Activity::Spent(more) = activity {
            sum.add(&spend_of(more));
        }
    }
}

fn spend_of(spend: &AgentSpend) -> Spend {
    Spend {
        input: spend.input_tokens,
        output: spend.output_tokens,
        cache_read: spend.cache_read_tokens,
        cache_write: spend.cache_write_tokens,
        usd_micros: spend.usd_micros,
        is_estimate: spend.is_estimate,
    }
}
