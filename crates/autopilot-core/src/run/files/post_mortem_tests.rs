//! The post-mortem of a failed phase and what it teaches, compared as a whole; its bounds.

use super::*;
use crate::run::story;

#[test]
fn a_failed_phase_has_a_post_mortem_and_its_rule_is_in_the_learnings() {
    let story = story::told();
    let text = story.file("diagnostics/phase-1-postmortem.json");
    insta::assert_snapshot!("post_mortem", text);
    let read: serde_json::Value = serde_json::from_str(text).unwrap();
    let rule = read["prevention_rule"].as_str().unwrap();
    assert!(story.file("learnings.md").contains(rule));
    assert_eq!(learnings::told(&story.state), [format!("Phase 1 failed. {rule}")]);
    insta::assert_snapshot!("learnings", story.file("learnings.md"));
}

#[test]
fn what_an_earlier_run_taught_is_gone_when_a_run_begins() {
    let story = story::told();
    let first = story.files.first().unwrap();
    assert_eq!(first.path, "learnings.md");
    assert_eq!(first.text, "# Learnings (current run)\n\nRun run-1.\n");
}

#[test]
fn a_timeline_is_bounded_and_begins_where_it_went_wrong() {
    let story = story::told();
    let whole = timeline(&story.trails[0]);
    assert!(whole.len() <= limits::TIMELINE_MAX);
    let first_wrong = whole.iter().position(|entry| entry.status != TimelineStatus::Success);
    assert_eq!(first_wrong, Some(0), "{whole:?}");
    let newest = &whole.last().unwrap().event;
    assert!(newest.starts_with("Phase 1: FAIL"), "{newest}");
}

#[test]
fn a_phase_that_failed_before_any_agent_has_a_post_mortem_too() {
    let story = story::told();
    let mut state = None;
    for (event, at) in &story.events {
        state = Some(crate::run::apply(state, event, *at).unwrap());
        if matches!(event, Event::PhaseOpened { .. }) {
            break;
        }
    }
    let state = state.unwrap();
    let failure = PhaseFailure {
        category: crate::contract::Category::from_word("bad_luck"),
        step: "budget".to_string(),
        reason: "used up".to_string(),
    };
    let phase = state.running().unwrap();
    let document = document(&state, &Trail::default(), phase, &failure, Moment(1_000));
    assert_eq!(document.root_cause.category, "coordination_failure", "one of the ten");
    assert_eq!(document.root_cause.first_observed_at, "1970-01-01T00:00:01Z");
    assert_eq!((document.timeline.len(), document.attempted_fixes.len()), (0, 0));
    assert!(!document.prevention_rule.is_empty());
}
