//! Can an agent be fenced in on this machine? Both fences are really put up: Landlock around a thread of our own, bubblewrap
//! around a small program. Without one a run still starts; whoever starts it should know.

use autopilot_core::limits;

use super::{Check, CheckState};
use crate::machine::Machine;
use crate::process::{self, Environment, Order, SpawnError};

pub fn sandbox(machine: &Machine) -> Vec<Check> {
    let mut checks = vec![landlock(), bubblewrap(machine)];
    if checks.iter().all(|check| check.state != CheckState::Good) {
        let detail = "agents would run unfenced: able to write wherever you can";
        let unfenced = Check::new("fence", CheckState::Warning, detail);
        checks.push(unfenced.fix("install bubblewrap, or use a kernel with Landlock"));
    }
    checks
}

#[cfg(target_os = "linux")]
fn landlock() -> Check {
    use kernel_fence::Fence;

    let broken = |detail: &str| Check::new("landlock", CheckState::Broken, detail);
    match kernel_fence::try_out() {
        Fence::Holds { abi } => {
            Check::good("landlock", format!("level {abi}: writing was refused, reading worked"))
        }
        Fence::Absent => {
            Check::new("landlock", CheckState::Missing, "this kernel has it not or off")
                .fix("Linux 5.13 or newer with lsm=landlock,… at boot")
        }
        Fence::LetsWrite => broken("it did not refuse to write a file"),
        Fence::RefusesReading => broken("it refused to read a file as well"),
        Fence::NotTried(why) => broken(&format!("could not be tried: {why}")),
    }
}

#[cfg(not(target_os = "linux"))]
fn landlock() -> Check {
    Check::new("landlock", CheckState::Missing, "only Linux has it")
}

fn bubblewrap(machine: &Machine) -> Check {
    let environment = Environment::listed(machine);
    let arguments = ["--ro-bind", "/", "/", "--unshare-all", "true"];
    let order =
        Order::new("bwrap", "/", environment, limits::VERSION_TIME_MAX).arguments(arguments);
    let broken = |detail: String| {
        Check::new("bubblewrap", CheckState::Broken, detail)
            .fix("allow unprivileged user namespaces, which it is made of")
    };
    match process::run(order) {
        Ok(finished) if finished.succeeded() => {
            Check::good("bubblewrap", "ran a program fenced in")
        }
        Ok(finished) => {
            let last = finished.stderr.last_lines().pop();
            broken(last.unwrap_or_else(|| format!("did not run: {:?}", finished.ending)))
        }
        Err(SpawnError::NotFound { .. }) => {
            Check::new("bubblewrap", CheckState::Missing, "bwrap not found on PATH")
                .fix("install the package bubblewrap")
        }
        Err(error) => broken(error.to_string()),
    }
}

#[cfg(target_os = "linux")]
mod kernel_fence {
    //! Landlock tried on a thread that ends right after: a fence is put up around one thread and cannot be taken down.

    use std::io;
    use std::path::Path;
    use std::thread;

    use landlock::{ABI, AccessFs, LandlockStatus, Ruleset, RulesetAttr, RulesetStatus};

    pub(super) enum Fence {
        Holds { abi: i32 },
        Absent,
        LetsWrite,
        RefusesReading,
        NotTried(String),
    }

    pub(super) fn try_out() -> Fence {
        let folder = match tempfile::Builder::new().prefix("autopilot-fence-").tempdir() {
            Ok(folder) => folder,
            Err(error) => return Fence::NotTried(error.to_string()),
        };
        let inside = folder.path().to_path_buf();
        let thread = thread::Builder::new().name("autopilot-fence".into());
        match thread.spawn(move || inside_the_fence(&inside)) {
            Ok(fenced) => fenced.join().unwrap_or_else(|_| Fence::NotTried("it panicked".into())),
            Err(error) => Fence::NotTried(error.to_string()),
        }
    }

    fn inside_the_fence(folder: &Path) -> Fence {
        let before = folder.join("before.txt");
        if let Err(error) = std::fs::write(&before, "readable") {
            return Fence::NotTried(error.to_string());
        }
        let abi = match forbid_writing() {
            Ok(Some(abi)) => abi,
            Ok(None) => return Fence::Absent,
            Err(error) => return Fence::NotTried(error.to_string()),
        };
        let written = std::fs::write(folder.join("after.txt"), "not allowed");
        let read = std::fs::read_to_string(&before);
        match (written, read) {
            (Err(error), Ok(text))
                if error.kind() == io::ErrorKind::PermissionDenied && text == "readable" =>
            {
                Fence::Holds { abi }
            }
            (Ok(()), _) => Fence::LetsWrite,
            (Err(_), Err(_)) => Fence::RefusesReading,
            (Err(error), Ok(_)) => Fence::NotTried(error.to_string()),
        }
    }

    /// The level of Landlock that now holds this thread; `None` where the kernel has none.
    fn forbid_writing() -> Result<Option<i32>, landlock::RulesetError> {
        let ruleset = Ruleset::default().handle_access(AccessFs::from_write(ABI::V1))?.create()?;
        let status = ruleset.restrict_self()?;
        let is_enforced = status.ruleset != RulesetStatus::NotEnforced;
        Ok(match status.landlock {
            LandlockStatus::Available { effective_abi, kernel_abi } if is_enforced => {
                Some(kernel_abi.unwrap_or(effective_abi as i32))
            }
            LandlockStatus::Available { .. }
            | LandlockStatus::NotEnabled
            | LandlockStatus::NotImplemented => None,
        })
    }
}
