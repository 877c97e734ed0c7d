//! The figures of a run and how they are held against others.

use super::*;
use crate::run::ids::Moment;
use crate::run::story;

fn run(success: f64, average: u8, tokens: u64) -> MetricsDocument {
    MetricsDocument {
        success_rate: success,
        avg_alignment_score: Score::from_tenths(average),
        total_estimated_tokens: tokens,
        total_tokens_used: tokens / 2,
        ..metrics::document(&story::told().state, Moment(1_767_323_045_000))
    }
}

#[test]
fn the_figures_of_a_run_are_those_of_its_phases() {
    let document = metrics::document(&story::told().state, Moment(1_767_324_000_000));
    insta::assert_snapshot!("metrics", serde_json::to_string_pretty(&document).unwrap());
}

#[test]
fn a_first_run_has_nothing_to_be_compared_with() {
    let trend = of(&[], &run(0.5, 84, 100_000));
    assert_eq!((trend.previous, trend.runs), (None, 1));
    assert_eq!((trend.lines(), trend.warning()), (Vec::new(), None));
    assert!(trend.section().contains("first run on record"));
}

#[test]
fn a_run_is_held_against_the_one_before_and_all_of_them() {
    let before = [run(0.4, 70, 900_000), run(1.0, 95, 100_000)];
    let trend = of(&before, &run(0.667, 84, 2_100_000));
    assert_eq!(trend.success_permille, Spread { min: 400, max: 1_000, avg: 689 });
    assert_eq!(trend.average_tenths, Some(Spread { min: 70, max: 95, avg: 83 }));
    assert_eq!(
        trend.lines(),
        [
            "against the run before: success -33.3 points, average -1.1, tokens +1.0M",
            "warning: the success rate fell from 100 % to 66.7 %; seen in both: acceptance_criteria_unmet",
        ]
    );
    insta::assert_snapshot!("trend", trend.section());
    let stored = serde_json::to_string(&trend).unwrap();
    assert_eq!(serde_json::from_str::<Trend>(&stored).unwrap(), trend);
}

#[test]
fn a_run_that_did_better_is_told_without_a_warning() {
    let trend = of(&[run(0.5, 84, 100_000)], &run(0.5, 84, 100_000));
    assert_eq!(
        trend.lines(),
        ["against the run before: success as before, average as before, tokens as before"]
    );
    assert_eq!(trend.warning(), None);
}

#[test]
fn numbers_from_a_file_stay_within_sense() {
    assert_eq!([f64::NAN, -3.0, 7.0, 0.3335].map(permille), [0, 0, 1_000, 334]);
}
