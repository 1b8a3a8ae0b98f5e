//! Programs compared with Toolsmith, installed outside the checkout on demand.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

/// Returns the benchmark directory: `TOOLSMITH_BENCH_DIR`, or one among temporary files.
pub(crate) fn folder() -> Result<PathBuf> {
    let folder = std::env::var_os("TOOLSMITH_BENCH_DIR")
        .map_or_else(|| std::env::temp_dir().join("toolsmith-bench"), PathBuf::from);
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}

/// Installs npm packages into the directory, unless they are installed.
pub(crate) fn npm_install(folder: &Path, packages: &[&str]) -> Result<()> {
    let wanted = packages.join("\n");
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    eprintln!("installing {} into {}", packages.join(", "), folder.display());
    fs::write(folder.join("package.json"), "{ \"private\": true }")?;
    let status = start("npm", folder)
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"])
        .args(packages)
        .stdout(Stdio::null())
        .status()
        .context("npm could not be started")?;
    ensure!(status.success(), "npm install failed");
    fs::write(stamp, wanted)?;
    Ok(())
}

/// Returns Bun's program, from npm.
pub(crate) fn bun(folder: &Path) -> Option<PathBuf> {
    let modules = folder.join("node_modules/@oven");
    fs::read_dir(modules)
        .ok()?
        .flatten()
        .map(|entry| entry.path().join("bin/bun"))
        .find(|path| path.is_file())
}

/// Creates a command in a directory.
pub(crate) fn start(program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a benchmark starts what it measures, and waits for it")]
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}
