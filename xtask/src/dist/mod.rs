//! `cargo xtask dist`: builds the program and everything that people install: archives, npm packages, Python wheels, Debian
//! packages, an install script, checksums and a bill of materials. All of it has the version of the workspace.
//!
//! Without arguments it builds the program for each system that this machine can link for. `TARGET=PROGRAM` uses a program
//! that was built already, and `--profile` another profile than `dist`. `--check` then installs each artifact
//! and runs the demo, by an emulator or in Wine where the program is not for this machine.

mod archive;
mod bill;
mod debian;
mod environment;
mod install;
mod npm;
mod wheel;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};

use crate::{
    cargo::{Metadata, root, target_folder},
    javascript,
    targets::{self, TARGETS, Target, tools},
};

/// Version of everything that is built.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The sentence about the program that package lists show.
const SUMMARY: &str = "A coding agent and tool runtime in one binary";
/// Profile of programs that are distributed.
const PROFILE: &str = "dist";

/// A built program.
#[derive(Clone, Debug)]
struct Built {
    target: Target,
    program: PathBuf,
}

/// Arguments of the command.
#[derive(Debug)]
struct Arguments<'a> {
    check: bool,
    profile: &'a str,
    given: Vec<Built>,
}

pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let arguments = read(arguments)?;
    let built = if arguments.given.is_empty() { build(arguments.profile)? } else { arguments.given };
    let folder = target_folder().join("artifacts");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;

    let native = native(&built)?;
    let content = archive::Content::prepare(&native.program)?;
    for built in &built {
        archive::write(built, &content, &folder)?;
        wheel::write(built, &folder)?;
        npm::write_program(built, &folder)?;
        debian::write(built, &content, &folder)?;
    }
    npm::write_launcher(&built, &folder)?;
    bill::write(&Metadata::load()?, &folder)?;
    install::write_script(&folder)?;
    write_checksums(&folder)?;
    for entry in sorted(&folder)? {
        println!("{}", entry.display());
    }
    if arguments.check { install::check(&built, &folder) } else { Ok(()) }
}

fn read<'a>(arguments: &[&'a str]) -> Result<Arguments<'a>> {
    let mut read = Arguments { check: false, profile: PROFILE, given: Vec::new() };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "--check" => read.check = true,
            "--profile" => read.profile = words.next().context("--profile needs a name")?,
            word => read.given.push(given(word)?),
        }
    }
    Ok(read)
}

/// Reads `TARGET=PROGRAM`.
fn given(word: &str) -> Result<Built> {
    let (triple, program) = word.split_once('=').context("expected TARGET=PROGRAM")?;
    let target = TARGETS.into_iter().find(|target| target.triple == triple);
    let target = target.with_context(|| format!("unknown target {triple}"))?;
    Ok(Built { target, program: fs::canonicalize(program).with_context(|| program.to_owned())? })
}

/// Builds the program for each target that this machine can link for.
fn build(profile: &str) -> Result<Vec<Built>> {
    javascript::run()?;
    let mut built = Vec::new();
    for target in TARGETS {
        let triple = target.triple;
        if !target.can_be_linked_here() {
            println!("skipped: {triple} (cannot be linked on this machine)");
        } else if let Some(needed) = tools::missing(triple)? {
            println!("skipped: {triple} (needs `{needed}`)");
        } else {
            built.push(Built { target, program: targets::build(&target, profile)? });
        }
    }
    Ok(built)
}

/// The program that runs on this machine: completions and the manual are printed by it.
fn native(built: &[Built]) -> Result<&Built> {
    let runs_here = |built: &&Built| {
        let mut parts = built.target.triple.split('-');
        parts.next() == Some(env::consts::ARCH) && parts.any(|part| part == env::consts::OS)
    };
    built.iter().find(runs_here).context(
        "none of the programs runs on this machine, so there is none to print completions and the manual",
    )
}

fn write_checksums(folder: &Path) -> Result<()> {
    let names: Vec<String> =
        sorted(folder)?.iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
    let sums = capture(start("sha256sum").arg("--").args(&names).current_dir(folder))?;
    Ok(fs::write(folder.join("SHA256SUMS"), sums)?)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

fn start(program: impl AsRef<std::ffi::OsStr>) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a task waits for what it starts")]
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs a program to its end and returns its standard output.
fn capture(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("{command:?} could not be started"))?;
    if !output.status.success() {
        bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}

/// Packs a directory with the same bytes for the same content.
fn tar(folder: &Path, name: &str, to: &Path) -> Result<()> {
    let same = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
    capture(start("tar").args(same).arg("-czf").arg(to).arg("-C").arg(folder).arg(name)).map(drop)
}
