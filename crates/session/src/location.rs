//! Locations of session files: `<home>/sessions/<project>/<time>_<id>.jsonl`.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use toolsmith_host::changes::content_hash;

use super::entry::Header;

/// Extension of a session file.
const ENDING: &str = "jsonl";

/// Maximum part of a working directory's path in the directory name. The hash after it makes the name unique.
const SHOWN: usize = 60;

/// Returns the real path of the working directory, so that one directory has one location.
pub(crate) fn real_folder(cwd: &Path) -> PathBuf {
    fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_path_buf())
}

/// Returns the directory name for a working directory: the end of its path for people, and a hash of the whole, because
/// `/a-b` and `/a/b` differ and a path may exceed the length of a name.
pub(crate) fn folder_name(cwd: &Path) -> String {
    let plain = |char: char| if char.is_alphanumeric() || matches!(char, '.' | '_') { char } else { '-' };
    let readable: String = cwd.to_string_lossy().chars().map(plain).collect();
    let readable = readable.trim_matches('-');
    let mut from = readable.len().saturating_sub(SHOWN);
    while !readable.is_char_boundary(from) {
        from += 1;
    }
    let hash = content_hash(cwd.as_os_str().as_bytes()).to_string();
    let name = format!("{}-{}", readable[from..].trim_matches(['-', '.']), &hash[..8]);
    name.trim_start_matches('-').to_owned()
}

/// Returns the name of a session file.
pub(crate) fn file_name(header: &Header) -> String {
    let time: String =
        header.timestamp.chars().map(|char| if matches!(char, ':' | '.') { '-' } else { char }).collect();
    format!("{time}_{}.{ENDING}", header.id)
}

/// Returns the id in the name of a session file.
pub(crate) fn id_of(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()?.rsplit_once('_').map(|(_, id)| id)
}

/// Returns the session files in a directory; none if it does not exist.
pub(crate) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let found = match fs::read_dir(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let files = found.filter_map(|file| Some(file.ok()?.path()));
    let is_session = |path: &PathBuf| {
        path.extension() == Some(OsStr::new(ENDING))
            && path.is_file()
            && !path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"."))
    };
    Ok(files.filter(is_session).collect())
}
