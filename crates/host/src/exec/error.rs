//! Why a process could not be started. A process that was started always has an outcome instead.

use std::{io, path::PathBuf};

use thiserror::Error;

use super::system;

/// Nothing ran, and why. Each message names the program or folder at fault (CONTRACT 3.2).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExecError {
    /// No name was given.
    #[error("No program was named")]
    NoProgram,
    /// The name is not in `PATH`.
    #[error("Executable not found in $PATH: \"{program}\"")]
    NotInPath {
        /// The name.
        program: String,
    },
    /// The name is only in a relative entry of `PATH`.
    #[error(
        "\"{program}\" was not started: PATH has it only in the relative entry \"{}\", which is not searched; \
         use an absolute entry, or the path of the program",
        entry.display()
    )]
    OnlyInRelativeEntry {
        /// The name.
        program: String,
        /// The entry.
        entry: PathBuf,
    },
    /// The name is only in entries of `PATH` that belong to a project which is not trusted.
    #[error(
        "\"{program}\" was not started: PATH has it only in {}, and the project {} is not trusted; \
         to trust it, run: toolsmith trust",
        entry.display(), project.display()
    )]
    OnlyInUntrustedProject {
        /// The name.
        program: String,
        /// The entry.
        entry: PathBuf,
        /// The project.
        project: PathBuf,
    },
    /// The path leads nowhere. The wording is the one tools for related hosts print and match.
    #[error("ENOENT: no such file or directory, posix_spawn '{program}'")]
    NoSuchFile {
        /// The path.
        program: String,
    },
    /// The file is there, but not what its first line asks for.
    #[error("\"{program}\" cannot be run: the interpreter its first line names was not found")]
    NoInterpreter {
        /// The path.
        program: String,
    },
    /// The path is a folder.
    #[error("\"{program}\" is a folder, not a program")]
    IsAFolder {
        /// The path.
        program: String,
    },
    /// The file may not be run.
    #[error("\"{program}\" may not be run: permission denied (is it executable? chmod +x makes it so)")]
    NotExecutable {
        /// The path.
        program: String,
    },
    /// The working folder is not there or cannot be entered.
    #[error("Working folder \"{}\" cannot be used: {source}", cwd.display())]
    Cwd {
        /// The folder.
        cwd: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The working folder is a file.
    #[error("Working folder \"{}\" is not a folder", cwd.display())]
    CwdNotAFolder {
        /// The path.
        cwd: PathBuf,
    },
    /// The system cannot take text with a NUL byte.
    #[error("{what} contains a NUL byte")]
    NulByte {
        /// Where it is.
        what: String,
    },
    /// No system takes such a variable.
    #[error("\"{name}\" cannot be the name of an environment variable")]
    BadVariable {
        /// The name.
        name: String,
    },
    /// The call has started as many processes as it may.
    #[error("\"{program}\" was not started: the call has reached its limit of processes")]
    TooMany {
        /// The program.
        program: String,
    },
    /// Anything else: out of processes, too long an argument list.
    #[error("\"{program}\" could not be started: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
}

impl ExecError {
    /// Returns whether no entry of `PATH` that counts has the program, so that another one can be tried.
    pub fn is_not_found(&self) -> bool {
        matches!(
            self,
            Self::NotInPath { .. } | Self::OnlyInRelativeEntry { .. } | Self::OnlyInUntrustedProject { .. }
        )
    }

    /// Finds the reason behind the system's error.
    pub(super) fn from_spawn(program: &str, cwd: Option<&PathBuf>, source: io::Error) -> Self {
        let program = program.to_owned();
        if !system::has_folder(&program) {
            return match source.kind() {
                // Its file was found.
                io::ErrorKind::NotFound => Self::NoInterpreter { program },
                io::ErrorKind::PermissionDenied => Self::NotExecutable { program },
                _ => Self::Spawn { program, source },
            };
        }
        // A relative program is looked up from the folder it starts in.
        let path = cwd.map_or_else(|| PathBuf::from(&program), |cwd| cwd.join(&program));
        let found = std::fs::metadata(&path);
        match source.kind() {
            io::ErrorKind::NotFound if found.is_ok() => Self::NoInterpreter { program },
            io::ErrorKind::NotFound => Self::NoSuchFile { program },
            io::ErrorKind::PermissionDenied if found.is_ok_and(|found| found.is_dir()) => {
                Self::IsAFolder { program }
            }
            io::ErrorKind::PermissionDenied => Self::NotExecutable { program },
            _ => Self::Spawn { program, source },
        }
    }
}
