//! Packs files into a tar archive whose bytes depend on nothing but the files: no owner, no time of today, always the same order.

use std::io::Write;

use anyhow::Result;
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

pub(super) struct File {
    /// Below the folder of the archive.
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    pub(super) is_program: bool,
}

impl File {
    pub(super) fn data(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> File {
        File { path: path.into(), bytes: bytes.into(), is_program: false }
    }
}

/// Everything below one folder, so that unpacking it scatters nothing.
pub(super) fn pack(folder: &str, files: &[File], seconds: u64) -> Result<Vec<u8>> {
    let mut tar = Builder::new(Vec::new());
    for file in files {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(if file.is_program { 0o755 } else { 0o644 });
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(seconds);
        header.set_size(u64::try_from(file.bytes.len())?);
        tar.append_data(&mut header, format!("{folder}/{}", file.path), file.bytes.as_slice())?;
    }
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    gzip.write_all(&tar.into_inner()?)?;
    Ok(gzip.finish()?)
}
