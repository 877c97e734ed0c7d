//! What the figures of a run must be. Ratios within one process where there is something to compare with.

use serde_json::Value;

use super::handover::Handover;

/// An event is one write and one sync; the rest of it must cost no more than another sync.
const EVENT_SYNCS_MAX: f64 = 2.0;
/// The best peer known waits 255 ms between two agents.
const HANDOVER_MS_MAX: f64 = 10.0;
const PEAK_KIB_MAX: f64 = 60.0 * 1024.0;
const STEP_GROWTH_MAX: f64 = 1.5;
/// state.json is written at most once a second, and a twentieth of that second is not felt.
const STATE_MS_MAX: f64 = 50.0;
/// A record is checked by its hash, typed and folded; reading it into a plain value is about a third of that.
const RESUME_PARSES_MAX: f64 = 3.0;
/// The long run must be as long as the expectation about it says.
const EVENTS_MIN: f64 = 100_000.0;

pub(super) struct Figures {
    event_us: f64,
    sync_us: f64,
    handover_ms: f64,
    short_step_us: f64,
    long_step_us: f64,
    short_peak_kib: f64,
    long_peak_kib: f64,
    long_events: f64,
    /// What writing state.json of the long run takes.
    state_ms: f64,
    /// Milliseconds of a resume and of parsing, and how many events: of the shorter run and of the longer.
    resumes: [(f64, f64, f64); 2],
}

impl Figures {
    /// In the order they were measured. What is missing is not a number, and meets no expectation.
    pub(super) fn of(measured: [&Value; 5], handover: &Handover) -> Figures {
        let [append, short, long, middle_resume, long_resume] = measured;
        let number = |value: &Value, key: &str| value[key].as_f64().unwrap_or(f64::NAN);
        let resume = |value: &Value| {
            let ms = |key: &str| number(value, key) / 1e6;
            (ms("resume_ns"), ms("parse_ns"), number(value, "events"))
        };
        Figures {
            event_us: number(append, "event_ns") / 1e3,
            sync_us: number(append, "sync_ns") / 1e3,
            handover_ms: handover.median_ms(),
            short_step_us: number(short, "first_step_ns") / 1e3,
            long_step_us: number(long, "late_step_ns") / 1e3,
            short_peak_kib: number(short, "peak_kib"),
            long_peak_kib: number(long, "peak_kib"),
            long_events: number(long, "events"),
            state_ms: number(long, "tick_ns") / 1e6,
            resumes: [resume(middle_resume), resume(long_resume)],
        }
    }

    /// Each expectation as a sentence with its figures, and whether it is met.
    pub(super) fn judged(&self) -> Vec<(String, bool)> {
        let syncs = self.event_us / self.sync_us;
        let growth = self.long_step_us / self.short_step_us;
        let megabytes = |kib: f64| kib / 1024.0;
        let mut judged = vec![
            (
                format!(
                    "a durable event: {:.0} µs, {syncs:.2} syncs of {:.0} µs, at most {EVENT_SYNCS_MAX}",
                    self.event_us, self.sync_us
                ),
                syncs <= EVENT_SYNCS_MAX,
            ),
            (
                format!(
                    "from an agent's end to the next one's start: {:.1} ms, at most {HANDOVER_MS_MAX}",
                    self.handover_ms
                ),
                self.handover_ms <= HANDOVER_MS_MAX,
            ),
            (
                format!(
                    "a step at event 100,000 of {:.0}: {:.1} µs, {growth:.2} times one of a short run, at most {STEP_GROWTH_MAX}",
                    self.long_events, self.long_step_us
                ),
                growth <= STEP_GROWTH_MAX && self.long_events >= EVENTS_MIN,
            ),
            (
                format!(
                    "peak memory of 1,000 phases: {:.1} MB (of 10: {:.1} MB), at most {:.0} MB",
                    megabytes(self.long_peak_kib),
                    megabytes(self.short_peak_kib),
                    megabytes(PEAK_KIB_MAX)
                ),
                self.long_peak_kib <= PEAK_KIB_MAX,
            ),
            (
                format!(
                    "state.json of 1,000 phases, at most once a second: {:.0} ms, at most {STATE_MS_MAX}",
                    self.state_ms
                ),
                self.state_ms <= STATE_MS_MAX,
            ),
        ];
        for (resume_ms, parse_ms, events) in self.resumes {
            let parses = resume_ms / parse_ms;
            judged.push((
                format!(
                    "taking up {events:.0} events: {resume_ms:.0} ms, {parses:.2} times parsing them, at most {RESUME_PARSES_MAX}"
                ),
                parses <= RESUME_PARSES_MAX,
            ));
        }
        judged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Figures {
        Figures {
            event_us: 150.0,
            sync_us: 100.0,
            handover_ms: 6.0,
            short_step_us: 30.0,
            long_step_us: 33.0,
            short_peak_kib: 9_000.0,
            long_peak_kib: 20_000.0,
            long_events: 107_000.0,
            state_ms: 20.0,
            resumes: [(40.0, 20.0, 10_700.0), (400.0, 200.0, 107_000.0)],
        }
    }

    #[test]
    fn each_bad_figure_fails_its_expectation_and_good_ones_none() {
        let check = |figures: Figures, expected: [u8; 7]| {
            let met: Vec<bool> = figures.judged().into_iter().map(|(_, met)| met).collect();
            assert_eq!(met, expected.map(|bit| bit == 1));
        };
        check(good(), [1, 1, 1, 1, 1, 1, 1]);
        check(Figures { event_us: 201.0, ..good() }, [0, 1, 1, 1, 1, 1, 1]);
        check(Figures { sync_us: f64::NAN, ..good() }, [0, 1, 1, 1, 1, 1, 1]);
        check(Figures { handover_ms: 10.5, ..good() }, [1, 0, 1, 1, 1, 1, 1]);
        check(Figures { long_step_us: 46.0, ..good() }, [1, 1, 0, 1, 1, 1, 1]);
        check(Figures { long_events: 99_000.0, ..good() }, [1, 1, 0, 1, 1, 1, 1]);
        check(Figures { long_peak_kib: 61_441.0, ..good() }, [1, 1, 1, 0, 1, 1, 1]);
        check(Figures { state_ms: 51.0, ..good() }, [1, 1, 1, 1, 0, 1, 1]);
        let resumes = [(70.0, 20.0, 10_700.0), (601.0, 200.0, 107_000.0)];
        check(Figures { resumes, ..good() }, [1, 1, 1, 1, 1, 0, 0]);
    }
}
