//! Bubblewrap, the fence where the kernel has no Landlock: the program sees the whole machine mounted for reading, and its own
//! folders for writing. Owns the options it is started with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use autopilot_core::limits;

use super::Tried;
use crate::machine::Machine;
use crate::process::{self, Ending, Environment, Order, SpawnError};

const PROGRAM: &str = "bwrap";

/// What the program finds where, each a whole path without links.
#[derive(Debug, Default)]
pub(super) struct Mounts<'a> {
    pub(super) writable: &'a [PathBuf],
    pub(super) memory: Option<&'a Path>,
    pub(super) hidden: &'a [PathBuf],
    /// In what is writable, and yet only to be read.
    pub(super) sealed: &'a [PathBuf],
}

/// Everything but the command. Devices are a few of its own, so that no terminal of the user's can be written to; what would
/// undo the mounts (capabilities) is taken away, which as root is not the rule; a session of its own keeps the program from
/// typing into the user's terminal. Nothing lies in the place of what is hidden. What comes later lies over what came before.
pub(super) fn arguments(mounts: &Mounts<'_>) -> Vec<OsString> {
    let mut words: Vec<OsString> =
        ["--ro-bind", "/", "/", "--dev", "/dev"].into_iter().map(Into::into).collect();
    if mounts.memory.is_none() {
        words.extend(["--ro-bind-try", super::SHARED_MEMORY, super::SHARED_MEMORY].map(Into::into));
    }
    for path in mounts.writable {
        words.extend(["--bind".into(), path.into(), path.into()]);
    }
    for path in mounts.sealed {
        words.extend(["--ro-bind".into(), path.into(), path.into()]);
    }
    for path in mounts.hidden {
        match path.is_dir() {
            true => {
                words.extend(["--tmpfs".into(), path.into()]);
                words.extend(["--remount-ro".into(), path.into()]);
            }
            false => words.extend(["--ro-bind".into(), "/dev/null".into(), path.into()]),
        }
    }
    let rest = ["--unshare-user", "--cap-drop", "ALL", "--new-session", "--die-with-parent"];
    words.extend(rest.map(Into::into));
    words
}

/// Tried with the options it is used with.
pub(super) fn tried(machine: &Machine) -> Tried<PathBuf> {
    match try_out(machine) {
        Probe::Holds { program } => Tried::Holds(program),
        Probe::Missing => Tried::Fails("bubblewrap is not installed".to_string()),
        Probe::Broken { why } => Tried::Fails(format!("bubblewrap does not work: {why}")),
    }
}

pub(crate) enum Probe {
    Holds { program: PathBuf },
    Missing,
    Broken { why: String },
}

pub(crate) fn try_out(machine: &Machine) -> Probe {
    let Some(program) = process::find_program(Path::new(PROGRAM), machine.path()) else {
        return Probe::Missing;
    };
    // The folder is readable inside, wherever it lies, and may not be written there.
    let folder = match tempfile::Builder::new().prefix("autopilot-fence-").tempdir() {
        Ok(folder) => folder,
        Err(error) => return Probe::Broken { why: error.to_string() },
    };
    // No builtin that is special, such as `:`, for with one of those many a shell ends at once when it cannot write.
    let line =
        "test -d \"$0\" || exit 4; if echo 2> /dev/null > \"$0/after\"; then exit 3; fi; exit 0";
    let command = ["--", "sh", "-c", line].map(OsString::from);
    let arguments = arguments(&Mounts::default()).into_iter().chain(command);
    let order = Order::new(&program, "/", Environment::listed(machine), limits::VERSION_TIME_MAX)
        .arguments(arguments.chain([folder.path().into()]));
    match process::run(order) {
        Ok(finished) if finished.succeeded() => Probe::Holds { program },
        Ok(finished) => {
            let last = finished.stderr.last_lines().pop();
            Probe::Broken { why: last.unwrap_or_else(|| ended(&finished.ending)) }
        }
        Err(SpawnError::NotFound { .. }) => Probe::Missing,
        Err(error) => Probe::Broken { why: error.to_string() },
    }
}

/// Where it said nothing.
fn ended(ending: &Ending) -> String {
    match ending {
        Ending::Exited(3) => "what was to be kept could be written".to_string(),
        Ending::Exited(4) => "what was to be read could not be read".to_string(),
        Ending::Exited(code) => format!("ended with exit code {code}"),
        Ending::Signalled(signal) => format!("was ended by signal {signal}"),
        Ending::TimedOut => "did not end".to_string(),
    }
}
