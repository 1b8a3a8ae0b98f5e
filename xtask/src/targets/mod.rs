//! `cargo xtask targets [TARGET…]`: builds the program for every system and runs its smoke test, or compiles it where it cannot
//! be linked. What a machine lacks is reported as `skipped: …`, never left out silently.

mod table;
pub(crate) mod tools;

use std::{path::PathBuf, time::Instant};

use anyhow::{Result, bail, ensure};

use crate::{cargo::target_folder, smoke};

use table::Check;
pub(crate) use table::{TARGETS, Target};

/// Checks the named targets, or all.
pub(crate) fn run(named: &[&str]) -> Result<()> {
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
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed for {}", failed.join(", ")) }
}

/// Checks one target and says how far.
fn check(target: &Target) -> Result<&'static str> {
    let triple = target.triple;
    if let Some(needed) = tools::missing(triple)? {
        println!("skipped: {triple} (needs `{needed}`)");
        return Ok("not checked");
    }
    match target.check {
        Check::Skip { reason } => {
            println!("skipped: {triple} ({reason})");
            Ok("not checked")
        }
        Check::Compile { packages } => {
            let packages = packages.iter().flat_map(|name| ["--package", name]);
            let arguments = ["check", "--locked", "--target", triple];
            tools::zigbuild(&arguments.into_iter().chain(packages).collect::<Vec<_>>())?;
            Ok("compiled")
        }
        Check::Run { runner, tests } => {
            let program = build(target, "dev")?;
            if let Some(runner) = runner.filter(|runner| !tools::has(runner)) {
                println!("skipped: the smoke test for {triple} (needs {runner})");
                return Ok("built");
            }
            smoke::run(&program.display().to_string(), runner)?;
            if !tests.is_empty() {
                let packages = tests.iter().flat_map(|name| ["--package", name]);
                let arguments = ["test", "--locked", "--target", triple];
                tools::zigbuild(&arguments.into_iter().chain(packages).collect::<Vec<_>>())?;
            }
            Ok("built and ran")
        }
    }
}

/// Builds the program for a target and returns its path.
pub(crate) fn build(target: &Target, profile: &str) -> Result<PathBuf> {
    let arguments = ["zigbuild", "--locked", "--profile", profile, "--target", target.triple];
    tools::zigbuild(&[&arguments[..], &["--package", "toolsmith-cli"]].concat())?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(target_folder().join(target.triple).join(folder).join(target.names.program))
}
