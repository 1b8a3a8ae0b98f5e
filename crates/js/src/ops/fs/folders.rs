//! Directories: listing, creating and removing, also with everything in them.

use std::{
    collections::VecDeque,
    fs::DirEntry,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};
use toolsmith_host::posix::{self, create_folder, errno, kind_number};

use super::{
    error::{FsError, about},
    open_files::pause,
    request::{Request, Scene, name},
};
use crate::instance::{HostError, Settled};

/// Approximate JavaScript memory of one listed name.
const BYTES_PER_NAME: usize = 100;

/// Lists a directory, sorted by name as in Node. With `types`, each entry is `[name, type, directory]`. Links are not
/// followed.
pub(super) fn list(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let top = scene.path(&request.path);
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([PathBuf::new()]);
    while let Some(below) = waiting.pop_front() {
        scene.go_on("scandir")?;
        let folder = top.join(&below);
        let entries = match sorted(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                let path = if below.as_os_str().is_empty() {
                    request.path.shown()
                } else {
                    folder.to_string_lossy().into_owned()
                };
                return Err(
                    FsError::io(&error, request.syscall.as_deref().unwrap_or("scandir")).with_path(path)
                );
            }
        };
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            let relative = below.join(entry.file_name());
            found.push(if request.types {
                json!([
                    name(Path::new(&entry.file_name()), request.raw),
                    kind_number(kind),
                    name(&below, request.raw)
                ])
            } else {
                name(&relative, request.raw)
            });
            if request.recursive && kind.is_dir() {
                waiting.push_back(relative);
            }
        }
        if found.len() * BYTES_PER_NAME > scene.room {
            let message = format!("{} has more entries than fit in the tool's memory", request.path.shown());
            return Err(FsError::Other(
                HostError::of_class("RangeError", message).with("code", "ERR_OUT_OF_RANGE"),
            ));
        }
    }
    Ok(Settled::Text(Value::Array(found).to_string()))
}

fn sorted(folder: &Path) -> io::Result<Vec<DirEntry>> {
    // The system rejects an empty path; std would take it for the current directory.
    let mut entries = std::fs::read_dir(folder)?.collect::<io::Result<Vec<DirEntry>>>()?;
    entries
        .sort_by(|one, other| one.file_name().as_encoded_bytes().cmp(other.file_name().as_encoded_bytes()));
    Ok(entries)
}

/// Creates a directory; with `recursive`, also its parents, and returns the first one created.
pub(super) fn make(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let path = scene.path(&request.path);
    if !request.recursive {
        return create_folder(&path, request.mode)
            .map(|()| Settled::Nothing)
            .map_err(about("mkdir", &request.path));
    }
    let given = PathBuf::from(request.path.to_os());
    let mut missing = Vec::new();
    let mut at: &Path = &given;
    loop {
        match scene.cwd.join(at).metadata() {
            Ok(found) if found.is_dir() => break,
            Ok(_) => {
                let number = if missing.is_empty() { errno::EEXIST } else { errno::ENOTDIR };
                return Err(FsError::number(number, "mkdir").with_path(request.path.shown()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // A dangling link exists and blocks the path.
                if scene.cwd.join(at).symlink_metadata().is_ok() {
                    return Err(about("mkdir", &request.path)(error));
                }
                missing.push(at);
            }
            Err(error) => return Err(about("mkdir", &request.path)(error)),
        }
        match at.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => at = parent,
            _ => break,
        }
    }
    for folder in missing.iter().rev().map(|folder| scene.cwd.join(folder)) {
        match create_folder(&folder, request.mode) {
            Ok(()) => {}
            // Another process created it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
            Err(error) => return Err(about("mkdir", &request.path)(error)),
        }
    }
    Ok(missing.last().map_or(Settled::Nothing, |first| Settled::Text(first.to_string_lossy().into_owned())))
}

pub(super) fn make_temporary(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let shown = format!("{}XXXXXX", request.path.shown());
    let prefix = request.path.to_os();
    for _ in 0..100 {
        let mut random = [0_u8; 6];
        if getrandom::fill(&mut random).is_err() {
            break;
        }
        let ending: String =
            random.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect();
        let mut given = prefix.clone();
        given.push(&ending);
        match create_folder(&scene.cwd.join(&given), 0o700) {
            Ok(()) => return Ok(Settled::Text(name(Path::new(&given), request.raw).to_string())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(FsError::io(&error, "mkdtemp").with_path(shown)),
        }
    }
    Err(FsError::number(errno::EEXIST, "mkdtemp").with_path(shown))
}

pub(super) fn remove(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let path = scene.path(&request.path);
    std::fs::remove_dir(path).map(|()| Settled::Nothing).map_err(about("rmdir", &request.path))
}

/// Removes a file, or a directory with everything in it.
pub(super) fn remove_tree(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let path = scene.path(&request.path);
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if request.force && error.kind() == io::ErrorKind::NotFound => {
            return Ok(Settled::Nothing);
        }
        Err(error) => return Err(about("lstat", &request.path)(error)),
    };
    if !found.is_dir() {
        return std::fs::remove_file(&path)
            .or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
            .map(|()| Settled::Nothing)
            .map_err(about("unlink", &request.path));
    }
    if !request.recursive {
        let shown = request.path.shown();
        let message = format!("Path is a directory: rm returned EISDIR (is a directory) {shown}");
        return Err(FsError::Other(
            HostError::of_class("SystemError", message)
                .with("code", "ERR_FS_EISDIR")
                .with("errno", errno::EISDIR)
                .with("syscall", "rm")
                .with("path", shown),
        ));
    }
    let transient = [errno::EBUSY, errno::EMFILE, errno::ENFILE, errno::ENOTEMPTY, errno::EPERM];
    let mut attempts = 0;
    loop {
        let Err((number, place)) = posix::remove_tree(&path, || scene.go_on("rm"))? else {
            return Ok(Settled::Nothing);
        };
        if !transient.contains(&number) || attempts >= request.retries {
            let path = if place.is_empty() {
                request.path.shown()
            } else {
                format!("{}/{place}", request.path.shown())
            };
            return Err(FsError::number(number, "rm").with_path(path));
        }
        attempts += 1;
        let time = Duration::from_millis(request.retry_delay.saturating_mul(u64::from(attempts)));
        pause(time, scene, "rm")?;
    }
}
