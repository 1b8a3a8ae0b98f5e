//! The measured `toolsmith` program: an optimised build with its own home directory.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use super::peers;

/// Its package.
pub(crate) const PACKAGE: &str = "toolsmith-cli";

/// Continues in the optimised build of this program, which lies beside the running one.
pub(crate) fn rerun(subjects: &[&str]) -> Result<()> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).context("this program is in no build folder")?;
    let status = peers::start(folder.join("dist/xtask"), &std::env::current_dir()?)
        .arg("bench")
        .args(subjects)
        .status()
        .context("the optimised build of this program could not be started")?;
    ensure!(status.success(), "the benchmark failed");
    Ok(())
}

/// The program and its empty home.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    home: PathBuf,
}

impl Program {
    /// It was built together with this program, into the same directory. A copy is measured, as installing creates one:
    /// a linker writes its output in pieces, and while the page cache holds those pieces the program starts more
    /// slowly.
    pub(crate) fn find() -> Result<Self> {
        let own = std::env::current_exe()?;
        let built = own.parent().context("this program is in no folder")?.join("toolsmith");
        ensure!(built.is_file(), "{} is not there; `cargo xtask bench` builds it", built.display());
        let folder = peers::folder()?;
        let (path, home) = (folder.join("toolsmith"), folder.join("home"));
        fs::create_dir_all(&home)?;
        fs::copy(&built, &path)?;
        // Synced, so that writing it to disk is not measured.
        fs::File::open(&path)?.sync_all()?;
        Ok(Self { path, home })
    }

    /// Starts it in a directory with only `PATH` in the environment.
    pub(crate) fn start(&self, folder: &Path) -> Command {
        clean(&self.path, folder, &self.home)
    }
}

/// Creates a command with its own home and only `PATH` in the environment.
pub(crate) fn clean(program: &Path, folder: &Path, home: &Path) -> Command {
    let mut command = peers::start(program, folder);
    command.env_clear().env("HOME", home).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}
