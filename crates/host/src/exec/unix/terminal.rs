//! Programs by name, and a program that takes over the terminal for a while, such as an editor.

use std::{
    ffi::OsStr,
    io,
    os::unix::{fs::PermissionsExt as _, process::ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::super::{
    request::Request,
    search::program_path,
    shell::{Shell, ShellKind},
};

/// `PATH` of a process without one, as `execvp` has it.
pub(in super::super) const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Returns whether a program is named by a path. Other names are looked up in `PATH`.
pub(in super::super) fn has_folder(program: &str) -> bool {
    program.contains('/')
}

/// Returns the program that runs a script by its first line: what the line says.
pub(in super::super) fn script_interpreter(line: Vec<String>) -> Vec<String> {
    line
}

/// Returns the file of a program in a folder, if it is one.
pub fn program_file(folder: &Path, name: &str) -> Option<PathBuf> {
    let path = folder.join(name);
    let is_program =
        path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    is_program.then_some(path)
}

/// Returns the file that a name stands for in a folder.
pub(in super::super) fn named(folder: &Path, name: &str, _extensions: Option<&OsStr>) -> Option<PathBuf> {
    program_file(folder, name)
}

/// Returns the shell of every system.
pub(in super::super) fn plain_shell() -> Shell {
    Shell { kind: ShellKind::Posix, program: "/bin/sh".to_owned() }
}

/// Returns a request whose program writes to this program by descriptor 3 and reads from it by descriptor 4. What it prints
/// goes to standard error, and its standard input is empty.
pub fn on_own_descriptors(program: &str, arguments: impl IntoIterator<Item = String>) -> Request {
    const REDIRECT: &str = "exec \"$0\" \"$@\" 3>&1 4<&0 0</dev/null 1>&2";
    Request::new("/bin/sh").args(["-c", REDIRECT, program]).args(arguments)
}

/// Returns the shells to try: the rare system without bash has a plain one.
pub(in super::super) fn shells() -> Vec<Shell> {
    ["bash", "sh"].map(|program| Shell { kind: ShellKind::Posix, program: program.to_owned() }).to_vec()
}

/// Runs an editor, given with its options as in `EDITOR`, on a file. Returns its exit code.
///
/// # Errors
/// Fails if it cannot be started.
pub fn edit_on_terminal(editor: &str, file: &str) -> io::Result<i32> {
    run_on_terminal("/bin/sh", &["-c", &format!("{editor} \"$1\""), "editor", file])
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
        .env("PATH", program_path())
        .stdin(Stdio::inherit())
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit())
        .status()?;
    Ok(status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1))
}
