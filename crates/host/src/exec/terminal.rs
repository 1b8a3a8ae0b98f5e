//! A program that takes over the terminal for a while, such as an editor.

use std::{
    io,
    os::unix::process::ExitStatusExt as _,
    process::{Command, Stdio},
};

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
