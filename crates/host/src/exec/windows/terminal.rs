//! Programs by name, and a program that takes over the terminal for a while, such as an editor.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::PoisonError,
};

pub(in super::super) use super::super::windows_lookup::has_folder;
use super::{super::windows_lookup::candidates, start::INHERITING};

/// Returns the file of a program. Relative paths start from `folder`.
pub(super) fn find_in(
    program: &str,
    folder: &Path,
    path: Option<&OsStr>,
    extensions: Option<&OsStr>,
) -> Option<String> {
    let text = |value: Option<&OsStr>| value.map(|value| value.to_string_lossy().into_owned());
    let path = text(path).unwrap_or_default();
    candidates(program, &folder.to_string_lossy(), &path, text(extensions).as_deref())
        .into_iter()
        .find(|file| Path::new(file).is_file())
}

/// Returns the file that a name stands for in the absolute folders of `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name);
    find_in(name, Path::new(""), variable("PATH").as_deref(), variable("PATHEXT").as_deref()).map(Into::into)
}

/// Returns the program that runs a script by its first line: the file name of the path given there, because Windows has no
/// `/usr/bin`. `env` is left out.
pub(in super::super) fn script_interpreter(line: Vec<String>) -> Vec<String> {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    let mut words = line.iter().flat_map(|word| word.split_whitespace()).map(ToOwned::to_owned).peekable();
    if words.peek().is_some_and(|program| name(program) == "env") {
        words.next();
        while words.next_if(|word| word.starts_with('-')).is_some() {}
    }
    let mut words: Vec<String> = words.collect();
    if let Some(program) = words.first_mut().filter(|program| program.starts_with('/')) {
        *program = name(program);
    }
    words
}

/// Runs a program on the terminal itself and waits for its end. Returns its exit code. It is in no job of its own: it shares
/// the console with this program.
///
/// # Errors
/// Fails if it cannot be started.
pub fn run_on_terminal(program: &str, arguments: &[&str]) -> io::Result<i32> {
    let variable = |name| std::env::var_os(name);
    let folder = std::env::current_dir()?;
    let file = find_in(program, &folder, variable("PATH").as_deref(), variable("PATHEXT").as_deref());
    let mut child = {
        let _inheriting = INHERITING.lock().unwrap_or_else(PoisonError::into_inner);
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the place that starts programs on the terminal"
        )]
        let mut command = Command::new(file.ok_or(io::ErrorKind::NotFound)?);
        let streams = [Stdio::inherit(), Stdio::inherit(), Stdio::inherit()];
        let [stdin, stdout, stderr] = streams;
        command.args(arguments).stdin(stdin).stdout(stdout).stderr(stderr).spawn()?
    };
    Ok(child.wait()?.code().unwrap_or(1))
}
