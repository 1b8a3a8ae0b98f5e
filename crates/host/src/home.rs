//! The user's home folder by the environment.

use std::{ffi::OsString, path::PathBuf};

use crate::system::program;

/// Returns the variable that names the home folder, and its value: `HOME`, or `USERPROFILE` on Windows.
pub fn home_variable() -> (&'static str, Option<OsString>) {
    program::home_variable()
}

/// Returns the home folder that the environment names.
pub fn home_folder() -> Option<PathBuf> {
    home_variable().1.map(PathBuf::from)
}
