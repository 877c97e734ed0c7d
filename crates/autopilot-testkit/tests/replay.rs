//! Replaying a journal: one that today's rules wrote has no difference, and one decision that was changed is found where it stands.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::Event;
use autopilot_core::run::gate::Verdict;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::replay::{Field, Replayed, replay};
use autopilot_testkit::scenario;

const STORY: &str = "# GATE-1: a lie, a repair and a phase that is sent back
given    roadmap: 1 login; 2 mail, after 1
happens  1 executor leaves test red; 1 executor leaves build red; 2 rated 8.2
expect   1 passed 9.2, 2 passed 9.2, exit 0
";

fn story() -> (Vec<Event>, Vec<Moment>) {
    let played = scenario::read("story.txt", STORY).unwrap()[0].check().unwrap();
    (played.journal, played.times)
}

fn replayed(journal: &[Event], times: &[Moment]) -> Replayed {
    replay(times.iter().copied().zip(journal))
}

#[test]
fn what_todays_rules_wrote_has_no_difference() {
    for scenario in scenario::all().unwrap() {
        let played = scenario.play().unwrap();
        let replayed = replayed(&played.journal, &played.times);
        assert_eq!(replayed.differences, [], "{}", scenario.place);
        assert_eq!(replayed.events, played.journal.len() as u64);
        assert_eq!(replayed.state.as_ref(), Some(&played.state), "{}", scenario.place);
    }
}

/// Makes another decision of it; None for what is no decision.
fn altered(event: &Event) -> Option<Event> {
    let mut event = event.clone();
    match &mut event {
        Event::StepSkipped { why, .. } | Event::TaskRetried { why, .. } => {
            why.push_str(" it seems")
        }
        Event::VerdictReached { verdict, .. } => {
            *verdict = Verdict::Defer { why: "somebody said so".to_string() };
        }
        Event::StepStarted { effect: Effect::RunAgent(order), .. } => order.tokens_max += 1,
        Event::StepStarted { effect: Effect::Measure(order), .. } => {
            order.checks.pop()?;
        }
        Event::RemediationStarted { findings, .. } => findings.clear(),
        _ => return None,
    }
    Some(event)
}

#[test]
fn a_decision_that_was_changed_is_found_where_it_stands() {
    let (journal, times) = story();
    let mut kinds = std::collections::BTreeSet::new();
    for (at, event) in journal.iter().enumerate() {
        let Some(changed) = altered(event) else { continue };
        let mut other = journal.clone();
        other[at] = changed;
        let found = replayed(&other, &times);
        assert_eq!(found.differences[0].number, at as u64, "{event:?}");
        kinds.insert(event.name());
    }
    assert_eq!(kinds.len(), 5, "{kinds:?}");
}

#[test]
fn a_difference_is_told_in_words_and_values() {
    let (mut journal, times) = story();
    let is_verdict = |event: &Event| matches!(event, Event::VerdictReached { .. });
    let at = journal.iter().position(is_verdict).unwrap();
    let phase = "1".parse().unwrap();
    let why = "it is not clear".to_string();
    journal[at] = Event::VerdictReached { phase, verdict: Verdict::Defer { why } };
    let found = replayed(&journal, &times);
    let first = &found.differences[0];
    assert_eq!(first.phase, Some("1".parse().unwrap()));
    assert_eq!(first.recorded, "gate: a person has to look: it is not clear");
    assert_eq!(first.today, "gate: DEBUG: build red");
    let field = |path: &str, recorded: &str, today: &str| Field {
        path: path.to_string(),
        recorded: recorded.to_string(),
        today: today.to_string(),
    };
    let expected = [
        field("verdict.is", "\"defer\"", "\"debug\""),
        field("verdict.why", "\"it is not clear\"", "null"),
        field("verdict.reds", "null", "[\"build\"]"),
    ];
    assert_eq!(first.fields, expected);
    // What follows a verdict does not follow another one.
    let last = found.differences.last().unwrap();
    assert!(last.today.starts_with("refuse it: "), "{last:?}");
    assert!(found.events < journal.len() as u64);
}

#[test]
fn differences_beyond_the_limit_are_counted() {
    let (journal, times) = story();
    let skip = |event: &Event| matches!(event, Event::StepSkipped { .. });
    let at = journal.iter().position(skip).unwrap();
    // A step can be skipped again and again as far as the state is concerned; the rules would go on.
    let mut many = journal[..at].to_vec();
    many.extend(std::iter::repeat_n(journal[at].clone(), 300));
    let moments = vec![times[at]; many.len()];
    let found = replayed(&many, &moments);
    let max = autopilot_core::limits::REPLAY_DIFFERENCES_MAX;
    match found.left_out {
        0 => assert_eq!(found.differences.len(), 1, "the state refuses the second one: {found:?}"),
        more => assert_eq!((found.differences.len(), more), (max, 299 - max as u64)),
    }
}
