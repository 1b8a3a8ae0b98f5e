//! Recursive removal of any depth. Links are removed and not followed.

use std::{
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
};

use super::errors;

/// Removes a directory with everything in it, as long as `go_on` agrees. Links are removed and not followed.
///
/// # Errors
/// Fails with the error of `go_on`; the inner error is the number of the system's error and the path below the top.
pub fn remove_tree<E>(
    path: &Path,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<Result<(), (i32, String)>, E> {
    // Folders on the way down, and what is left to remove in each.
    let mut way: Vec<(PathBuf, Vec<PathBuf>)> = match list(path) {
        Ok(entries) => vec![(path.to_path_buf(), entries)],
        Err(error) => return Ok(Err(problem(&error, path, path))),
    };
    while let Some((folder, entries)) = way.last_mut() {
        go_on()?;
        let Some(entry) = entries.pop() else {
            let outcome = fs::remove_dir(&folder);
            if let Err(error) = outcome
                && error.kind() != io::ErrorKind::NotFound
            {
                return Ok(Err(problem(&error, path, folder)));
            }
            way.pop();
            continue;
        };
        let found = match entry.symlink_metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Ok(Err(problem(&error, path, &entry))),
        };
        let outcome = if found.is_dir() {
            list(&entry).map(|entries| way.push((entry.clone(), entries)))
        } else {
            remove_one(&entry, &found)
        };
        if let Err(error) = outcome
            && error.kind() != io::ErrorKind::NotFound
        {
            return Ok(Err(problem(&error, path, &entry)));
        }
    }
    Ok(Ok(()))
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

fn remove_one(path: &Path, found: &Metadata) -> io::Result<()> {
    use std::os::windows::fs::FileTypeExt as _;
    if found.file_type().is_symlink_dir() {
        return fs::remove_dir(path);
    }
    if found.permissions().readonly() {
        // Windows does not remove files with this attribute; Node takes it off first.
        let mut permissions = found.permissions();
        #[expect(clippy::permissions_set_readonly_false, reason = "the file is removed next")]
        permissions.set_readonly(false);
        fs::set_permissions(path, permissions)?;
    }
    fs::remove_file(path)
}

fn problem(error: &io::Error, top: &Path, at: &Path) -> (i32, String) {
    let below = at.strip_prefix(top).unwrap_or(at).to_string_lossy().replace('\\', "/");
    (errors::number_or_kind(error), below)
}
