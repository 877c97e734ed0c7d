//! What the figures about agents must be. Times are differences within one run, so that a slow machine meets them as a fast one does.

use serde_json::Value;

/// What nobody notices beside an agent that takes a second to start.
const OVERHEAD_MS_MAX: f64 = 50.0;
/// Between the quarters of the pairs. Claude Code alone differs by a hundred from start to start. The median of 20 pairs is known to about
/// a fifth of this, so here it could no longer tell what it is asked.
const SPREAD_MS_MAX: f64 = 200.0;
/// A megabyte a second is a hundred times what a model says; what is left of two cores belongs to the agents.
const CORES_MAX: f64 = 0.5;
const PEAK_KIB_MAX: f64 = 150.0 * 1024.0;
/// Of what they were to print. Less, and the agents had to wait for autopilot.
const STREAMED_PART_MIN: f64 = 0.9;
const BYTES_A_SECOND: f64 = 1e6;

pub(super) struct Figures {
    our_ms: Vec<f64>,
    bare_ms: Vec<f64>,
    is_fenced: bool,
    agents: f64,
    seconds: f64,
    lines: f64,
    bytes: f64,
    cores: f64,
    peak_kib: f64,
}

impl Figures {
    /// What is missing is not a number, and meets no expectation.
    pub(super) fn of(overhead: &Value, streams: &Value) -> Figures {
        let times = |key: &str| {
            let times = overhead[key].as_array().into_iter().flatten();
            times.filter_map(Value::as_f64).collect()
        };
        let number = |key: &str| streams[key].as_f64().unwrap_or(f64::NAN);
        Figures {
            our_ms: times("our_ms"),
            bare_ms: times("bare_ms"),
            is_fenced: overhead["is_fenced"] == true,
            agents: number("agents"),
            seconds: number("seconds"),
            lines: number("lines"),
            bytes: number("bytes"),
            cores: number("cores"),
            peak_kib: number("peak_kib"),
        }
    }

    /// Of each pair, in milliseconds.
    fn differences(&self) -> Vec<f64> {
        self.our_ms.iter().zip(&self.bare_ms).map(|(ours, bare)| ours - bare).collect()
    }

    pub(super) fn table(&self) -> String {
        let fence = if self.is_fenced { "in the fence" } else { "unfenced" };
        let mut text = format!(
            "{:<34} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
            format!("one attempt, {fence}"),
            "least",
            "quarter",
            "median",
            "three q.",
            "most"
        );
        let rows = [
            ("autopilot and claude", self.our_ms.clone()),
            ("claude alone", self.bare_ms.clone()),
            ("difference of a pair", self.differences()),
        ];
        for (name, times) in rows {
            let at =
                [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| format!("{:.1} ms", quantile(&times, part)));
            let [least, quarter, median, three, most] = at;
            text += &format!(
                "{name:<34} {least:>10} {quarter:>10} {median:>10} {three:>10} {most:>10}\n"
            );
        }
        let a_second = self.lines / self.seconds;
        text += &format!(
            "{:.0} agents: {:.1} MB and {a_second:.0} lines a second for {:.1} s\n",
            self.agents,
            self.bytes / self.seconds / 1e6,
            self.seconds
        );
        text
    }

    /// Each expectation as a sentence with its figures, and whether it is met.
    pub(super) fn judged(&self) -> Vec<(String, bool)> {
        let differences = self.differences();
        let overhead = quantile(&differences, 0.5);
        let spread = quantile(&differences, 0.75) - quantile(&differences, 0.25);
        let part = self.bytes / (self.agents * self.seconds * BYTES_A_SECOND);
        vec![
            (
                format!(
                    "autopilot adds {overhead:.1} ms to an attempt, at most {OVERHEAD_MS_MAX} (median of {} pairs)",
                    differences.len()
                ),
                overhead <= OVERHEAD_MS_MAX,
            ),
            (
                format!(
                    "half of the pairs lie within {spread:.1} ms, at most {SPREAD_MS_MAX}: more is no measurement"
                ),
                spread <= SPREAD_MS_MAX,
            ),
            (
                format!(
                    "{:.0} agents: {:.0} % of their megabyte a second came through, at least {:.0} %",
                    self.agents,
                    part * 100.0,
                    STREAMED_PART_MIN * 100.0
                ),
                part >= STREAMED_PART_MIN,
            ),
            (
                format!("{:.0} agents: {:.2} cores, at most {CORES_MAX}", self.agents, self.cores),
                self.cores <= CORES_MAX,
            ),
            (
                format!(
                    "{:.0} agents: peak memory {:.1} MB, at most {:.0} MB",
                    self.agents,
                    self.peak_kib / 1024.0,
                    PEAK_KIB_MAX / 1024.0
                ),
                self.peak_kib <= PEAK_KIB_MAX,
            ),
        ]
    }
}

/// Between the two values it lies between; not a number where nothing was measured.
fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = part * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Figures {
        Figures {
            our_ms: vec![110.0, 130.0, 120.0],
            bare_ms: vec![100.0, 100.0, 100.0],
            is_fenced: true,
            agents: 32.0,
            seconds: 10.0,
            lines: 1e6,
            bytes: 310e6,
            cores: 0.3,
            peak_kib: 40_000.0,
        }
    }

    #[test]
    fn each_bad_figure_fails_its_expectation_and_good_ones_none() {
        let check = |figures: Figures, expected: [u8; 5]| {
            let met: Vec<bool> = figures.judged().into_iter().map(|(_, met)| met).collect();
            assert_eq!(met, expected.map(|bit| bit == 1));
        };
        check(good(), [1, 1, 1, 1, 1]);
        check(Figures { our_ms: vec![151.0; 3], ..good() }, [0, 1, 1, 1, 1]);
        check(Figures { our_ms: vec![-99.0, 110.0, 340.0], ..good() }, [1, 0, 1, 1, 1]);
        check(Figures { our_ms: Vec::new(), ..good() }, [0, 0, 1, 1, 1]);
        check(Figures { bytes: 280e6, ..good() }, [1, 1, 0, 1, 1]);
        check(Figures { cores: 0.51, ..good() }, [1, 1, 1, 0, 1]);
        check(Figures { peak_kib: f64::NAN, ..good() }, [1, 1, 1, 1, 0]);
    }

    #[test]
    fn the_spread_is_shown_with_the_median() {
        let table = good().table();
        let line = table.lines().find(|line| line.starts_with("difference")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(
            words[4..],
            ["10.0", "ms", "15.0", "ms", "20.0", "ms", "25.0", "ms", "30.0", "ms"]
        );
        assert!(quantile(&[], 0.5).is_nan());
    }
}
