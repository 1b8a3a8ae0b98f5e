//! How a script file is run: by itself if it is executable, else by its first line or its extension.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
};

use super::system::script_interpreter;
use crate::{regular_file::open_regular, system::files};

/// Longest first line, as the kernel has it.
const MAX_LINE: u64 = 256;

/// Returns the program and the arguments that come before the file's path; none if the file is executable.
///
/// # Errors
/// Fails if the file cannot be read, is not a regular file, or nothing says how to run it.
pub fn interpreter(path: &Path) -> io::Result<Vec<String>> {
    let about = fs::metadata(path)?;
    let file = open_regular(path)?;
    if files::is_executable(path, &about) {
        return Ok(Vec::new());
    }
    let mut start = Vec::new();
    file.take(MAX_LINE).read_to_end(&mut start)?;
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if let Some(line) = line.strip_prefix(b"#!") {
        let line = String::from_utf8_lossy(line).trim().to_owned();
        let mut words = line.splitn(2, [' ', '\t']).map(|word| word.trim().to_owned());
        let program = words.next().filter(|program| !program.is_empty());
        return program
            .map(|program| std::iter::once(program).chain(words.filter(|word| !word.is_empty())).collect())
            .map(script_interpreter)
            .ok_or_else(|| io::Error::other("its first line names no interpreter"));
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("sh") => Ok(vec!["sh".to_owned()]),
        Some("py") => Ok(vec!["python3".to_owned()]),
        Some("ps1") => {
            let words = ["powershell", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File"];
            Ok(words.map(str::to_owned).into())
        }
        _ => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not executable; use `chmod +x`")),
    }
}
