//! Programs by name, and a program that takes over the terminal for a while, such as an editor.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::PoisonError,
};

pub(in super::super) use super::super::windows_lookup::has_folder;
use super::{
    super::{
        request::Request,
        search::{self, PathRule, program_path},
        shell::{Shell, ShellKind},
        windows_lookup::candidates,
    },
    start::INHERITING,
};

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

/// Returns the file that a name stands for in the entries of `PATH` that count.
fn find_program(name: &str) -> Option<PathBuf> {
    search::find_program(name, &program_path(), Path::new(""), PathRule::Safe).ok()
}

/// `PATH` of a process without one.
pub(in super::super) const DEFAULT_PATH: &str = "";

/// Returns the file that a name stands for in a folder.
pub(in super::super) fn named(folder: &Path, name: &str, extensions: Option<&OsStr>) -> Option<PathBuf> {
    find_in(name, Path::new(""), Some(folder.as_os_str()), extensions).map(Into::into)
}

/// Returns the file of a program in a folder, if there is one.
pub fn program_file(folder: &Path, name: &str) -> Option<PathBuf> {
    Some(folder.join(format!("{name}.exe"))).filter(|path| path.is_file())
}

/// Returns the shell that commands are written for, because Windows has none of its own that reads them.
pub(in super::super) fn plain_shell() -> Shell {
    let missing = Shell { kind: ShellKind::PowerShell, program: "powershell".to_owned() };
    shells().into_iter().next().unwrap_or(missing)
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

/// Returns a request whose program talks to this program by its standard input and output. Windows has no other numbered
/// descriptors; the variable tells the program to print to standard error instead.
pub fn on_own_descriptors(program: &str, arguments: impl IntoIterator<Item = String>) -> Request {
    Request::new(program).args(arguments).env("TOOLSMITH_STANDARD_STREAMS", "1")
}

/// Returns the shells to try: Git Bash if it is installed, else PowerShell. `bash.exe` of the system is that of a Linux beside
/// Windows, which has other files, and is not used.
pub(in super::super) fn shells() -> Vec<Shell> {
    let posix = git_bash().map(|path| Shell { kind: ShellKind::Posix, program: path });
    let others = ["pwsh", "powershell"]
        .iter()
        .filter(|name| find_program(name).is_some())
        .map(|name| Shell { kind: ShellKind::PowerShell, program: (*name).to_owned() });
    posix.into_iter().chain(others).collect()
}

/// Returns the bash that comes with Git.
fn git_bash() -> Option<String> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    // Git is at `cmd\git.exe` or `bin\git.exe` in its folder.
    let beside_git = find_program("git").and_then(|git| Some(git.parent()?.parent()?.to_path_buf()));
    let places = [
        beside_git,
        variable("ProgramFiles").map(|folder| folder.join("Git")),
        variable("LOCALAPPDATA").map(|folder| folder.join(r"Programs\Git")),
    ];
    let found =
        places.into_iter().flatten().map(|git| git.join(r"bin\bash.exe")).find(|path| path.is_file())?;
    Some(found.to_string_lossy().into_owned())
}

/// Runs an editor, given with its options as in `EDITOR`, on a file. Returns its exit code.
///
/// # Errors
/// Fails if it cannot be started.
pub fn edit_on_terminal(editor: &str, file: &str) -> io::Result<i32> {
    let words = split_words(editor);
    let mut words = words.iter().map(String::as_str);
    let program = words.next().ok_or(io::ErrorKind::NotFound)?;
    let arguments: Vec<&str> = words.chain([file]).collect();
    run_on_terminal(program, &arguments)
}

/// Splits text at spaces outside quotation marks.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted) = (String::new(), false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
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
    let path = program_path();
    let file = find_in(program, &folder, Some(path.as_os_str()), variable("PATHEXT").as_deref());
    let mut child = {
        let _inheriting = INHERITING.lock().unwrap_or_else(PoisonError::into_inner);
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the place that starts programs on the terminal"
        )]
        let mut command = Command::new(file.ok_or(io::ErrorKind::NotFound)?);
        let streams = [Stdio::inherit(), Stdio::inherit(), Stdio::inherit()];
        let [stdin, stdout, stderr] = streams;
        command.args(arguments).env("PATH", path).stdin(stdin).stdout(stdout).stderr(stderr).spawn()?
    };
    Ok(child.wait()?.code().unwrap_or(1))
}
