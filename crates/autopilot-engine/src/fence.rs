//! The fence: a child of ours may write nowhere but below the folders named here, and read what the user may, except what is to be
//! hidden from it. Owns what it is
//! made of on this machine, what it lets through, and how it comes to the launcher, which puts it up around itself before it
//! starts the program: whatever descends from it is inside too. Which folders are a child's own is `own_folders`'; which of
//! them a toolchain is told to use instead of the user's, `caches`'.
//!
//! Nothing is ever quietly wider or missing: a folder that is not there, a folder around something that is to be kept, a kernel
//! that refuses, and the child is not started.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use autopilot_core::run::fencing::Fencing;

use crate::machine::Machine;

pub(crate) mod bubblewrap;
pub(crate) mod caches;
pub(crate) mod kernel;
pub(crate) mod own_folders;
mod seed;

/// Semaphores and shared memory of POSIX are files here: Python's `multiprocessing`, PostgreSQL and browsers make them.
const SHARED_MEMORY: &str = "/dev/shm";
/// The level from which Landlock also keeps files from being emptied by `truncate`.
const WHOLE_LEVEL: i32 = 3;

/// What keeps children in on this machine. Found once a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Landlock { level: i32 },
    Bubblewrap { program: PathBuf },
    Unfenced { why: String },
}

/// A fence around one child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    by: By,
    /// Whole paths without links, each with everything below it.
    writable: Vec<PathBuf>,
    /// The same for what cannot be read. Names can be: what a folder lists is no secret of ours.
    hidden: Vec<PathBuf>,
    /// The same for what cannot be written although it lies in what can.
    sealed: Vec<PathBuf>,
    memory: Memory,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum By {
    Landlock { level: i32 },
    Bubblewrap { program: PathBuf },
}

/// Whether files of shared memory may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    Shared,
    /// Something that is to be kept lies among them.
    Kept,
}

/// What is tried out before a run, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tried<T> {
    Holds(T),
    Fails(String),
}

#[derive(Debug, thiserror::Error)]
pub enum FenceError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is no folder and no file", path.display())]
    NoFolder { path: PathBuf },
    #[error("{} may not be written: {} lies in it", path.display(), kept.display())]
    TooWide { path: PathBuf, kept: PathBuf },
    #[error("{} cannot be hidden: {} lies in it", path.display(), own.display())]
    HidesOwn { path: PathBuf, own: PathBuf },
    #[error("too much lies beside {}", path.display())]
    TooMuchBeside { path: PathBuf },
    #[error("{} cannot be kept from being written: only bubblewrap can do that", path.display())]
    CannotSeal { path: PathBuf },
    #[error("the kernel does not put it up: {0}")]
    Kernel(String),
}

impl Kind {
    /// The best that really holds here, tried and not only looked for.
    pub fn find(machine: &Machine) -> Kind {
        choose(kernel::tried(), || bubblewrap::tried(machine))
    }

    /// The one that can also keep something in a folder from being written which may be written else.
    pub fn find_sealing(machine: &Machine) -> Kind {
        match bubblewrap::tried(machine) {
            Tried::Holds(program) => Kind::Bubblewrap { program },
            Tried::Fails(why) => Kind::Unfenced { why },
        }
    }

    pub fn is_there(&self) -> bool {
        match self {
            Kind::Landlock { .. } | Kind::Bubblewrap { .. } => true,
            Kind::Unfenced { .. } => false,
        }
    }

    pub fn fencing(&self) -> Fencing {
        match self {
            Kind::Landlock { level } => {
                Fencing::Landlock { level: u32::try_from(*level).unwrap_or_default() }
            }
            Kind::Bubblewrap { .. } => Fencing::Bubblewrap,
            Kind::Unfenced { why } => Fencing::Nothing { why: why.clone() },
        }
    }

    /// A fence that lets `writable` through. Nothing of `kept` may lie in there.
    pub fn around(
        &self,
        writable: &[PathBuf],
        kept: &[PathBuf],
    ) -> Result<Option<Fence>, FenceError> {
        let by = match self {
            Kind::Landlock { level } => By::Landlock { level: *level },
            Kind::Bubblewrap { program } => By::Bubblewrap { program: program.clone() },
            Kind::Unfenced { .. } => return Ok(None),
        };
        // What is not there cannot be lost, and need not lie behind a link.
        let kept: Vec<PathBuf> =
            kept.iter().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())).collect();
        let writable: Vec<PathBuf> =
            writable.iter().map(|path| plain(path, &kept)).collect::<Result<_, _>>()?;
        let mut all = kept.iter().chain(&writable);
        let is_free = !all.any(|path| path.starts_with(SHARED_MEMORY));
        let memory = if is_free { Memory::Shared } else { Memory::Kept };
        Ok(Some(Fence { by, writable, hidden: Vec::new(), sealed: Vec::new(), memory }))
    }
}

/// Landlock costs next to nothing and needs nobody's leave, so it comes first, unless it is one of the first that leave a gap
/// which bubblewrap does not.
fn choose(landlock: Tried<i32>, bubblewrap: impl FnOnce() -> Tried<PathBuf>) -> Kind {
    match landlock {
        Tried::Holds(level) if level >= WHOLE_LEVEL => Kind::Landlock { level },
        Tried::Holds(level) => match bubblewrap() {
            Tried::Holds(program) => Kind::Bubblewrap { program },
            Tried::Fails(_) => Kind::Landlock { level },
        },
        Tried::Fails(why) => match bubblewrap() {
            Tried::Holds(program) => Kind::Bubblewrap { program },
            Tried::Fails(also) => Kind::Unfenced { why: format!("{why}; {also}") },
        },
    }
}

/// The path as the kernel sees it.
fn plain(path: &Path, kept: &[PathBuf]) -> Result<PathBuf, FenceError> {
    let failed = |source| FenceError::Io { path: path.to_path_buf(), source };
    if !path.is_absolute() {
        return Err(failed(io::Error::other("not a whole path")));
    }
    let plain = path.canonicalize().map_err(failed)?;
    match kept.iter().find(|kept| kept.starts_with(&plain)) {
        Some(kept) => Err(FenceError::TooWide { path: plain, kept: kept.clone() }),
        None => Ok(plain),
    }
}

/// A fence whose paths are opened and whose rules are made.
pub(crate) enum Prepared {
    Landlock(kernel::Prepared),
    Bubblewrap { program: PathBuf },
}

impl Fence {
    /// The same, which also keeps these from being read. What is not there needs no hiding.
    pub fn hiding(self, hidden: &[PathBuf]) -> Result<Fence, FenceError> {
        let mut hidden: Vec<PathBuf> =
            hidden.iter().filter_map(|path| path.canonicalize().ok()).collect();
        hidden.sort();
        hidden.dedup();
        for path in &hidden {
            if let Some(own) = self.writable.iter().find(|own| own.starts_with(path)) {
                return Err(FenceError::HidesOwn { path: path.clone(), own: own.clone() });
            }
        }
        Ok(Fence { hidden, ..self })
    }

    /// The same, which also keeps these from being written. What is not there is nobody's yet.
    pub fn sealing(self, sealed: &[PathBuf]) -> Result<Fence, FenceError> {
        let mut sealed: Vec<PathBuf> =
            sealed.iter().filter_map(|path| path.canonicalize().ok()).collect();
        sealed.sort();
        sealed.dedup();
        match (&self.by, sealed.first()) {
            (By::Landlock { .. }, Some(path)) => Err(FenceError::CannotSeal { path: path.clone() }),
            (By::Landlock { .. }, None) | (By::Bubblewrap { .. }, _) => {
                Ok(Fence { sealed, ..self })
            }
        }
    }

    /// As the launcher gets it, between its parent and the program.
    pub fn words(&self) -> Vec<OsString> {
        let by = match &self.by {
            By::Landlock { level } => format!("landlock={level}").into(),
            By::Bubblewrap { program } => joined("bubblewrap=", program),
        };
        let memory = match self.memory {
            Memory::Shared => Some("--memory".into()),
            Memory::Kept => None,
        };
        let writable = self.writable.iter().map(|path| joined("--write=", path));
        let hidden = self.hidden.iter().map(|path| joined("--hide=", path));
        let sealed = self.sealed.iter().map(|path| joined("--seal=", path));
        let kind = [joined("--fence=", by)].into_iter().chain(memory);
        kind.chain(writable).chain(hidden).chain(sealed).collect()
    }

    /// What `words` wrote.
    pub(crate) fn read(words: &[OsString]) -> Option<Fence> {
        let (first, others) = words.split_first()?;
        let by = first.as_bytes().strip_prefix(b"--fence=")?;
        let by = match by.strip_prefix(b"landlock=") {
            Some(level) => By::Landlock { level: std::str::from_utf8(level).ok()?.parse().ok()? },
            None => By::Bubblewrap { program: path(by.strip_prefix(b"bubblewrap=")?) },
        };
        let (writable, hidden, sealed) = (Vec::new(), Vec::new(), Vec::new());
        let mut fence = Fence { by, writable, hidden, sealed, memory: Memory::Kept };
        for word in others {
            let word = word.as_bytes();
            let named = word.iter().position(|byte| *byte == b'=').map(|at| word.split_at(at + 1));
            match (word, named) {
                (b"--memory", _) => fence.memory = Memory::Shared,
                (_, Some((b"--write=", writable))) => fence.writable.push(path(writable)),
                (_, Some((b"--hide=", hidden))) => fence.hidden.push(path(hidden)),
                (_, Some((b"--seal=", sealed))) => fence.sealed.push(path(sealed)),
                _ => return None,
            }
        }
        Some(fence)
    }

    /// What takes time of putting it up. Done before anybody says go, so that nobody waits for it.
    pub(crate) fn prepare(&self) -> Result<Prepared, FenceError> {
        match &self.by {
            By::Landlock { level } => {
                if let Some(path) = self.sealed.first() {
                    return Err(FenceError::CannotSeal { path: path.clone() });
                }
                let own = (self.writable.as_slice(), self.shared_memory());
                kernel::prepare(*level, own, &self.hidden).map(Prepared::Landlock)
            }
            By::Bubblewrap { program } => Ok(Prepared::Bubblewrap { program: program.clone() }),
        }
    }

    /// Puts it up around this thread and what it starts, or around the program alone: what is to be started instead comes back.
    pub(crate) fn put_up(
        &self,
        prepared: Prepared,
        program: PathBuf,
        arguments: Vec<OsString>,
    ) -> Result<(PathBuf, Vec<OsString>), FenceError> {
        match prepared {
            Prepared::Landlock(prepared) => {
                prepared.put_up()?;
                Ok((program, arguments))
            }
            Prepared::Bubblewrap { program: wrapper } => {
                // Inside, this name would mean bubblewrap itself.
                let program = match program.starts_with("/proc/self") {
                    true => program
                        .canonicalize()
                        .map_err(|source| FenceError::Io { path: program, source })?,
                    false => program,
                };
                let before = bubblewrap::arguments(&bubblewrap::Mounts {
                    writable: &self.writable,
                    memory: self.shared_memory(),
                    hidden: &self.hidden,
                    sealed: &self.sealed,
                });
                let own = ["--".into(), program.into_os_string()].into_iter().chain(arguments);
                Ok((wrapper, before.into_iter().chain(own).collect()))
            }
        }
    }

    fn shared_memory(&self) -> Option<&Path> {
        match self.memory {
            Memory::Shared => Some(Path::new(SHARED_MEMORY)),
            Memory::Kept => None,
        }
    }
}

fn joined(start: &str, rest: impl AsRef<OsStr>) -> OsString {
    let mut word = OsString::from(start);
    word.push(rest);
    word
}

fn path(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}

#[cfg(test)]
#[path = "fence_tests.rs"]
mod tests;
