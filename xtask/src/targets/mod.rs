//! `cargo xtask targets [--clean] [TARGET…]`: builds the program for every system and runs its smoke test, or compiles it where it
//! cannot be linked. What a machine lacks is reported as `skipped: …`, never left out silently.

mod table;
pub(crate) mod tools;

use std::{fs, io::ErrorKind, path::PathBuf, time::Instant};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{
    cargo::target_folder,
    smoke,
    wine::{self, Wine},
};

use table::Check;
pub(crate) use table::{TARGETS, Target};

/// Checks the named targets, or all. With `--clean`, the build of a target is removed before the next one, because all
/// together take several gigabytes.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let (clean, named) = match arguments {
        ["--clean", named @ ..] => (true, named),
        named => (false, named),
    };
    for name in named {
        ensure!(TARGETS.iter().any(|target| target.triple == *name), "unknown target {name}");
    }
    let mut failed = Vec::new();
    for target in TARGETS.iter().filter(|target| named.is_empty() || named.contains(&target.triple)) {
        let start = Instant::now();
        match check(target) {
            Ok(done) => println!("{}: {done} in {} s", target.triple, start.elapsed().as_secs()),
            Err(error) => {
                eprintln!("{}: {error:#}", target.triple);
                failed.push(target.triple);
            }
        }
        if clean {
            remove_build(target)?;
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed for {}", failed.join(", ")) }
}

/// Removes everything that was compiled for a target.
fn remove_build(target: &Target) -> Result<()> {
    let folder = target_folder().join(target.triple);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Checks one target and says how far.
fn check(target: &Target) -> Result<&'static str> {
    let triple = target.triple;
    if let Some(needed) = tools::missing(triple)? {
        println!("skipped: {triple} (needs `{needed}`)");
        return Ok("not checked");
    }
    match target.check {
        Check::Compile { packages } => {
            let packages: Vec<&str> = packages.iter().flat_map(|name| ["--package", name]).collect();
            tools::zigbuild(&[&["check", "--locked", "--target", triple], &packages[..]].concat())?;
            Ok("compiled")
        }
        Check::Run { runner, tests, lints } => {
            let program = build(target, "dev")?;
            if !lints.is_empty() {
                let arguments = ["clippy", "--locked", "--target", triple];
                tools::zigbuild(&[&arguments, lints, &["--", "-D", "warnings"]].concat())?;
            }
            if let Some(runner) = runner.filter(|runner| !tools::has(runner)) {
                println!("skipped: the smoke test for {triple} (needs {runner})");
                return Ok("built");
            }
            smoke::run(&program.display().to_string(), runner)?;
            if !tests.is_empty() {
                test(triple, runner, tests)?;
            }
            Ok("built and ran")
        }
    }
}

/// Runs tests, in Wine if that is the runner.
fn test(triple: &str, runner: Option<&str>, what: &[&str]) -> Result<()> {
    let arguments = [&["test", "--locked", "--target", triple], what].concat();
    if runner != Some(wine::RUNNER) {
        return tools::zigbuild(&arguments);
    }
    let folder = tempfile::tempdir()?;
    let wine = Wine::start(folder.path().join("wine"))?;
    let mut command = tools::zigbuild_command(&arguments);
    wine.set_environment(&mut command);
    command.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", wine::RUNNER);
    tools::finish(&mut command)
}

/// Builds the program for a target and returns its path.
pub(crate) fn build(target: &Target, profile: &str) -> Result<PathBuf> {
    let arguments = ["zigbuild", "--locked", "--profile", profile, "--target", target.triple];
    tools::zigbuild(&[&arguments[..], &["--package", "toolsmith-cli"]].concat())?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(target_folder().join(target.triple).join(folder).join(target.names.program))
}
