//! The `toolsmith` program that is measured: built with optimisation, and run with a home of its own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use super::peers;
use crate::cargo::cargo;

/// The program, and the empty home it is given.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    home: PathBuf,
}

impl Program {
    /// Builds it, unless it is up to date.
    pub(crate) fn build() -> Result<Self> {
        cargo(&["build", "--quiet", "--release", "--package", "toolsmith-cli"])?;
        // Both are built into the same folder.
        let own = std::env::current_exe()?;
        let path = own.parent().context("this program is in no folder")?.join("toolsmith");
        ensure!(path.is_file(), "{} was not built", path.display());
        let home = peers::folder()?.join("home");
        fs::create_dir_all(&home)?;
        Ok(Self { path, home })
    }

    /// Starts it in a folder, with nothing of the surroundings but `PATH`.
    pub(crate) fn start(&self, folder: &Path) -> Command {
        clean(&self.path, folder, &self.home)
    }
}

/// A command that sees a home of its own, and nothing of the surroundings but `PATH`.
pub(crate) fn clean(program: &Path, folder: &Path, home: &Path) -> Command {
    let mut command = peers::start(program, folder);
    command.env_clear().env("HOME", home).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}
