//! Reading files that somebody else may have put there: settings, manifests, lists. A project is read before it is trusted,
//! so nothing in it may hang the program or fill its memory.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

/// More than any such file has.
const MAX_BYTES: u64 = 8 << 20;

/// Reads a whole file.
///
/// # Errors
/// When it cannot be read, is no regular file (a pipe would be waited for without end), or is far too large.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it is larger than {} MB", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}
