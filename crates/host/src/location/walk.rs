//! Follows a path component by component, the way the kernel does it for `open(O_CREAT)`, with a handle to every
//! directory on the way.

use std::{
    collections::VecDeque,
    ffi::OsString,
    io::{self, ErrorKind},
    path::{Component, Path, PathBuf},
};

use super::{Entry, Folder, split};
use crate::system::files;

/// As many as the kernel follows.
const MAX_LINKS: usize = 40;

/// Handling of symbolic links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    Follow,
    /// Links on the way are followed. The last component is not looked at.
    FollowToFolder,
    /// A link on the way is an error. The last component is not looked at.
    Refuse,
}

/// Where a path ends: the last directory that exists, and what is to be made in it.
#[derive(Debug)]
pub(super) struct End {
    pub(super) folder: Folder,
    /// Where the folder was found, without links.
    pub(super) found: PathBuf,
    /// Directories that do not exist yet, outermost first.
    pub(super) missing: Vec<OsString>,
    pub(super) name: OsString,
}

/// One step of a path.
pub(super) enum Part {
    /// To a root: `/`, a drive or a share.
    Root(PathBuf),
    Here,
    Up,
    Name(OsString),
}

/// Follows an absolute path to the file it means, which need not exist.
///
/// A `..` behind a directory that does not exist is an error and never removed from the text: what it means is not known
/// before the directory exists.
pub(super) fn walk(path: &Path, links: Links) -> io::Result<End> {
    let mut rest: VecDeque<Part> = split(path.as_os_str(), Path::new(""))?.into();
    let Some(Part::Root(mut found)) = rest.pop_front() else {
        return Err(ErrorKind::InvalidInput.into());
    };
    let mut folder = Folder::root(&found)?;
    let mut missing: Vec<OsString> = Vec::new();
    let mut followed = 0;
    while let Some(part) = rest.pop_front() {
        let name = match part {
            Part::Root(root) => {
                folder = Folder::root(&root)?;
                found = root;
                continue;
            }
            Part::Here => continue,
            Part::Up if missing.is_empty() => {
                folder = folder.parent()?;
                found.pop();
                continue;
            }
            Part::Up => return Err(ErrorKind::NotFound.into()),
            Part::Name(name) => name,
        };
        let is_last = rest.is_empty();
        if !missing.is_empty() || (is_last && links != Links::Follow) {
            if is_last {
                return Ok(End { folder, found, missing, name });
            }
            missing.push(name);
            continue;
        }
        match folder.look(&name)? {
            Entry::Link(text) if links != Links::Refuse => {
                followed += 1;
                if followed > MAX_LINKS {
                    return Err(files::link_error());
                }
                for part in split(&text, &found)?.into_iter().rev() {
                    rest.push_front(part);
                }
            }
            Entry::Link(_) => return Err(files::link_error()),
            _ if is_last => return Ok(End { folder, found, missing, name }),
            Entry::Missing => missing.push(name),
            Entry::Folder(next) => {
                folder = next;
                found.push(name);
            }
            Entry::Other => return Err(ErrorKind::NotADirectory.into()),
        }
    }
    // The path ends in `/`, `.` or `..`.
    Err(if missing.is_empty() { ErrorKind::IsADirectory.into() } else { ErrorKind::NotFound.into() })
}

/// Returns the path without `.` and `..`, by its text alone. It does not follow links, so it never decides where a write
/// lands.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            part => result.push(part),
        }
    }
    result
}
