//! Recursive removal of any depth: one directory is open at a time, and no path is longer than one name.

use std::{
    ffi::{CStr, CString, OsStr},
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::Path,
};

use rustix::{
    fs::{AtFlags, Dir, Mode, OFlags, Stat, fstat, open, openat, unlinkat},
    io::Errno,
};

/// Removes a directory with everything in it, as long as `go_on` agrees. Links are removed and not followed.
///
/// # Errors
/// Fails with the error of `go_on`; the inner error is the number of the system's error and the path below the top.
pub fn remove_tree<E>(
    path: &Path,
    go_on: impl FnMut() -> Result<(), E>,
) -> Result<Result<(), (i32, String)>, E> {
    match remove(path, go_on) {
        Ok(()) => Ok(Ok(())),
        Err(Problem::Stopped(error)) => Err(error),
        Err(Problem::System(number, place)) => Ok(Err((number.raw_os_error(), place))),
    }
}

enum Problem<E> {
    Stopped(E),
    /// The system's error, and the path below the top.
    System(Errno, String),
}

/// A directory on the way down.
struct Level {
    name: CString,
    /// Its identity when entered. Going back up must lead to the same one.
    identity: (u64, u64),
    entries: Vec<CString>,
}

fn identity(found: &Stat) -> (u64, u64) {
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_cast,
        reason = "the types differ between systems"
    )]
    (found.st_dev as u64, found.st_ino as u64)
}

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::RDONLY);

fn enter(parent: &OwnedFd, name: &CStr) -> rustix::io::Result<(OwnedFd, Level)> {
    let folder = openat(parent, name, FOLDER, Mode::empty())?;
    let found = fstat(&folder)?;
    let mut entries = Vec::new();
    for entry in Dir::read_from(&folder)? {
        let name = entry?.file_name().to_owned();
        if !matches!(name.as_bytes(), b"." | b"..") {
            entries.push(name);
        }
    }
    Ok((folder, Level { name: name.to_owned(), identity: identity(&found), entries }))
}

fn remove<E>(path: &Path, mut go_on: impl FnMut() -> Result<(), E>) -> Result<(), Problem<E>> {
    let at_top = |number: Errno| Problem::System(number, String::new());
    let parent = path.parent().unwrap_or(path);
    let Some(name) = path.file_name() else {
        return Err(at_top(Errno::BUSY));
    };
    let name = CString::new(name.as_bytes()).map_err(|_| at_top(Errno::INVAL))?;
    let above = open(parent, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).map_err(at_top)?;
    let (mut current, top) = enter(&above, &name).map_err(at_top)?;
    let mut way = vec![top];
    loop {
        go_on().map_err(Problem::Stopped)?;
        let Some(level) = way.last_mut() else { return Ok(()) };
        if let Some(entry) = level.entries.pop() {
            match unlinkat(&current, &entry, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                // The error for a directory depends on the system.
                Err(Errno::ISDIR | Errno::PERM) => match enter(&current, &entry) {
                    Ok((folder, inner)) => {
                        current = folder;
                        way.push(inner);
                    }
                    Err(Errno::NOENT) => {}
                    Err(Errno::NOTDIR) => return Err(place(Errno::PERM, &way, &entry)),
                    Err(number) => return Err(place(number, &way, &entry)),
                },
                Err(number) => return Err(place(number, &way, &entry)),
            }
            continue;
        }
        // It is empty: go up and remove it from there.
        let Some(done) = way.pop() else { return Ok(()) };
        let up = match way.last() {
            None => None,
            Some(level) => {
                let up = openat(&current, c"..", FOLDER, Mode::empty())
                    .map_err(|number| place(number, &way, &done.name))?;
                let found = fstat(&up).map_err(|number| place(number, &way, &done.name))?;
                // It was moved while we were in it.
                if identity(&found) != level.identity {
                    return Err(place(Errno::BUSY, &way, &done.name));
                }
                Some(up)
            }
        };
        match unlinkat(up.as_ref().unwrap_or(&above), &done.name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(number) => {
                return Err(if way.is_empty() { at_top(number) } else { place(number, &way, &done.name) });
            }
        }
        if let Some(up) = up {
            current = up;
        }
    }
}

fn place<E>(number: Errno, way: &[Level], name: &CStr) -> Problem<E> {
    let names = way.iter().skip(1).map(|level| level.name.as_c_str()).chain(std::iter::once(name));
    let names: Vec<String> =
        names.map(|name| OsStr::from_bytes(name.to_bytes()).to_string_lossy().into_owned()).collect();
    Problem::System(number, names.join("/"))
}
