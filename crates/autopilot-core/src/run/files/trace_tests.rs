//! The trace of a phase, compared as a whole; its bounds and what it must not tell.

use super::*;
use crate::run::story;

#[test]
fn every_attempt_and_every_decision_of_a_phase_is_a_span() {
    let story = story::told();
    insta::assert_snapshot!("trace", story.file("traces/run-1/phase-1/TRACE.jsonl"));
    insta::assert_snapshot!("trace_debug", story.file("traces/run-1/phase-1/debug-trace.jsonl"));
}

#[test]
fn the_steps_together_are_the_whole_trace_without_the_decisions() {
    let story = story::told();
    let folder = "traces/run-1/phase-3/";
    let lines = |text: &str| text.lines().map(ToString::to_string).collect::<Vec<_>>();
    let of_steps = story
        .files
        .iter()
        .filter(|file| file.path.starts_with(folder) && !file.path.ends_with(FILE));
    let mut of_steps: Vec<String> = of_steps.flat_map(|file| lines(&file.text)).collect();
    let whole = lines(story.file("traces/run-1/phase-3/TRACE.jsonl"));
    let is_of_step = |line: &String| !line.contains("\"step\":\"phase_runner\"");
    let mut expected: Vec<String> = whole.into_iter().filter(is_of_step).collect();
    of_steps.sort();
    expected.sort();
    assert!(of_steps.len() > 8, "{of_steps:?}");
    assert_eq!(of_steps, expected);
}

#[test]
fn no_trace_names_the_command_of_a_hidden_check() {
    let story = story::told();
    for file in story.files.iter().filter(|file| file.path.ends_with(".jsonl")) {
        assert!(!file.text.contains("make look"), "{}", file.path);
    }
}

#[test]
fn a_summary_is_cut_by_characters_and_is_one_line() {
    assert_eq!(summary("a\nb\tc"), "a b c");
    let long = "ä".repeat(limits::SUMMARY_CHARS_MAX);
    assert_eq!(summary(&long), long);
    let cut = summary(&format!("{long}x"));
    assert_eq!(cut.chars().count(), limits::SUMMARY_CHARS_MAX);
    assert!(cut.ends_with("ä…"));
}

#[test]
fn the_oldest_spans_go_first() {
    let story = story::told();
    let mut trail = Trail::default();
    let mut state = None;
    for (event, at) in &story.events {
        trail.add(state.as_ref(), event, *at);
        state = Some(crate::run::apply(state, event, *at).unwrap());
        if matches!(event, Event::StepSkipped { .. }) {
            break;
        }
    }
    let skipped = Event::StepSkipped {
        phase: PhaseId::number(1),
        step: Skippable::Research,
        why: "again".to_string(),
    };
    for second in 0..=limits::SPANS_MAX as u64 {
        trail.add(state.as_ref(), &skipped, Moment(second));
    }
    let times: Vec<u64> = trail.spans().map(|span| span.ended_at.0).collect();
    assert_eq!(times.len(), limits::SPANS_MAX);
    assert_eq!((times[0], times[1]), (1, 2));
}
