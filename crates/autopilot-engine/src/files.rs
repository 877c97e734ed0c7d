//! Reads files of other people: bounded, never hanging on a pipe or a device, each refusal a value that says what to do.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use autopilot_core::finding::{Finding, Place, Severity};
use autopilot_core::limits;
use autopilot_core::problem::Problem;
use rustix::buffer::spare_capacity;
use rustix::io::Errno;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("it does not exist")]
    Absent,
    #[error("it is {0}, not a file")]
    NotAFile(&'static str),
    #[error("it has {bytes} bytes; at most {} are read", limits::FILE_BYTES_MAX)]
    TooLarge { bytes: u64 },
    #[error("line {line} is not UTF-8 text")]
    NotText { line: u32 },
    #[error("its symbolic links go in a circle")]
    LinkLoop,
    #[error("reading it is not permitted")]
    Denied,
    #[error("it cannot be read: {0}")]
    Io(io::Error),
}

/// The text of a regular file of at most `limits::FILE_BYTES_MAX` bytes.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    // Asked before opening: opening some devices already does something.
    refuse_unless_file(&fs::metadata(path).map_err(of_io)?)?;
    let file = open(path).map_err(of_io)?;
    let metadata = file.metadata().map_err(of_io)?;
    refuse_unless_file(&metadata)?;
    if metadata.len() > limits::FILE_BYTES_MAX {
        return Err(FileError::TooLarge { bytes: metadata.len() });
    }
    let bytes = read_bytes(file, metadata.len()).map_err(of_io)?;
    if bytes.len() as u64 > limits::FILE_BYTES_MAX {
        return Err(FileError::TooLarge { bytes: bytes.len() as u64 });
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        FileError::NotText { line: u32::try_from(line).unwrap_or(u32::MAX) }
    })
}

/// Copies files into a folder by the names they get there. One that does not exist, is no file or too long is left out.
pub(crate) fn copy_fit(copies: &[(&'static str, PathBuf)], folder: &Path) -> io::Result<()> {
    for (name, from) in copies {
        let is_fit =
            |seen: fs::Metadata| seen.is_file() && seen.len() <= limits::AGENT_COPY_BYTES_MAX;
        if fs::metadata(from).is_ok_and(is_fit) {
            let to = folder.join(name);
            to.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::copy(from, to)?;
        }
    }
    Ok(())
}

/// At most one byte more than a file may have.
fn read_bytes(file: File, claimed: u64) -> io::Result<Vec<u8>> {
    // What it claims is read at once, into memory that nobody has to fill with something else first.
    let mut bytes = Vec::with_capacity(usize::try_from(claimed).unwrap_or_default());
    while bytes.len() < bytes.capacity() {
        match rustix::io::read(&file, spare_capacity(&mut bytes)) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // A file may grow while it is read, and some claim a length of 0.
    let left = (limits::FILE_BYTES_MAX + 1).saturating_sub(bytes.len() as u64);
    file.take(left).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Never waits for the other end of a pipe.
fn open(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

fn refuse_unless_file(metadata: &fs::Metadata) -> Result<(), FileError> {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    Err(FileError::NotAFile(match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_char_device() || kind.is_block_device() => "a device",
        _ => "something else",
    }))
}

fn of_io(error: io::Error) -> FileError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::Absent,
        io::ErrorKind::PermissionDenied => FileError::Denied,
        _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => FileError::LinkLoop,
        _ => FileError::Io(error),
    }
}

impl FileError {
    fn line(&self) -> Option<u32> {
        match self {
            FileError::NotText { line } => Some(*line),
            _ => None,
        }
    }

    fn place(&self, file: &str) -> Place {
        Place { file: file.to_string(), line: self.line() }
    }

    /// For a file autopilot cannot do without. What the user has in the file is theirs to mend (exit 2); what the machine
    /// refuses is the environment's (exit 6).
    pub fn problem(&self, file: &str, why: &str) -> Problem {
        let what = format!("{file} cannot be used: {self}");
        let problem = match self {
            FileError::Denied => Problem::environment(
                what,
                why,
                format!("give yourself the right to read it: chmod u+r {file}"),
            ),
            FileError::Io(_) => {
                Problem::environment(what, why, "look at the disk or file system it lies on")
            }
            FileError::Absent => {
                Problem::usage(what, why, "make the file, or name one that exists")
            }
            FileError::NotAFile(_) => {
                Problem::usage(what, why, format!("put a text file at {file}"))
            }
            FileError::TooLarge { .. } => Problem::usage(
                what,
                why,
                "split it: finished milestones belong in .planning/milestones/",
            ),
            FileError::NotText { .. } => {
                Problem::usage(what, why, "open it in your editor and save it as UTF-8")
            }
            FileError::LinkLoop => {
                Problem::usage(what, why, format!("point the link at a real file: ls -l {file}"))
            }
        };
        problem.at(self.place(file))
    }

    /// For a file autopilot can go on without.
    pub fn finding(&self, file: &str, severity: Severity) -> Finding {
        Finding { severity, place: self.place(file), message: format!("this is not read: {self}") }
    }
}

/// The names in a folder, sorted, at most `limits::FOLDER_ENTRIES_MAX`; none when it is not there.
pub fn names_in(folder: &Path) -> Result<Vec<String>, FileError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            return match of_io(error) {
                FileError::Absent => Ok(Vec::new()),
                other => Err(other),
            };
        }
    };
    let names = entries.take(limits::FOLDER_ENTRIES_MAX).flatten();
    let mut names: Vec<String> =
        names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
