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

/// The compiler asks the linker for a static program at any address. `cargo-zigbuild` drops that option, and zig then links for
/// a fixed address, unless it is told otherwise.
const POSITION_INDEPENDENT: &str = "-C link-arg=-pie";
/// Variables with the flags of the targets that are linked statically.
const STATIC_FLAGS: [&str; 2] =
    ["CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS", "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUSTFLAGS"];

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
    finish(&mut zigbuild_command(arguments))
}

/// Prepares `cargo-zigbuild`.
pub(crate) fn zigbuild_command(arguments: &[&str]) -> Command {
    let mut command = start("cargo-zigbuild");
    for variable in STATIC_FLAGS {
        command.env(variable, POSITION_INDEPENDENT);
    }
    command.args(arguments);
    command
}

/// Runs a command to its end, with its output passed through.
pub(crate) fn finish(command: &mut Command) -> Result<()> {
    let line: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
    let status = command.status().with_context(|| format!("{} could not be started", line.join(" ")))?;
    ensure!(status.success(), "{} failed", line.join(" "));
    Ok(())
}

/// Prepares a program of the machine, or of the Python environment.
pub(crate) fn start(program: &str) -> Command {
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
