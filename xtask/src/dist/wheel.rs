//! Python wheels that hold the program and no Python.

use std::path::Path;

use anyhow::Result;

use super::{Built, SUMMARY, VERSION, capture, start};

/// Python writes the archive: a wheel is a ZIP file with hashes, and Python has both.
const WRITE: &str = include_str!("wheel.py");

/// Returns the file name of a wheel.
pub(super) fn file_name(built: &Built) -> String {
    format!("toolsmith-{VERSION}-py3-none-{}.whl", built.target.names.wheel)
}

/// Writes the wheel for one system.
pub(super) fn write(built: &Built, to: &Path) -> Result<()> {
    if start("python3").arg("--version").output().is_err() {
        println!("skipped: the Python wheel for {} (needs python3)", built.target.triple);
        return Ok(());
    }
    let mut python = start("python3");
    python.args(["-c", WRITE, VERSION, SUMMARY, built.target.names.wheel, built.target.names.program]);
    capture(python.arg(&built.program).arg(to.join(file_name(built)))).map(drop)
}
