//! What the checks found, for people: a line for the screen and `logs`, sections for the report of the run.

use std::fmt::Write;

use crate::contract::Role;
use crate::finding::printable;
use crate::phase_id::PhaseId;
use crate::run::checks::places::{CommitSeen, Seen};
use crate::run::checks::{Checked, Integrity};
use crate::run::event::Event;
use crate::run::state::RunState;
use crate::run::words::{Said, Tone, counted};

/// `state` is the one before the event.
pub fn said(state: &RunState, event: &Event) -> Option<Said> {
    match event {
        Event::PlacesLookedUp { seen, commits, .. } => looked_up(state, seen, commits),
        Event::ReturnRejected { phase, role, check, reasons } => {
            let step = role.name();
            let text = format!("{step}: not accepted ({}): {}", check.words(), reasons.join("; "));
            warned(Some(phase), text)
        }
        Event::IntegrityWarning { phase, check, reason, .. } => {
            warned(Some(phase), format!("{}: {reason}", check.words()))
        }
        Event::UnnecessaryDeferralWarning { phase, reason, .. } => {
            warned(Some(phase), format!("{}: {reason}", Integrity::UnnecessaryDeferral.words()))
        }
        Event::CrossContaminationWarning { phase, role, reason } => {
            let check = Integrity::Contamination.words();
            warned(Some(phase), format!("{check} ({}): {reason}", role.name()))
        }
        Event::RubberStampWarning { streak } => {
            warned(None, format!("scores much alike: {}", streak.words()))
        }
        Event::RubberStampEnhanced { streak } => warned(
            None,
            format!(
                "scores much alike: {}; the next phase is reviewed more strictly",
                streak.words()
            ),
        ),
        Event::RubberStampCritical { streak } => warned(
            None,
            format!(
                "CRITICAL: scores much alike: {}; everything left is reviewed more strictly",
                streak.words()
            ),
        ),
        _ => None,
    }
}

fn looked_up(state: &RunState, seen: &[Seen], commits: &[CommitSeen]) -> Option<Said> {
    let is_missing = |one: &&Seen| !matches!(one, Seen::There | Seen::Gone);
    let is_wrong = |one: &&CommitSeen| !matches!(one, CommitSeen::Known | CommitSeen::Unclear);
    let missing = seen.iter().filter(is_missing).count() + commits.iter().filter(is_wrong).count();
    let phase = state.in_flight.as_ref()?.effect.phase().cloned();
    let places = || counted(seen.len(), "named place");
    let named = || counted(commits.len(), "named commit");
    let all = match (seen.is_empty(), commits.is_empty()) {
        (_, true) => places(),
        (true, false) => named(),
        (false, false) => format!("{}, {}", places(), named()),
    };
    let text = match missing {
        0 => format!("evidence: {all} found"),
        count => format!("evidence: {all}, {count} of them not found"),
    };
    let tone = if missing > 0 { Tone::Warning } else { Tone::Plain };
    Some(Said { tone, phase, text })
}

fn warned(phase: Option<&PhaseId>, text: String) -> Option<Said> {
    Some(Said { tone: Tone::Warning, phase: phase.cloned(), text: printable(&text) })
}

/// The section of the run's report about scores that are much alike; nothing where there are none.
pub fn alert(state: &RunState) -> String {
    let mut text = String::new();
    let mut suspicious = state.stamps.suspicious().peekable();
    if suspicious.peek().is_none() {
        return text;
    }
    text.push_str(
        "\n## Rubber-Stamp Alert\n\nThe scores of these phases are much alike, so little may have been looked at:\n\n",
    );
    for (phase, score) in suspicious {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "- phase {phase}: {score}");
    }
    text
}

/// What was not accepted and what was warned of in a phase.
pub fn remarks(checked: &Checked) -> String {
    let mut text = String::new();
    let step = |role: Role| role.name();
    for (role, rejected) in &checked.rejected {
        let (count, last) = (rejected.count, printable(&rejected.last.join("; ")));
        let times = if count == 1 { "once" } else { "twice" };
        let _ = writeln!(text, "- {}: not accepted {times}: {last}", step(*role));
    }
    for warned in &checked.warned {
        let _ = writeln!(text, "- {}: {}", warned.check.words(), printable(&warned.reason));
    }
    match text.is_empty() {
        true => text,
        false => format!("\n### Remarks\n\n{text}"),
    }
}

#[cfg(test)]
#[path = "telling_tests.rs"]
mod tests;
