//! `demo --kill`: lets the run happen in another autopilot, kills that one without warning, and has a third go on.

use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::time::{Duration, Instant};

use autopilot_core::exit::Exit;
use autopilot_core::limits;
use autopilot_core::problem::Problem;
use autopilot_engine::launcher::Launcher;
use autopilot_engine::process::supervise::{self, Event, Grace, Outcome, Supervision};
use autopilot_engine::process::{Environment, Order};
use autopilot_engine::start::Means;

use crate::output::{BAD, GOOD, Output, styled};

/// A run of the sample prints more lines than this, in every language.
const LINES_MAX: u64 = 50;
/// Beyond the line, so that it also hits the middle of a step.
const PAUSE_MS_MAX: u64 = 700;

/// When the run is killed: so long after so many lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    lines: u64,
    pause: Duration,
}

impl Moment {
    fn of(seed: u64) -> Moment {
        let pause = Duration::from_millis(seed / LINES_MAX * 97 % PAUSE_MS_MAX);
        Moment { lines: 1 + seed % LINES_MAX, pause }
    }
}

pub(super) fn run(
    root: &Path,
    means: &Means,
    seed: Option<u64>,
    output: &mut Output,
) -> Result<Exit, Problem> {
    crate::output::end_on_signals();
    // Short enough to be typed again.
    let seed = seed.unwrap_or_else(|| random() % 10_000);
    let moment = Moment::of(seed);
    output.say_wrapped(&format!(
        "It will be killed a moment after line {} of its output. The same again: --kill --seed {seed}",
        moment.lines
    ));
    output.say("");
    let ended = watch(root, &["run", "--complete"], means, Some(moment), output)?;
    let Outcome::Cancelled = ended else { return Ok(exit_of(&ended)) };
    output.say("");
    output.say(&styled(BAD, "Killed with SIGKILL, in the middle of its work."));
    output.say(&styled(GOOD, "Another autopilot goes on, as autopilot resume does:"));
    output.say("");
    let ended = watch(root, &["resume"], means, None, output)?;
    Ok(exit_of(&ended))
}

fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// Runs autopilot in the project and shows its lines, up to its end or to the moment it is killed.
fn watch(
    root: &Path,
    arguments: &[&str],
    means: &Means,
    moment: Option<Moment>,
    output: &mut Output,
) -> Result<Outcome, Problem> {
    let mut environment =
        Environment::inherited(&means.machine).with("COLUMNS", output.width().to_string());
    if output.is_coloured() {
        environment = environment.with("CLICOLOR_FORCE", "1");
    }
    // By way of a shell only to have both streams in one, in the order they were printed.
    let order = Order::new("sh", root, environment, limits::DEMO_TIME_MAX).arguments(
        ["-c", "exec \"$0\" \"$@\" 2>&1"]
            .map(std::ffi::OsString::from)
            .into_iter()
            .chain([own_program(means).into_os_string()])
            .chain(arguments.iter().map(Into::into)),
    );
    let supervision = Supervision::of_agents(Launcher::at(&means.program), None);
    let running = supervise::start(order, supervision, |_| Ok(())).map_err(|error| {
        Problem::environment(
            format!("another autopilot cannot be started: {error}"),
            "the demo kills one and lets another go on",
            "see the run without it: autopilot demo",
        )
    })?;
    let mut lines = 0;
    let mut due: Option<Instant> = None;
    loop {
        let now = Instant::now();
        if due.is_some_and(|due| due <= now) {
            running.cancel(Grace::None);
            due = None;
        }
        let wait = due.map_or(limits::TICK_TIME, |due| due - now);
        match running.next(wait) {
            Some(Event::Line(line)) => {
                output.say(&String::from_utf8_lossy(&line.bytes));
                lines += 1;
                due = moment
                    .filter(|moment| moment.lines == lines)
                    .map(|one| now + one.pause)
                    .or(due);
            }
            Some(Event::Exited(exit)) => return Ok(exit.outcome),
            None => {}
        }
    }
}

fn exit_of(outcome: &Outcome) -> Exit {
    match outcome {
        Outcome::Exited(code) => Exit::of_code(*code),
        Outcome::Signalled(_)
        | Outcome::TimedOut
        | Outcome::Cancelled
        | Outcome::TooMuchOutput
        | Outcome::CannotStart { .. }
        | Outcome::Lost { .. } => Exit::Failed,
    }
}

/// By its path: a shell starts it here, and would find itself behind `/proc/self/exe`.
fn own_program(means: &Means) -> std::path::PathBuf {
    std::env::current_exe().unwrap_or_else(|_| means.program.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_one_moment_and_all_of_them_lie_in_the_run() {
        for seed in 0..10_000 {
            let moment = Moment::of(seed);
            assert_eq!(moment, Moment::of(seed));
            assert!((1..=LINES_MAX).contains(&moment.lines), "{seed}");
            assert!(moment.pause < Duration::from_millis(PAUSE_MS_MAX), "{seed}");
        }
        let lines: std::collections::BTreeSet<u64> = (0..50).map(|s| Moment::of(s).lines).collect();
        assert_eq!(lines.len(), 50, "every line is hit by some seed");
    }
}
