//! Makes the names of runs: the time they began, for people, and four letters. Their order is the order of the runs, so a run that
//! begins in the second of the one before it, or after the clock was put back, is named for a later one.

use std::fs::File;
use std::io::Read;

use autopilot_core::problem::Problem;
use autopilot_core::run::ids::{Moment, RunId};
use autopilot_core::run::projection::iso;
use autopilot_journal::Folder;

use crate::journal_read;

/// How far a name may be ahead of the clock. A clock that is put back by more was wrong before.
const AHEAD_SECONDS_MAX: u64 = 24 * 60 * 60;

/// `run-20260102-030405-k3fx`, for the run that follows those in `folder`. Whoever asks holds the lock on it.
pub(crate) fn next(folder: &Folder, now: Moment) -> Result<Option<RunId>, Problem> {
    let newest = journal_read::newest_first(folder)?.into_iter().next();
    let newest = newest.as_ref().map(|id| id.as_str()).unwrap_or_default();
    let mut random = [0u8; 4];
    // Without a source of randomness the time alone has to do; the journal refuses a name that is taken.
    let _ = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut random));
    Ok(named(after(newest, now), random))
}

/// The first second from now on whose names all come after `newest`.
fn after(newest: &str, now: Moment) -> Moment {
    let mut seconds = (0..=AHEAD_SECONDS_MAX).map(|ahead| Moment(now.0 + ahead * 1_000));
    let is_after = |moment: &Moment| {
        let start = start_of_name(*moment);
        newest.get(..start.len()).unwrap_or(newest) < start.as_str()
    };
    seconds.find(is_after).unwrap_or(now)
}

fn start_of_name(moment: Moment) -> String {
    let date: String = iso(moment).chars().filter(|c| c.is_ascii_digit() || *c == 'T').collect();
    format!("run-{}", date.replace('T', "-"))
}

fn named(moment: Moment, random: [u8; 4]) -> Option<RunId> {
    // Without vowels, so that no word comes out; without 0, 1 and l, which look alike.
    const LETTERS: &[u8; 28] = b"bcdfghjkmnpqrstvwxz23456789y";
    let letters: String =
        random.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect();
    format!("{}-{letters}", start_of_name(moment)).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_for_when_it_began() {
        let id = named(Moment(1_767_323_045_000), [0, 1, 28, 255]).unwrap();
        assert_eq!(id.as_str(), "run-20260102-030405-bcbf");
    }

    #[test]
    fn a_run_is_named_after_every_one_before_it() {
        let now = Moment(1_767_323_045_000);
        let check = |newest: &str, expected: &str| {
            assert_eq!(start_of_name(after(newest, now)), expected, "after {newest}");
        };
        check("", "run-20260102-030405");
        check("run-1", "run-20260102-030405");
        check("run-20260102-030404-zzzz", "run-20260102-030405");
        check("run-20260102-030405-bbbb", "run-20260102-030406");
        check("run-20260102-040000-bbbb", "run-20260102-040001");
        check("run-20270101-000000-bbbb", "run-20260102-030405");
    }
}
