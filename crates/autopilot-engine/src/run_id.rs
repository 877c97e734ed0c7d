//! Makes the names of runs: the time they began, for people, and four letters that keep two of the same second apart.

use std::fs::File;
use std::io::Read;

use autopilot_core::run::ids::{Moment, RunId};
use autopilot_core::run::projection::iso;

/// `run-20260102-030405-k3fx`.
pub fn new(now: Moment) -> Option<RunId> {
    let mut random = [0u8; 4];
    // Without a source of randomness the time alone has to do; the journal refuses a name that is taken.
    let _ = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut random));
    named(now, random)
}

fn named(now: Moment, random: [u8; 4]) -> Option<RunId> {
    // Without vowels, so that no word comes out; without 0, 1 and l, which look alike.
    const LETTERS: &[u8; 28] = b"bcdfghjkmnpqrstvwxz23456789y";
    let date: String =
        iso(now).chars().filter(|c| c.is_ascii_digit() || *c == 'T').collect::<String>();
    let date = date.replace('T', "-");
    let letters: String =
        random.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect();
    format!("run-{date}-{letters}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_for_when_it_began() {
        let id = named(Moment(1_767_323_045_000), [0, 1, 28, 255]).unwrap();
        assert_eq!(id.as_str(), "run-20260102-030405-bcbf");
    }
}
