//! Can agents and checks be fenced in on this machine? Both fences are really put up: Landlock around a thread of our own,
//! bubblewrap around a small program, and the one that a run would use is named. Without one a run still starts; whoever starts
//! it should know.

use super::{Check, CheckState};
use crate::fence::{Kind, bubblewrap};
use crate::machine::Machine;

pub fn sandbox(machine: &Machine) -> Vec<Check> {
    vec![landlock(), bubblewrap(machine), fence(machine)]
}

fn fence(machine: &Machine) -> Check {
    let kind = Kind::find(machine);
    match &kind {
        Kind::Landlock { .. } | Kind::Bubblewrap { .. } => {
            Check::good("fence", format!("agents and checks are {}", kind.fencing().words()))
        }
        Kind::Unfenced { .. } => {
            let detail = "agents would run unfenced: able to write wherever you can";
            Check::new("fence", CheckState::Warning, detail)
                .fix("install bubblewrap, or use a kernel with Landlock")
        }
    }
}

#[cfg(target_os = "linux")]
fn landlock() -> Check {
    use crate::fence::kernel::{self, Probe};

    let broken = |detail: &str| Check::new("landlock", CheckState::Broken, detail);
    match kernel::try_out() {
        Probe::Holds { level } => {
            Check::good("landlock", format!("level {level}: writing was refused, reading worked"))
        }
        Probe::Absent => {
            Check::new("landlock", CheckState::Missing, "this kernel has it not or off")
                .fix("Linux 5.13 or newer with lsm=landlock,… at boot")
        }
        Probe::LetsWrite => broken("it did not refuse to write a file"),
        Probe::RefusesReading => broken("it refused to read a file as well"),
        Probe::NotTried(why) => broken(&format!("could not be tried: {why}")),
    }
}

#[cfg(not(target_os = "linux"))]
fn landlock() -> Check {
    Check::new("landlock", CheckState::Missing, "only Linux has it")
}

fn bubblewrap(machine: &Machine) -> Check {
    match bubblewrap::try_out(machine) {
        bubblewrap::Probe::Holds { .. } => Check::good("bubblewrap", "ran a program fenced in"),
        bubblewrap::Probe::Missing => {
            Check::new("bubblewrap", CheckState::Missing, "bwrap not found on PATH")
                .fix("install bubblewrap; a fence where Landlock is absent")
        }
        bubblewrap::Probe::Broken { why } => Check::new("bubblewrap", CheckState::Broken, why)
            .fix("allow unprivileged user namespaces, which it is made of"),
    }
}
