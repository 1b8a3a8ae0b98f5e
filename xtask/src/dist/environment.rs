//! Empty environments that installed programs run in: on this machine, by an emulator, or in Wine.

use std::{
    env, fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use super::{Target, start};
use crate::{
    targets::tools,
    wine::{self, Wine},
};

/// Programs that an environment has: what the install script and the demo need. There is no Rust, no compiler, no Node.
const PRESENT: &[&str] = &[
    "sh",
    "bash",
    "env",
    "cat",
    "chmod",
    "cp",
    "dirname",
    "git",
    "grep",
    "gzip",
    "ls",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sha256sum",
    "sleep",
    "tar",
    "uname",
];

/// The way to run the programs of a system.
pub(super) enum Runner {
    ThisMachine,
    Emulator(PathBuf),
    Wine(Wine),
}

impl Runner {
    /// Finds what runs the programs of a target; `None` if this machine has nothing that does.
    pub(super) fn find(target: &Target, place: &Path) -> Result<Option<Self>> {
        if !target.can_be_linked_here() {
            println!("skipped: installing for {} (no program here runs its programs)", target.triple);
            return Ok(None);
        }
        let Some(name) = target.runner() else { return Ok(Some(Self::ThisMachine)) };
        if !tools::has(name) {
            println!("skipped: installing for {} (needs {name})", target.triple);
            return Ok(None);
        }
        Ok(Some(match name {
            wine::RUNNER => Self::Wine(Wine::start(place.join("wine"))?),
            name => Self::Emulator(find(name).with_context(|| format!("{name} is not on the PATH"))?),
        }))
    }

    pub(super) fn is_this_machine(&self) -> bool {
        matches!(self, Self::ThisMachine)
    }

    /// Prepares an installed program.
    pub(super) fn start(&self, environment: &Environment, program: &Path) -> Command {
        match self {
            Self::ThisMachine => environment.start(program),
            Self::Emulator(emulator) => {
                let mut command = environment.start(emulator);
                command.arg(program);
                command
            }
            Self::Wine(wine) => {
                let mut command = wine.command(program);
                command.current_dir(environment.home());
                command
            }
        }
    }
}

/// An empty home and a `PATH` with few programs.
pub(super) struct Environment {
    folder: tempfile::TempDir,
}

impl Environment {
    pub(super) fn new(place: &Path, more: &[PathBuf]) -> Result<Self> {
        let environment = Self { folder: tempfile::tempdir_in(place)? };
        fs::create_dir(environment.home())?;
        fs::create_dir(environment.programs())?;
        let present = PRESENT.iter().filter_map(|name| find(name));
        for program in present.chain(more.iter().cloned()) {
            let name = program.file_name().context("a program without a name")?;
            symlink(&program, environment.programs().join(name))?;
        }
        Ok(environment)
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn programs(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    /// Replaces a program by a script.
    pub(super) fn replace(&self, name: &str, script: &str) -> Result<()> {
        let path = self.programs().join(name);
        fs::remove_file(&path)?;
        fs::write(&path, script)?;
        Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
    }

    /// Prepares a program by its path, or by the name that it has in this environment.
    pub(super) fn start(&self, program: impl AsRef<Path>) -> Command {
        // An absolute path replaces the folder.
        let mut command = start(self.programs().join(program));
        command.env_clear().env("HOME", self.home()).env("PATH", self.programs()).current_dir(self.home());
        command
    }
}

/// Returns the path of a program on the `PATH`.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
