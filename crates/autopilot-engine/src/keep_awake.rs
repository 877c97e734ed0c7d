//! Keeps the machine from falling asleep while a run is on, by the program the system has for it. A comfort: where there is none, or it
//! does not work, the run goes on all the same, and nothing is said.

use std::path::Path;

use crate::launcher::Launcher;
use crate::machine::Machine;
use crate::process::{Companion, Environment, Order, find_program};

/// Holds as long as it lives.
pub struct KeepAwake {
    companion: Companion,
    program: &'static str,
}

/// Each runs a program and keeps the machine awake until that ends. Asked only for what it takes: the screen may go dark.
const KEEPERS: [(&str, &[&str]); 2] = [
    (
        "systemd-inhibit",
        &["--what=sleep:idle", "--who=autopilot", "--why=a run is going on", "--mode=block"],
    ),
    ("caffeinate", &["-i", "-m"]),
];

/// Says a word once it runs, which is once the lock is held, and stays until its input closes.
const HOLD: &str = "echo held; exec cat >/dev/null";

impl KeepAwake {
    /// None where the machine has no such program, or it does not start.
    pub fn start(machine: &Machine, launcher: &Launcher, folder: &Path) -> Option<KeepAwake> {
        let found = KEEPERS.into_iter().find_map(|(name, arguments)| {
            Some((name, find_program(Path::new(name), machine.path())?, arguments))
        });
        let (program, path, arguments) = found?;
        let hold = ["sh", "-c", HOLD];
        let order =
            Order::new(path, folder, Environment::listed(machine), std::time::Duration::MAX)
                .arguments(arguments.iter().copied().chain(hold));
        let companion = Companion::start(order, launcher).ok()?;
        Some(KeepAwake { companion, program })
    }

    /// The program that holds the lock, once it does.
    pub fn held_by(&self) -> Option<&'static str> {
        self.companion.has_spoken().then_some(self.program)
    }
}
