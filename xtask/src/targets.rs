//! `cargo xtask targets`: checks the crate with all code that differs between systems for every supported one. With
//! `--static` it builds the static program and runs its smoke test. What a machine lacks is reported as `skipped: …`, never
//! left out silently.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};

use crate::{
    cargo::{cargo, root, target_folder},
    smoke,
};

const STATIC: &str = "x86_64-unknown-linux-musl";
const TARGETS: [&str; 4] =
    [STATIC, "aarch64-unknown-linux-musl", "aarch64-apple-darwin", "x86_64-apple-darwin"];

pub(crate) fn run() -> Result<()> {
    let mut failed = Vec::new();
    for target in TARGETS {
        if !is_installed(target)? {
            println!("skipped: {target} (needs `rustup target add {target}`)");
            continue;
        }
        match cargo(&["check", "--locked", "--target", target, "--package", "toolsmith-host"]) {
            Ok(()) => println!("{target}: passed"),
            Err(error) => {
                eprintln!("{target}: {error:#}");
                failed.push(target);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed for {}", failed.join(", ")) }
}

/// Builds the static program, which needs a C library for the target, and tries it.
pub(crate) fn run_static() -> Result<()> {
    if !is_installed(STATIC)? || !has("cargo-zigbuild") {
        println!("skipped: {STATIC} (needs `rustup target add {STATIC}` and `pip install cargo-zigbuild`)");
        return Ok(());
    }
    cargo(&["zigbuild", "--release", "--locked", "--target", STATIC, "--package", "toolsmith-cli"])?;
    let program = target_folder().join(STATIC).join("release/toolsmith");
    smoke::run(&program.display().to_string(), None)
}

fn is_installed(target: &str) -> Result<bool> {
    let compiler = capture("rustc", &["--print", "sysroot"])?;
    Ok(Path::new(compiler.trim()).join("lib/rustlib").join(target).join("lib").exists())
}

fn start(program: &str) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a task waits for what it starts")]
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

fn has(program: &str) -> bool {
    let tried = start(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

fn capture(program: &str, arguments: &[&str]) -> Result<String> {
    let output = start(program).args(arguments).output().with_context(|| program.to_owned())?;
    Ok(String::from_utf8(output.stdout)?)
}
