//! Files of sessions: `<home>/sessions/<project>/<time>_<id>.jsonl`, accessible only to their owner, with errors that name
//! the path, and the writer lock. The lock is held on the session's file itself, so that it ends with the process; a small
//! file beside it names the process, for information only.

use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use toolsmith_host::{changes::content_hash, file_lock, private, regular_file::is_removed};

use super::{entry::Header, error::StoreError};

/// Extension of a session file.
const ENDING: &str = "jsonl";

/// Maximum part of a working directory's path in the directory name. The hash after it makes the name unique.
const SHOWN: usize = 60;

/// Returns the real path of the working directory, so that one directory has one location.
pub(crate) fn real_folder(cwd: &Path) -> PathBuf {
    toolsmith_host::real_path(cwd).unwrap_or_else(|_| cwd.to_path_buf())
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
    let hash = content_hash(cwd.as_os_str().as_encoded_bytes()).to_string();
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
            && !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    Ok(files.filter(is_session).collect())
}

pub(crate) fn read_failed(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_path_buf();
    move |source| StoreError::Read { path, source }
}

pub(crate) fn write_failed(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_path_buf();
    move |source| StoreError::Write { path, source }
}

/// Creates a directory and its parents, accessible only to its owner.
pub(crate) fn create_private_folder(path: &Path) -> Result<(), StoreError> {
    toolsmith_host::create_private_folder(path).map_err(write_failed(path))
}

/// Creates a file that must not exist.
pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().read(true).write(true).create_new(true)).open(path)
}

/// Appends to the file name of a path.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Removes a file if it exists.
pub(crate) fn remove_if_there(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(write_failed(path)(error)),
        _ => Ok(()),
    }
}

/// The lock, held until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    note: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // In this order, so that the next writer's note is never removed.
        let _ = fs::remove_file(&self.note);
        // Closing the file is not enough: a process being started at this moment has a copy of the descriptor until it
        // executes its program.
        file_lock::unlock(&self.file);
    }
}

/// Locks a session's file for writing.
pub(crate) fn lock(file: &File, path: &Path) -> Result<Lock, StoreError> {
    let note = beside(path, ".lock");
    match file_lock::try_lock(file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let pid = fs::read_to_string(&note).ok().and_then(|text| text.trim().parse().ok());
            return Err(StoreError::Locked { path: path.to_path_buf(), pid });
        }
        Err(TryLockError::Error(source)) => return Err(write_failed(path)(source)),
    }
    // The session may have been removed between opening and locking.
    if is_removed(file).map_err(read_failed(path))? {
        return Err(StoreError::Removed { path: path.to_path_buf() });
    }
    let file = file.try_clone().map_err(read_failed(path))?;
    // Whatever is there is from a process that was killed, or not ours: it is replaced, never written through.
    let _ = fs::remove_file(&note);
    if let Ok(mut new) = create_private_file(&note) {
        let _ = writeln!(new, "{}", std::process::id());
    }
    Ok(Lock { file, note })
}
