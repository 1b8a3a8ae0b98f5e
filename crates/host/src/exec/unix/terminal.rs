//! Programs by name, and a program that takes over the terminal for a while, such as an editor.

use std::{
    io,
    os::unix::process::ExitStatusExt as _,
    path::PathBuf,
    process::{Command, Stdio},
};

/// Returns whether a program is named by a path. Other names are looked up in `PATH`.
pub(in super::super) fn has_folder(program: &str) -> bool {
    program.contains('/')
}

/// Returns the program that runs a script by its first line: what the line says.
pub(in super::super) fn script_interpreter(line: Vec<String>) -> Vec<String> {
    line
}

/// Returns the file that a name stands for in the absolute folders of `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let is_program = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let folders = std::env::var_os("PATH")?;
    let found =
        std::env::split_paths(&folders).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    found.into_iter().find(is_program)
}

/// Runs a program on the terminal itself and waits for its end. Returns its exit code, or 128 plus the number of the signal
/// that ended it. It has no supervisor: job control of the terminal needs it to be a direct child.
///
/// # Errors
/// Fails if it cannot be started.
pub fn run_on_terminal(program: &str, arguments: &[&str]) -> io::Result<i32> {
    #[expect(clippy::disallowed_methods, reason = "this is the place that starts programs on the terminal")]
    let mut command = Command::new(program);
    let status = command
        .args(arguments)
        .stdin(Stdio::inherit())
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit())
        .status()?;
    Ok(status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1))
}
