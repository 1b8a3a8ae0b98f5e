//! `cargo xtask targets`: checks the code for every supported system. What a machine lacks for one is reported as
//! `skipped: …`, never left out silently.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::cargo::root;

/// A target, and the packages that compile for it.
struct Target {
    name: &'static str,
    packages: &'static [&'static str],
    /// The rest of the program needs a C library for the target, which only a cross compiler has.
    needs_zig: bool,
}

const TARGETS: [Target; 4] = [
    Target { name: "x86_64-unknown-linux-musl", packages: &["toolsmith-cli"], needs_zig: true },
    Target { name: "aarch64-unknown-linux-musl", packages: &["toolsmith-cli"], needs_zig: true },
    Target { name: "aarch64-apple-darwin", packages: &["toolsmith-host"], needs_zig: false },
    Target { name: "x86_64-apple-darwin", packages: &["toolsmith-host"], needs_zig: false },
];

pub(crate) fn run() -> Result<()> {
    let installed = capture("rustc", &["--print", "sysroot"])?;
    let zig = has("cargo-zigbuild", "--version");
    let mut failed = Vec::new();
    for target in &TARGETS {
        let library = format!("{}/lib/rustlib/{}/lib", installed.trim(), target.name);
        if !std::path::Path::new(&library).exists() {
            println!("skipped: {} (needs `rustup target add {}`)", target.name, target.name);
            continue;
        }
        if target.needs_zig && !zig {
            println!("skipped: {} (needs cargo-zigbuild and zig)", target.name);
            continue;
        }
        let command = if target.needs_zig { "cargo-zigbuild" } else { "cargo" };
        let mut arguments = vec!["check", "--locked", "--target", target.name];
        arguments.extend(target.packages.iter().flat_map(|package| ["--package", package]));
        if start(command).args(&arguments).status().with_context(|| command.to_owned())?.success() {
            println!("checked: {} ({})", target.name, target.packages.join(", "));
        } else {
            failed.push(target.name);
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("does not compile for {}", failed.join(", ")) }
}

fn start(program: &str) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a task waits for what it starts")]
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

fn has(program: &str, argument: &str) -> bool {
    let tried = start(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

fn capture(program: &str, arguments: &[&str]) -> Result<String> {
    let output = start(program).args(arguments).output().with_context(|| program.to_owned())?;
    Ok(String::from_utf8(output.stdout)?)
}
