//! What a made-up commit contains. The commit's hash spells its content out, so that the world needs no memory: equal work has
//! equal commits, and whoever has the hash knows which checks are green there.

use autopilot_core::run::ids::Commit;
use autopilot_core::run::measured::{CheckName, CheckResult};

use super::behaviour::Red;

/// The bits of one project check in `Tree::reds`.
const CHECK_BITS: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tree {
    /// Place of the phase that worked on it last; 0 is the user.
    pub phase: u16,
    /// The criteria of that phase which are green, as bits.
    pub criteria: u32,
    /// Compile, lint, test and build, two bits each: green, red, timed out, not run.
    pub reds: u8,
    /// The task's own checks that are red, as bits.
    pub task_reds: u16,
    /// Stands for all words in all files.
    pub words: u64,
    /// What is odd about the work of the last phase, as bits.
    pub flaws: u8,
}

/// A JSON file cannot be read.
pub const BAD_JSON: u8 = 1;
/// The phase changes nothing in all.
pub const UNDONE: u8 = 2;
/// A test is gone.
pub const WEAKENED: u8 = 4;
/// What work is measured by is another, as the plan wants it.
pub const REDEFINED: u8 = 8;
/// A file is another that no plan names.
pub const STRAYED: u8 = 16;
/// Tests were made to fit: as they were before, they are red.
pub const REFITTED: u8 = 32;
/// The phase brings tests of its own to a project that had none.
pub const TESTED: u8 = 64;
/// These hold without its code too.
pub const IDLE: u8 = 128;

impl Tree {
    /// The user's commit a run starts from.
    pub fn base(reds: &[(CheckName, Red)]) -> Tree {
        let mut tree = Tree { words: of_text("base"), ..Tree::default() };
        for (check, red) in reds {
            tree.leave(*check, *red);
        }
        tree
    }

    /// A commit that is none of this world's reads as an empty tree.
    pub fn read(commit: &Commit) -> Tree {
        let text = commit.as_str();
        let number = |from: usize, digits: usize| {
            let part = text.get(from..from + digits).unwrap_or_default();
            u64::from_str_radix(part, 16).unwrap_or_default()
        };
        Tree {
            phase: number(0, 4) as u16,
            criteria: number(4, 8) as u32,
            reds: number(12, 2) as u8,
            task_reds: number(14, 4) as u16,
            words: number(18, 16),
            flaws: number(34, 2) as u8,
        }
    }

    pub fn commit(&self) -> Commit {
        let Tree { phase, criteria, reds, task_reds, words, flaws } = self;
        let text = format!(
            "{phase:04x}{criteria:08x}{reds:02x}{task_reds:04x}{words:016x}{flaws:02x}0000"
        );
        match text.parse() {
            Ok(commit) => commit,
            Err(why) => unreachable!("forty digits are a commit: {why}"),
        }
    }

    pub(super) fn leave(&mut self, check: CheckName, red: Red) {
        match check {
            CheckName::Criterion(number) => self.criteria &= !bit(number),
            CheckName::Task(number) => self.task_reds |= bit(number) as u16,
            CheckName::Compile | CheckName::Lint | CheckName::Test | CheckName::Build => {
                self.reds &= !(0b11 << place(check));
                self.reds |= red.bits() << place(check);
            }
        }
    }

    pub(super) fn result(&self, check: CheckName) -> CheckResult {
        let bits = match check {
            CheckName::Task(number) => u8::from(u32::from(self.task_reds) & bit(number) > 0),
            CheckName::Criterion(number) => u8::from(self.criteria & bit(number) == 0),
            project => (self.reds >> place(project)) & 0b11,
        };
        match bits {
            0 => CheckResult::Green,
            1 => CheckResult::Red { exit: Some(1) },
            2 => CheckResult::TimedOut,
            _ => CheckResult::NotRun,
        }
    }

    pub(super) fn committed_on(self, parent: &Tree) -> Tree {
        let words = mix(&[1, parent.words, self.words]);
        Tree { task_reds: 0, words, ..self }
    }

    /// The closing commit adds the phase's own files.
    pub(super) fn closed_on(self, onto: &Tree) -> Tree {
        Tree { words: mix(&[2, onto.words, self.words]), ..self }
    }
}

fn place(check: CheckName) -> u32 {
    let at = match check {
        CheckName::Compile => 0,
        CheckName::Lint => 1,
        CheckName::Test => 2,
        CheckName::Build | CheckName::Criterion(_) | CheckName::Task(_) => 3,
    };
    at * CHECK_BITS
}

/// The bit of a criterion or a task's check, counted from 1. What is beyond the word has none and is never green.
pub(super) fn bit(number: u32) -> u32 {
    1_u32.checked_shl(number.saturating_sub(1)).unwrap_or_default()
}

/// A hash of numbers: SplitMix64's finish over each, which spreads every bit.
pub fn mix(parts: &[u64]) -> u64 {
    let mut mixed = 0x9E37_79B9_7F4A_7C15_u64;
    for part in parts {
        mixed = (mixed ^ part).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
    }
    mixed
}

pub fn of_text(text: &str) -> u64 {
    text.bytes().fold(7, |mixed, byte| mix(&[mixed, u64::from(byte)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_says_what_it_contains() {
        let mut tree = Tree {
            phase: 30,
            criteria: 0b101,
            words: u64::MAX - 3,
            flaws: UNDONE,
            ..Tree::default()
        };
        tree.leave(CheckName::Build, Red::NotRun);
        tree.leave(CheckName::Test, Red::TimedOut);
        tree.leave(CheckName::Task(2), Red::Red);
        assert_eq!(Tree::read(&tree.commit()), tree);
        assert_eq!(tree.result(CheckName::Build), CheckResult::NotRun);
        assert_eq!(tree.result(CheckName::Test), CheckResult::TimedOut);
        assert_eq!(tree.result(CheckName::Compile), CheckResult::Green);
        assert_eq!(tree.result(CheckName::Task(1)), CheckResult::Green);
        assert_eq!(tree.result(CheckName::Task(2)), CheckResult::Red { exit: Some(1) });
        assert_eq!(tree.result(CheckName::Criterion(1)), CheckResult::Green);
        assert_eq!(tree.result(CheckName::Criterion(2)), CheckResult::Red { exit: Some(1) });
    }

    #[test]
    fn equal_work_has_equal_commits_and_other_work_another() {
        let (base, work) = (Tree::base(&[]), Tree { words: 9, ..Tree::default() });
        assert_eq!(work.committed_on(&base).commit(), work.committed_on(&base).commit());
        assert_ne!(work.committed_on(&base).commit(), work.committed_on(&work).commit());
        assert_ne!(work.committed_on(&base).commit(), work.closed_on(&base).commit());
    }
}
