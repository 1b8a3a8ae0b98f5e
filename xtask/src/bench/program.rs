//! The `toolsmith` program that is measured: built with optimisation, and run with a home of its own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use super::peers;

/// The package it is in.
pub(crate) const PACKAGE: &str = "toolsmith-cli";

/// Goes on in the optimised build of this program, which is beside the one that runs.
pub(crate) fn rerun(subjects: &[&str]) -> Result<()> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).context("this program is in no build folder")?;
    let status = peers::start(folder.join("release/xtask"), &std::env::current_dir()?)
        .arg("bench")
        .args(subjects)
        .status()
        .context("the optimised build of this program could not be started")?;
    ensure!(status.success(), "the benchmark failed");
    Ok(())
}

/// The program, and the empty home it is given.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    home: PathBuf,
}

impl Program {
    /// It was built together with this program, into the same folder. What is measured is a copy, as installing makes one:
    /// a linker writes its output in pieces, and as long as the system remembers it in pieces it starts slower.
    pub(crate) fn find() -> Result<Self> {
        let own = std::env::current_exe()?;
        let built = own.parent().context("this program is in no folder")?.join("toolsmith");
        ensure!(built.is_file(), "{} is not there; `cargo xtask bench` builds it", built.display());
        let folder = peers::folder()?;
        let (path, home) = (folder.join("toolsmith"), folder.join("home"));
        fs::create_dir_all(&home)?;
        fs::copy(&built, &path)?;
        // On the disk, so that writing it there is not measured.
        fs::File::open(&path)?.sync_all()?;
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
