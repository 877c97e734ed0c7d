//! Puts a file of a script where it belongs: exact bytes, whether it can be run, and links. What lay there before makes room.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::base64;
use crate::script::{Content, FileKind};

/// `full` lies inside the workspace; that was looked at before.
pub(super) fn put(full: &Path, kind: FileKind, content: &Content) -> io::Result<()> {
    let bytes = match content {
        Content::Text(text) => text.clone().into_bytes(),
        Content::Base64(text) => base64::decode(text)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no base64"))?,
    };
    if let Some(folder) = full.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::symlink_metadata(full) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(full)?,
        // A link would be written through, and a file keep its mode.
        Ok(_) => fs::remove_file(full)?,
        Err(_) => {}
    }
    match kind {
        FileKind::Link => {
            use std::os::unix::ffi::OsStrExt;
            symlink(std::ffi::OsStr::from_bytes(&bytes), full)
        }
        FileKind::Plain => fs::write(full, bytes),
        FileKind::Executable => {
            fs::write(full, bytes)?;
            let mode = fs::metadata(full)?.permissions().mode();
            fs::set_permissions(full, Permissions::from_mode(mode | 0o111))
        }
    }
}
