//! The shell that commands of users and models are written for.

use super::{request::Request, system};

/// The language of a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShellKind {
    /// bash, or a plain POSIX shell.
    Posix,
    /// PowerShell, on Windows without Git Bash.
    PowerShell,
}

/// A shell to run commands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// Its language.
    pub kind: ShellKind,
    pub(super) program: String,
}

impl Shell {
    /// Returns the program and the arguments that run a command.
    pub fn words(&self, command: &str) -> Vec<String> {
        let program = self.program.clone();
        match self.kind {
            ShellKind::Posix => vec![program, "-c".to_owned(), command.to_owned()],
            ShellKind::PowerShell => {
                let options = ["-NoProfile", "-NonInteractive", "-Command"].map(str::to_owned);
                std::iter::once(program).chain(options).chain([powershell_script(command)]).collect()
            }
        }
    }

    /// Returns the request that runs a command.
    pub fn request(&self, command: &str) -> Request {
        let mut words = self.words(command).into_iter();
        Request::new(words.next().unwrap_or_default()).args(words)
    }
}

/// Returns the shells to try, best first. One that is not installed gives an error that
/// [`super::ExecError::is_not_found`].
pub fn shells() -> Vec<Shell> {
    system::shells()
}

/// Returns the shell that commands are written for.
pub fn shell() -> Shell {
    let plain = Shell { kind: ShellKind::Posix, program: "sh".to_owned() };
    shells().into_iter().next().unwrap_or(plain)
}

/// Returns the shell for commands in settings files, which are written for any POSIX shell.
pub fn plain_shell() -> Shell {
    system::plain_shell()
}

/// Wraps a command so that its output is UTF-8 and its exit code that of the last program.
fn powershell_script(command: &str) -> String {
    format!(
        "[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)\n{command}\n\
         if (-not $?) {{ if ($LASTEXITCODE) {{ exit $LASTEXITCODE }} else {{ exit 1 }} }}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c3_2_powershell_gets_the_command_as_one_argument() {
        let shell = Shell { kind: ShellKind::PowerShell, program: "powershell".to_owned() };
        let words = shell.words("echo \"a b\"; exit 3");
        assert_eq!(words[..4], ["powershell", "-NoProfile", "-NonInteractive", "-Command"]);
        assert!(words[4].contains("\necho \"a b\"; exit 3\n"), "{}", words[4]);
        assert_eq!(words.len(), 5);
    }

    #[cfg(unix)]
    #[test]
    fn c3_2_commands_are_run_by_bash_or_else_by_a_plain_shell() {
        let words: Vec<_> = shells().iter().map(|shell| shell.words("true")).collect();
        assert_eq!(words, [["bash", "-c", "true"], ["sh", "-c", "true"]]);
    }
}
