//! What the figures must be. Each number is a ratio within one run, so that a slow machine meets them as a fast one does.

use super::Row;
use super::measure::Timing;

/// The program that does the same work on the same machine takes so many times longer.
const FASTER_THAN_PEER_MIN: f64 = 100.0;
/// Reading 1,000 phases and printing them, measured in program starts.
const PLAN_STARTS_MAX: f64 = 12.0;
const VERSION_STARTS_MAX: f64 = 4.0;
/// 9,000 more phases against 990 more: 9.1 when linear, and some room for memory that no longer fits the caches.
const GROWTH_MAX: f64 = 12.0;
const PEAK_KIB_MAX: u64 = 12 * 1024;

/// Milliseconds, and what else the expectations are about.
pub(super) struct Figures {
    floor: f64,
    version: f64,
    plan_10: f64,
    plan_1_000: f64,
    plan_10_000: f64,
    peer_1_000: f64,
    peak_kib: Option<u64>,
    /// Generated roadmaps of which autopilot listed another number of phases: generated and listed.
    miscounted: Vec<(usize, Option<usize>)>,
}

impl Figures {
    pub(super) fn new(
        floor: &Timing,
        version: &Timing,
        rows: &[Row],
        peak_kib: Option<u64>,
    ) -> Figures {
        let generated =
            |phases: usize| rows.iter().find(|row| row.project.generated == Some(phases));
        let ours = |phases| generated(phases).map_or(f64::NAN, |row| row.ours.median_ms());
        // A peer that found other phases did other work; its time says nothing.
        let read_by_peer = generated(1_000).filter(|row| row.peer_phases == Some(1_000));
        let miscounted = rows.iter().filter_map(|row| {
            let phases = row.project.generated?;
            (row.our_phases != Some(phases)).then_some((phases, row.our_phases))
        });
        Figures {
            floor: floor.median_ms(),
            version: version.median_ms(),
            plan_10: ours(10),
            plan_1_000: ours(1_000),
            plan_10_000: ours(10_000),
            peer_1_000: read_by_peer.map_or(f64::NAN, |row| row.peers.median_ms()),
            peak_kib,
            miscounted: miscounted.collect(),
        }
    }

    /// Each expectation as a sentence with its figures, and whether it is met. What was not measured is not met.
    pub(super) fn judged(&self) -> Vec<(String, bool)> {
        let faster = self.peer_1_000 / self.plan_1_000;
        let plan = self.plan_1_000 / self.floor;
        let version = self.version / self.floor;
        let growth = (self.plan_10_000 - self.plan_1_000) / (self.plan_1_000 - self.plan_10);
        let peak = self
            .peak_kib
            .map_or("not measured".into(), |kib| format!("{:.1} MB", kib as f64 / 1024.0));
        vec![
            (
                match self.miscounted.as_slice() {
                    [] => "autopilot lists every generated phase".into(),
                    wrong => {
                        format!("autopilot lists every generated phase: (made, listed) {wrong:?}")
                    }
                },
                self.miscounted.is_empty(),
            ),
            (
                format!(
                    "1,000 phases: {faster:.1} times faster than the peer, at least {FASTER_THAN_PEER_MIN}"
                ),
                faster >= FASTER_THAN_PEER_MIN,
            ),
            (
                format!("1,000 phases: {plan:.1} program starts, at most {PLAN_STARTS_MAX}"),
                plan <= PLAN_STARTS_MAX,
            ),
            (
                format!("--version: {version:.1} program starts, at most {VERSION_STARTS_MAX}"),
                version <= VERSION_STARTS_MAX,
            ),
            (
                format!(
                    "1,000 to 10,000 costs {growth:.1} times 10 to 1,000, at most {GROWTH_MAX}"
                ),
                self.plan_1_000 > self.plan_10 && growth <= GROWTH_MAX,
            ),
            (
                format!("1,000 phases: peak memory {peak}, at most {} MB", PEAK_KIB_MAX / 1024),
                self.peak_kib.is_some_and(|kib| kib <= PEAK_KIB_MAX),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Figures {
        Figures {
            floor: 1.0,
            version: 2.0,
            plan_10: 2.0,
            plan_1_000: 8.0,
            plan_10_000: 70.0,
            peer_1_000: 900.0,
            peak_kib: Some(9_000),
            miscounted: Vec::new(),
        }
    }

    fn met(figures: Figures) -> Vec<bool> {
        figures.judged().into_iter().map(|(_, met)| met).collect()
    }

    #[test]
    fn good_figures_meet_every_expectation() {
        assert_eq!(met(good()), [true; 6]);
    }

    #[test]
    fn each_bad_figure_fails_its_expectation() {
        let check = |figures: Figures, expected: [u8; 6]| {
            assert_eq!(met(figures), expected.map(|bit| bit == 1));
        };
        check(Figures { miscounted: vec![(10, None)], ..good() }, [0, 1, 1, 1, 1, 1]);
        check(Figures { peer_1_000: 700.0, ..good() }, [1, 0, 1, 1, 1, 1]);
        check(Figures { plan_1_000: 12.5, peer_1_000: 9_000.0, ..good() }, [1, 1, 0, 1, 1, 1]);
        check(Figures { version: 4.5, ..good() }, [1, 1, 1, 0, 1, 1]);
        check(Figures { plan_10_000: 90.0, ..good() }, [1, 1, 1, 1, 0, 1]);
        check(Figures { peak_kib: Some(12_289), ..good() }, [1, 1, 1, 1, 1, 0]);
        check(Figures { peak_kib: None, ..good() }, [1, 1, 1, 1, 1, 0]);
        check(Figures { peer_1_000: f64::NAN, ..good() }, [1, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn growth_is_not_met_by_a_short_roadmap_that_takes_longer() {
        assert_eq!(met(Figures { plan_10: 9.0, ..good() }), [true, true, true, true, false, true]);
    }
}
