//! File-system errors in Node's form: `code`, `errno`, `syscall`, `path`, `dest`.

use std::io;

use toolsmith_host::posix::errno;

use super::request::GivenPath;
use crate::{instance::HostError, ops::failure};

/// An error for JavaScript.
#[derive(Debug)]
pub(super) enum FsError {
    System {
        number: i32,
        syscall: String,
        path: Option<String>,
        dest: Option<String>,
    },
    /// Creates an error without a system error number.
    Other(HostError),
}

impl FsError {
    pub(super) fn number(number: i32, syscall: impl Into<String>) -> Self {
        Self::System { number, syscall: syscall.into(), path: None, dest: None }
    }

    pub(super) fn io(error: &io::Error, syscall: impl Into<String>) -> Self {
        Self::number(errno::number(error).unwrap_or(errno::EIO), syscall)
    }

    /// The same error of another call.
    #[must_use]
    pub(super) fn in_call(mut self, name: &str) -> Self {
        if let Self::System { syscall, .. } = &mut self {
            name.clone_into(syscall);
        }
        self
    }

    #[must_use]
    pub(super) fn with_path(mut self, given: impl Into<String>) -> Self {
        if let Self::System { path, .. } = &mut self {
            *path = Some(given.into());
        }
        self
    }

    #[must_use]
    pub(super) fn with_dest(mut self, given: impl Into<String>) -> Self {
        if let Self::System { dest, .. } = &mut self {
            *dest = Some(given.into());
        }
        self
    }
}

/// Creates an error of a call with one path.
pub(super) fn about<'a, E: Into<io::Error>>(
    syscall: &'a str,
    path: &'a GivenPath,
) -> impl FnOnce(E) -> FsError + 'a {
    move |error| FsError::io(&error.into(), syscall).with_path(path.shown())
}

/// Creates an error of a call with two paths.
pub(super) fn about_both<'a, E: Into<io::Error>>(
    syscall: &'a str,
    path: &'a GivenPath,
    dest: &'a GivenPath,
) -> impl FnOnce(E) -> FsError + 'a {
    move |error| FsError::io(&error.into(), syscall).with_path(path.shown()).with_dest(dest.shown())
}

/// Creates an error of a call with an open file.
pub(super) fn about_file<E: Into<io::Error>>(syscall: &str) -> impl FnOnce(E) -> FsError + '_ {
    move |error| FsError::io(&error.into(), syscall)
}

impl From<FsError> for HostError {
    fn from(error: FsError) -> Self {
        let (number, syscall, path, dest) = match error {
            FsError::Other(error) => return error,
            FsError::System { number, syscall, path, dest } => (number, syscall, path, dest),
        };
        let (code, words) = failure::describe(number);
        let mut message = format!("{code}: {words}, {syscall}");
        if let Some(path) = &path {
            message.push_str(&format!(" '{path}'"));
        }
        if let Some(dest) = &dest {
            message.push_str(&format!(" -> '{dest}'"));
        }
        let mut error = Self::new(message).with("errno", -number).with("code", code).with("syscall", syscall);
        if let Some(path) = path {
            error = error.with("path", path);
        }
        if let Some(dest) = dest {
            error = error.with("dest", dest);
        }
        error
    }
}
