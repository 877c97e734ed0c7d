//! Landlock, the kernel's own fence: put up around one thread, it holds for all it starts and cannot be taken down. Owns which
//! rights are taken away and which are given back where.

#[cfg(target_os = "linux")]
pub(crate) use linux::{Prepared, Probe, prepare, try_out};

use super::Tried;

/// Tried on a thread of our own.
#[cfg(target_os = "linux")]
pub(super) fn tried() -> Tried<i32> {
    match try_out() {
        Probe::Holds { level } => Tried::Holds(level),
        Probe::Absent => Tried::Fails("this kernel has no Landlock, or it is off".to_string()),
        Probe::LetsWrite | Probe::RefusesReading => {
            Tried::Fails("Landlock does not hold here".to_string())
        }
        Probe::NotTried(why) => Tried::Fails(format!("Landlock could not be tried: {why}")),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn tried() -> Tried<i32> {
    Tried::Fails("only Linux has Landlock".to_string())
}

/// There is none elsewhere.
#[cfg(not(target_os = "linux"))]
pub(crate) enum Prepared {}

#[cfg(not(target_os = "linux"))]
impl Prepared {
    pub(crate) fn put_up(self) -> Result<(), super::FenceError> {
        match self {}
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn prepare(
    _level: i32,
    _own: (&[std::path::PathBuf], Option<&std::path::Path>),
    _hidden: &[std::path::PathBuf],
) -> Result<Prepared, super::FenceError> {
    Err(super::FenceError::Kernel("only Linux has Landlock".to_string()))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};
    use std::thread;

    use autopilot_core::limits;
    use landlock::{
        ABI, AccessFs, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, Ruleset,
        RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus,
    };
    use rustix::fs::{FileType, Mode, OFlags};
    use rustix::io::Errno;

    use crate::fence::FenceError;

    /// What programs write though it is nobody's. No terminal: whoever may write to the user's could type for him, and a
    /// program that would ask there gets its refusal at once instead of waiting all night.
    const DEVICES: [&str; 5] =
        ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

    pub(crate) enum Probe {
        Holds { level: i32 },
        Absent,
        LetsWrite,
        RefusesReading,
        NotTried(String),
    }

    /// A fence that is ready and holds nobody yet.
    pub(crate) struct Prepared {
        ruleset: RulesetCreated,
    }

    impl Prepared {
        /// Holds this thread and whatever it starts. All of it or an error: after an error nothing may be started.
        pub(crate) fn put_up(self) -> Result<(), FenceError> {
            let status = self.ruleset.restrict_self();
            let status = status.map_err(|error| FenceError::Kernel(error.to_string()))?;
            if status.ruleset == RulesetStatus::FullyEnforced && status.no_new_privs {
                return Ok(());
            }
            Err(FenceError::Kernel(format!("only {:?}", status.ruleset)))
        }
    }

    /// One that takes every right to write, and gives it back below `writable`; where something is hidden also the right to read, and
    /// gives it back wherever it is not.
    pub(crate) fn prepare(
        level: i32,
        (writable, memory): (&[PathBuf], Option<&Path>),
        hidden: &[PathBuf],
    ) -> Result<Prepared, FenceError> {
        let abi = abi(level);
        let reading = if hidden.is_empty() { BitFlags::EMPTY } else { AccessFs::ReadFile.into() };
        let all = AccessFs::from_write(abi) | reading;
        let refused = |error: landlock::RulesetError| FenceError::Kernel(error.to_string());
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let ruleset = ruleset.handle_access(all).and_then(Ruleset::create).map_err(refused)?;
        // Whoever may make devices can make the disk, and whoever may command one needs no file.
        let devices = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev;
        let folder = all & !devices;
        let file = all & (AccessFs::WriteFile | AccessFs::Truncate | AccessFs::ReadFile);
        let mut ruleset = ruleset;
        for path in writable {
            ruleset = allow(ruleset, path, folder, file)?;
        }
        if let Some(path) = memory {
            let files = file | AccessFs::MakeReg | AccessFs::RemoveFile;
            ruleset = allow_if_there(ruleset, path, files)?;
        }
        for path in DEVICES {
            let device = all & (file | AccessFs::IoctlDev);
            ruleset = allow_if_there(ruleset, Path::new(path), device)?;
        }
        if !reading.is_empty() {
            ruleset = allow_reading_beside(ruleset, hidden, reading)?;
        }
        Ok(Prepared { ruleset })
    }

    fn allow(
        ruleset: RulesetCreated,
        path: &Path,
        folder: BitFlags<AccessFs>,
        file: BitFlags<AccessFs>,
    ) -> Result<RulesetCreated, FenceError> {
        let failed =
            |error: Errno| FenceError::Io { path: path.to_path_buf(), source: error.into() };
        let opened = open(path).map_err(failed)?;
        let kind = rustix::fs::fstat(&opened).map_err(failed)?.st_mode;
        let rights = match FileType::from_raw_mode(kind) {
            FileType::Directory => folder,
            FileType::RegularFile => file,
            _ => return Err(FenceError::NoFolder { path: path.to_path_buf() }),
        };
        add(ruleset, opened, rights)
    }

    /// For what a small system may lack.
    fn allow_if_there(
        ruleset: RulesetCreated,
        path: &Path,
        rights: BitFlags<AccessFs>,
    ) -> Result<RulesetCreated, FenceError> {
        match open(path) {
            Ok(opened) => add(ruleset, opened, rights),
            Err(Errno::NOENT) => Ok(ruleset),
            Err(error) => Err(FenceError::Io { path: path.to_path_buf(), source: error.into() }),
        }
    }

    /// The kernel knows no "all but this": what may be read is everything that lies beside the way to what is hidden. So files
    /// that are made or replaced in a folder on the way while the child works are hidden too, until the next begins; and what
    /// cannot be looked at now is not given back.
    fn allow_reading_beside(
        mut ruleset: RulesetCreated,
        hidden: &[PathBuf],
        reading: BitFlags<AccessFs>,
    ) -> Result<RulesetCreated, FenceError> {
        let is_hidden = |path: &Path| hidden.iter().any(|hidden| path.starts_with(hidden));
        let on_the_way: BTreeSet<&Path> =
            hidden.iter().flat_map(|path| path.ancestors().skip(1)).collect();
        let mut entries_left = limits::FENCE_BESIDE_MAX;
        for folder in on_the_way.iter().copied().filter(|folder| !is_hidden(folder)) {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                // A link gives no right of its own: what it leads to has one or has none.
                let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
                if is_link || is_hidden(&path) || on_the_way.contains(path.as_path()) {
                    continue;
                }
                entries_left = entries_left
                    .checked_sub(1)
                    .ok_or_else(|| FenceError::TooMuchBeside { path: path.clone() })?;
                if let Ok(opened) = open(&path) {
                    ruleset = add(ruleset, opened, reading)?;
                }
            }
        }
        Ok(ruleset)
    }

    fn open(path: &Path) -> Result<OwnedFd, Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty())
    }

    fn add(
        ruleset: RulesetCreated,
        opened: OwnedFd,
        rights: BitFlags<AccessFs>,
    ) -> Result<RulesetCreated, FenceError> {
        let rule = PathBeneath::new(opened, rights);
        ruleset.add_rule(rule).map_err(|error| FenceError::Kernel(error.to_string()))
    }

    /// What is known of a level. The ninth is about sockets, which this fence does not deal with yet.
    fn abi(level: i32) -> ABI {
        match level {
            i32::MIN..=0 => ABI::Unsupported,
            1 => ABI::V1,
            2 => ABI::V2,
            3 => ABI::V3,
            4 => ABI::V4,
            5 => ABI::V5,
            6 => ABI::V6,
            7 => ABI::V7,
            8..=i32::MAX => ABI::V8,
        }
    }

    /// Tries it on a thread that ends right after, on a file of the kernel's own: no disk has a say in whether there is a fence.
    pub(crate) fn try_out() -> Probe {
        let thread = thread::Builder::new().name("autopilot-fence".into());
        match thread.spawn(inside_the_fence) {
            Ok(fenced) => fenced.join().unwrap_or_else(|_| Probe::NotTried("it panicked".into())),
            Err(error) => Probe::NotTried(error.to_string()),
        }
    }

    fn inside_the_fence() -> Probe {
        // The name of this thread, which it may write.
        const NAME: &str = "/proc/thread-self/comm";
        let write = || File::options().write(true).open(NAME);
        if let Err(error) = write() {
            return Probe::NotTried(format!("{NAME}: {error}"));
        }
        let level = match forbid_writing() {
            Ok(Some(level)) => level,
            Ok(None) => return Probe::Absent,
            Err(error) => return Probe::NotTried(error.to_string()),
        };
        match (write(), std::fs::read_to_string(NAME)) {
            (Err(error), Ok(_)) if error.kind() == io::ErrorKind::PermissionDenied => {
                Probe::Holds { level }
            }
            (Ok(_), _) => Probe::LetsWrite,
            (Err(_), Err(_)) => Probe::RefusesReading,
            (Err(error), Ok(_)) => Probe::NotTried(error.to_string()),
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
