//! Reading files that somebody else may have put there: settings, manifests, lists. A project is read before it is trusted,
//! so nothing in it may hang the program, fill its memory, or lead to files elsewhere.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use toolsmith_host::regular_file;

/// More than any such file has.
const MAX_BYTES: u64 = 8 << 20;

/// Reads a whole file of the user's.
///
/// # Errors
/// When it cannot be read, is not a regular file, or is too large.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_all(regular_file::open_regular(path)?)
}

/// Reads a whole file of a project, if it really lies in the project.
///
/// # Errors
/// When it cannot be read, is not a regular file, is too large, or is a link that leads out of the project.
pub(crate) fn read_within(path: &Path, project: &Path) -> io::Result<Vec<u8>> {
    read_all(regular_file::open_within(path, project)?)
}

fn read_all(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it is larger than {} MB", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}
