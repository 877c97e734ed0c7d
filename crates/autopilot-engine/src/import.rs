//! A `state.json` that another program left in `.autopilot/` (STATE-1). Whoever only looks counts what it says; a run that starts takes
//! it over into the ledger and puts the file into the archive. Where there is a journal of ours, ours is what counts.

use autopilot_core::finding::{Finding, Place, Severity};
use autopilot_core::problem::Problem;
use autopilot_core::run::import::{self, Imported};
use autopilot_core::run::ledger::Ledger;
use autopilot_journal::archive::archived;
use autopilot_journal::projection::{Author, StateFile};
use autopilot_journal::{Folder, Lock};

use crate::journal_read;

const SHOWN: &str = ".autopilot/state.json";

/// What the file says; None where there is none of another program, or there are runs of ours.
pub fn look(folder: &Folder) -> Result<Option<Imported>, Problem> {
    let is_ours = |runs: Vec<_>| !runs.is_empty();
    if is_ours(folder.runs().map_err(|error| error.problem())?)
        || is_ours(archived(folder).map_err(|error| error.problem())?)
    {
        return Ok(None);
    }
    Ok(match folder.read_state().map_err(|error| error.problem())? {
        StateFile::Absent => None,
        StateFile::Read(state) => match state.author {
            Author::Other => Some(import::read(SHOWN, &state.value)),
            // Our own without its journal says nothing that the ledger does not know.
            Author::Autopilot | Author::EditedByHand => None,
        },
        StateFile::Broken(broken) => {
            let message = format!("it cannot be read: {}; nothing is taken from it", broken.what);
            Some(Imported {
                findings: vec![note(Severity::Warning, message)],
                ..Imported::default()
            })
        }
    })
}

/// Writes what the file says into the ledger and puts the file away; done twice it is done once. What is worth saying is returned.
pub fn take_over(folder: &Folder, lock: &Lock) -> Result<Vec<Finding>, Problem> {
    let Some(imported) = look(folder)? else { return Ok(Vec::new()) };
    let mut ledger: Ledger = journal_read::own_ledger(folder)?;
    let count = import::merge(&mut ledger, &imported);
    if count > 0 {
        folder.write_ledger(lock, &ledger).map_err(|error| error.problem())?;
    }
    let kept = folder.archive_foreign_state(lock).map_err(|error| error.problem())?;
    let places: Vec<String> =
        kept.iter().filter_map(|path| path.file_name()?.to_str().map(str::to_string)).collect();
    let mut findings = imported.findings;
    findings.insert(
        0,
        note(
            Severity::Note,
            format!(
                "another program wrote it: the outcomes of {count} phases were taken over; it is kept in .autopilot/archive/ as {}",
                places.join(", ")
            ),
        ),
    );
    Ok(findings)
}

/// For whoever only looks.
pub fn remarks(imported: &Imported) -> Vec<Finding> {
    let mut findings = imported.findings.clone();
    if !imported.entries.is_empty() {
        let count = imported.entries.len();
        let message = format!(
            "another program wrote it: the outcomes of {count} phases count; the next run takes them over"
        );
        findings.insert(0, note(Severity::Note, message));
    }
    findings
}

fn note(severity: Severity, message: String) -> Finding {
    Finding { severity, place: Place::file(SHOWN), message }
}
