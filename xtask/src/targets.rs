//! `cargo xtask targets`: compiles for every supported system, and runs the smoke test of the static program. What a machine
//! lacks for one is reported as `skipped: …`, never left out silently.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};

use crate::{
    cargo::{cargo, root, target_folder},
    smoke,
};

/// A target and what is done for it.
struct Target {
    name: &'static str,
    work: Work,
}

enum Work {
    /// Checks the crate with all code that differs between systems.
    CheckHost,
    /// Builds the program, which needs a C library for the target, and runs its smoke test.
    BuildAndTry,
}

const TARGETS: [Target; 4] = [
    Target { name: "x86_64-unknown-linux-musl", work: Work::BuildAndTry },
    Target { name: "aarch64-unknown-linux-musl", work: Work::CheckHost },
    Target { name: "aarch64-apple-darwin", work: Work::CheckHost },
    Target { name: "x86_64-apple-darwin", work: Work::CheckHost },
];

pub(crate) fn run() -> Result<()> {
    let compiler = capture("rustc", &["--print", "sysroot"])?;
    let mut failed = Vec::new();
    for target in &TARGETS {
        let name = target.name;
        if !Path::new(compiler.trim()).join("lib/rustlib").join(name).join("lib").exists() {
            println!("skipped: {name} (needs `rustup target add {name}`)");
            continue;
        }
        let done = match target.work {
            Work::CheckHost => cargo(&["check", "--locked", "--target", name, "--package", "toolsmith-host"]),
            Work::BuildAndTry if !has("cargo-zigbuild") => {
                println!("skipped: {name} (needs cargo-zigbuild and zig: `pip install cargo-zigbuild`)");
                continue;
            }
            Work::BuildAndTry => build_and_try(name),
        };
        match done {
            Ok(()) => println!("{name}: passed"),
            Err(error) => {
                eprintln!("{name}: {error:#}");
                failed.push(name);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed for {}", failed.join(", ")) }
}

fn build_and_try(target: &str) -> Result<()> {
    cargo(&["zigbuild", "--locked", "--target", target, "--package", "toolsmith-cli"])?;
    let program = target_folder().join(target).join("debug/toolsmith");
    smoke::run(&program.display().to_string(), None)
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
