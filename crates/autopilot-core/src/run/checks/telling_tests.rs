//! What people read of the checks: lines of the screen, and the sections of the report.

use super::*;
use crate::run::checks::fixture::Scene;
use crate::run::checks::places::{CommitSeen, LookUpOrder};
use crate::run::checks::uniform_scores::Streak;
use crate::run::checks::{Rejected, Warned};
use crate::run::effect::Effect;
use crate::run::event::StopRequest;
use crate::run::ids::{AttemptId, Moment};
use crate::run::state::InFlight;
use crate::score::Score;

/// A run that is looking places of its phase up.
fn looking_up() -> RunState {
    let mut scene = Scene::new();
    let (phase, at) = (scene.phase.id.clone(), scene.work.head.clone());
    scene.run.in_flight = Some(InFlight {
        attempt: AttemptId(1),
        effect: Effect::LookUp(LookUpOrder {
            phase,
            role: Role::Verify,
            at,
            places: Vec::new(),
            commits: Vec::new(),
        }),
        started_at: Moment(0),
        group: None,
        tasks: Vec::new(),
        quiet: None,
    });
    scene.run
}

fn streak() -> Streak {
    let score = |tenths: u8| Score::from_tenths(tenths).unwrap();
    let phases = (1..=3).map(PhaseId::number).collect();
    Streak { phases, lowest: score(92), highest: score(94) }
}

#[test]
fn what_was_looked_up_is_a_line() {
    let state = looking_up();
    let check = |event: Event, phase: Option<u32>, tone: Tone, expected: &str| {
        let (text, phase) = (expected.to_string(), phase.map(PhaseId::number));
        assert_eq!(said(&state, &event), Some(Said { tone, phase, text }));
    };
    let named = |seen: &[Seen], commits: &[CommitSeen]| Event::PlacesLookedUp {
        attempt: AttemptId(1),
        seen: seen.to_vec(),
        facts: Vec::new(),
        commits: commits.to_vec(),
    };
    let looked_up = |seen: &[Seen]| named(seen, &[]);
    check(
        named(&[Seen::Gone], &[CommitSeen::Known, CommitSeen::Missing]),
        Some(1),
        Tone::Warning,
        "evidence: 1 named place, 2 named commits, 1 of them not found",
    );
    check(named(&[], &[CommitSeen::Known]), Some(1), Tone::Plain, "evidence: 1 named commit found");
    check(looked_up(&[Seen::There]), Some(1), Tone::Plain, "evidence: 1 named place found");
    check(
        looked_up(&[Seen::NoFile, Seen::There, Seen::NoWords]),
        Some(1),
        Tone::Warning,
        "evidence: 3 named places, 2 of them not found",
    );
}

#[test]
fn every_finding_is_a_line_with_its_phase() {
    let state = looking_up();
    let check = |event: Event, phase: Option<u32>, tone: Tone, expected: &str| {
        let text = expected.to_string();
        let phase = phase.map(PhaseId::number);
        assert_eq!(said(&state, &event), Some(Said { tone, phase, text }));
    };
    let (phase, role) = (PhaseId::number(1), Role::Verify);
    let reasons = vec!["one".to_string(), "two\u{7}".to_string()];
    check(
        Event::ReturnRejected { phase: phase.clone(), role, check: Integrity::Deferral, reasons },
        Some(1),
        Tone::Warning,
        "verify: not accepted (reason to wait for a person): one; two\u{fffd}",
    );
    let reason = "quick".to_string();
    check(
        Event::IntegrityWarning {
            phase: phase.clone(),
            role,
            check: Integrity::TooFast,
            reason: reason.clone(),
        },
        Some(1),
        Tone::Warning,
        "time of the phase: quick",
    );
    check(
        Event::UnnecessaryDeferralWarning { phase: phase.clone(), role, reason: reason.clone() },
        Some(1),
        Tone::Warning,
        "need of a person: quick",
    );
    check(
        Event::CrossContaminationWarning { phase, role, reason },
        Some(1),
        Tone::Warning,
        "blind review (verify): quick",
    );
}

#[test]
fn scores_alike_are_told_of_the_run_and_louder_each_time() {
    let state = looking_up();
    let check = |event: Event, expected: &str| {
        let text = expected.to_string();
        assert_eq!(said(&state, &event), Some(Said { tone: Tone::Warning, phase: None, text }));
    };
    let alike = "scores much alike: 9.2-9.4 in 3 phases in a row";
    check(Event::RubberStampWarning { streak: streak() }, alike);
    check(
        Event::RubberStampEnhanced { streak: streak() },
        &format!("{alike}; the next phase is reviewed more strictly"),
    );
    check(
        Event::RubberStampCritical { streak: streak() },
        &format!("CRITICAL: {alike}; everything left is reviewed more strictly"),
    );
}

#[test]
fn other_events_are_told_elsewhere() {
    assert_eq!(said(&looking_up(), &Event::StopRequested { how: StopRequest::Now }), None);
}

#[test]
fn the_report_lists_the_phases_whose_scores_are_suspicious() {
    let mut state = looking_up();
    for number in 1..=7 {
        assert_eq!(alert(&state), "", "{number}");
        state.stamps.add(&PhaseId::number(number), Score::from_tenths(92));
    }
    let critical = state.stamps.due().unwrap();
    state.stamps.tell(&critical).unwrap();
    state.stamps.add(&PhaseId::number(8), Score::from_tenths(70));
    let listed: Vec<String> = (1..=7).map(|number| format!("- phase {number}: 9.2\n")).collect();
    let expected = format!(
        "\n## Rubber-Stamp Alert\n\nThe scores of these phases are much alike, so little may have been looked at:\n\n{}",
        listed.concat()
    );
    assert_eq!(alert(&state), expected);
}

#[test]
fn the_report_remarks_on_what_was_not_accepted_and_what_was_warned_of() {
    let mut checked = Checked::default();
    assert_eq!(remarks(&checked), "");
    let rejected = |count: u32, last: &[&str]| Rejected {
        count,
        last: last.iter().map(ToString::to_string).collect(),
        ..Rejected::default()
    };
    checked.rejected.insert(Role::Verify, rejected(1, &["no place", "no words"]));
    checked.rejected.insert(Role::Judge, rejected(2, &["a stamp"]));
    let reason = "2 tasks in 3 s".to_string();
    checked.warned.push(Warned { check: Integrity::TooFast, role: Role::Verify, reason });
    let expected = "\n### Remarks\n\n\
        - verify: not accepted once: no place; no words\n\
        - judge: not accepted twice: a stamp\n\
        - time of the phase: 2 tasks in 3 s\n";
    assert_eq!(remarks(&checked), expected);
}
