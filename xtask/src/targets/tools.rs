//! What building for other systems needs: Rust's library for the target, a C compiler (`zig`), emulators.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::cargo::{root, target_folder};

/// Folder of a Python environment with `ziglang` and `cargo-zigbuild`, below the build folder. `.ci/run` makes it where
/// they are not installed.
const ENVIRONMENT: &str = "zig/bin";

/// Says what the machine needs to build for a target; `None` if it has everything.
pub(crate) fn missing(triple: &str) -> Result<Option<String>> {
    let compiler = capture(start("rustc").args(["--print", "sysroot"]))?;
    let library = Path::new(compiler.trim()).join("lib/rustlib").join(triple).join("lib");
    let mut needed = Vec::new();
    if !library.exists() {
        needed.push(format!("rustup target add {triple}"));
    }
    if !has("cargo-zigbuild") {
        needed.push("pip install ziglang cargo-zigbuild".to_owned());
    }
    Ok((!needed.is_empty()).then(|| needed.join(" and ")))
}

/// Reports if a program is installed.
pub(crate) fn has(program: &str) -> bool {
    let tried = start(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

/// Runs `cargo-zigbuild`, which is cargo with `zig` as C compiler and linker.
pub(crate) fn zigbuild(arguments: &[&str]) -> Result<()> {
    let status = start("cargo-zigbuild").args(arguments).status().context("cargo-zigbuild")?;
    ensure!(status.success(), "cargo-zigbuild {} failed", arguments.join(" "));
    Ok(())
}

fn start(program: &str) -> Command {
    let before = [target_folder().join(ENVIRONMENT)];
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = before.into_iter().chain(env::split_paths(&path)).collect();
    let path = env::join_paths(folders).unwrap_or(path);
    // The shell looks the name up in the new `PATH`; std takes the old one.
    #[expect(clippy::disallowed_methods, reason = "a task waits for what it starts")]
    let mut command = Command::new("/usr/bin/env");
    command.arg(program).current_dir(root()).env("PATH", path);
    command
}

fn capture(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?} could not be started"))?;
    if !output.status.success() {
        bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
