//! The exit codes people script against (EXIT-1), and which one wins when several apply.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Success,
    Failed,
    Usage,
    NeedsPerson,
    BudgetOrLimit,
    GateNotMet,
    Environment,
    TryLater,
    Interrupted,
    Terminated,
}

/// From the strongest to the weakest: the first that applies is the one reported.
const PRECEDENCE: [Exit; 10] = [
    Exit::Interrupted,
    Exit::Terminated,
    Exit::Usage,
    Exit::Environment,
    Exit::TryLater,
    Exit::BudgetOrLimit,
    Exit::Failed,
    Exit::NeedsPerson,
    Exit::GateNotMet,
    Exit::Success,
];

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NeedsPerson => 3,
            Exit::BudgetOrLimit => 4,
            Exit::GateNotMet => 5,
            Exit::Environment => 6,
            Exit::TryLater => 75,
            Exit::Interrupted => 130,
            Exit::Terminated => 143,
        }
    }

    /// The meaning of another autopilot's exit code; one we do not know is a failure.
    pub fn of_code(code: i32) -> Exit {
        let known = PRECEDENCE.into_iter().find(|exit| i32::from(exit.code()) == code);
        known.unwrap_or(Exit::Failed)
    }

    /// The word used in JSON errors.
    pub fn word(self) -> &'static str {
        match self {
            Exit::Success => "success",
            Exit::Failed => "failed",
            Exit::Usage => "usage",
            Exit::NeedsPerson => "needs_person",
            Exit::BudgetOrLimit => "budget_or_limit",
            Exit::GateNotMet => "gate_not_met",
            Exit::Environment => "environment",
            Exit::TryLater => "try_later",
            Exit::Interrupted => "interrupted",
            Exit::Terminated => "terminated",
        }
    }

    pub fn strongest(exits: impl IntoIterator<Item = Exit>) -> Exit {
        let rank = |exit: &Exit| PRECEDENCE.iter().position(|listed| listed == exit);
        exits.into_iter().min_by_key(rank).unwrap_or(Exit::Success)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exit_is_told_by_its_code() {
        for exit in PRECEDENCE {
            assert_eq!(Exit::of_code(i32::from(exit.code())), exit);
        }
        assert_eq!(Exit::of_code(101), Exit::Failed);
    }

    #[test]
    fn the_strongest_exit_wins() {
        let check = |exits: &[Exit], code: u8| {
            assert_eq!(Exit::strongest(exits.iter().copied()).code(), code, "{exits:?}");
        };
        check(&[], 0);
        check(&[Exit::Success, Exit::GateNotMet], 5);
        check(&[Exit::Failed, Exit::BudgetOrLimit], 4);
        check(&[Exit::Environment, Exit::Usage], 2);
        check(&[Exit::Usage, Exit::Terminated, Exit::Interrupted], 130);
        check(&[Exit::NeedsPerson, Exit::Failed, Exit::TryLater], 75);
    }
}
