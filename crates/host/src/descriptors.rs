//! Whether the process may open more files. Libraries that set up signals panic where it may not.

use std::{fs::File, io};

/// Fails if `count` more files cannot be open at once.
///
/// # Errors
/// With what the system says, such as "Too many open files".
pub fn require_descriptors(count: usize) -> io::Result<()> {
    (0..count).map(|_| File::open("/dev/null")).collect::<io::Result<Vec<File>>>().map(drop)
}
