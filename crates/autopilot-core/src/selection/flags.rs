//! The flags that change what runs, and the pairs that cannot be meant together (INV-2).

use crate::problem::Problem;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    pub complete: bool,
    pub map: bool,
    pub force: bool,
    pub quality: bool,
    pub gaps: bool,
}

/// How completed phases are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Unfinished phases run, completed ones are skipped.
    Forward,
    Force,
    Quality,
    Gaps,
}

struct Forbidden {
    one: &'static str,
    other: &'static str,
    clash: &'static str,
    suggestion: &'static str,
}

const FORBIDDEN: [Forbidden; 5] = [
    Forbidden {
        one: "--force",
        other: "--quality",
        clash: "--force throws the finished work's verdict away and starts over, --quality builds on it until it scores 9.5",
        suggestion: "to improve what is there, use --quality alone; to start over, use --force alone",
    },
    Forbidden {
        one: "--force",
        other: "--gaps",
        clash: "--force starts a phase over, --gaps closes single deficiencies of the finished one",
        suggestion: "run --force first, then --gaps on its result",
    },
    Forbidden {
        one: "--force",
        other: "--complete",
        clash: "--force is for completed phases, --complete for all that are not",
        suggestion: "use --complete to finish the project, then --force N for a phase you want done again",
    },
    Forbidden {
        one: "--force",
        other: "--map",
        clash: "--force runs completed phases again as they were asked for, --map asks what is unclear in phases still to come",
        suggestion: "use --map for the phases to come, or --force N alone",
    },
    Forbidden {
        one: "--gaps",
        other: "--complete",
        clash: "--gaps is for completed phases, --complete for all that are not",
        suggestion: "use --complete first, then --gaps",
    },
];

impl Flags {
    pub fn mode(self) -> Mode {
        match (self.force, self.quality, self.gaps) {
            (true, _, _) => Mode::Force,
            (false, _, true) => Mode::Gaps,
            (false, true, false) => Mode::Quality,
            (false, false, false) => Mode::Forward,
        }
    }

    pub fn check(self) -> Result<(), Problem> {
        let given = |flag: &str| match flag {
            "--force" => self.force,
            "--quality" => self.quality,
            "--gaps" => self.gaps,
            "--complete" => self.complete,
            _ => self.map,
        };
        match FORBIDDEN.iter().find(|pair| given(pair.one) && given(pair.other)) {
            None => Ok(()),
            Some(pair) => Err(Problem::usage(
                format!("{} and {} cannot be used together", pair.one, pair.other),
                pair.clash,
                pair.suggestion,
            )),
        }
    }
}
