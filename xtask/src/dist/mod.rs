//! `cargo xtask dist`: builds the program and everything that people install: archives, npm packages, Python wheels, Debian
//! packages, an install script, checksums and a bill of materials. All of it has the version of the workspace.
//!
//! Without arguments it builds the static programs for Linux, as far as this machine can. `TARGET=PROGRAM` uses a program
//! that was built already. `--check` then installs each artifact for this machine and runs the demo.

mod archive;
mod bill;
mod debian;
mod install;
mod npm;
mod wheel;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{
    cargo::{Metadata, cargo, root, target_folder},
    javascript,
};

/// Version of everything that is built.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The sentence about the program that package lists show.
const SUMMARY: &str = "A coding agent and tool runtime in one binary";

/// A system that packages are made for, by the names it has in each kind of package.
#[derive(Clone, Copy, Debug)]
struct Target {
    triple: &'static str,
    npm_os: &'static str,
    npm_cpu: &'static str,
    debian: &'static str,
    wheel: &'static str,
    /// As `uname -m` prints it.
    machine: &'static str,
}

const TARGETS: [Target; 2] = [
    Target {
        triple: "x86_64-unknown-linux-musl",
        npm_os: "linux",
        npm_cpu: "x64",
        debian: "amd64",
        wheel: "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
        machine: "x86_64",
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        npm_os: "linux",
        npm_cpu: "arm64",
        debian: "arm64",
        wheel: "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
        machine: "aarch64",
    },
];

/// A built program.
#[derive(Clone, Debug)]
struct Built {
    target: Target,
    program: PathBuf,
}

pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let (options, given): (Vec<&str>, Vec<&str>) = arguments.iter().partition(|word| word.starts_with("--"));
    ensure!(options.iter().all(|option| *option == "--check"), "the only option is --check");
    let built = if given.is_empty() { build()? } else { named(&given)? };
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
    if options.is_empty() { Ok(()) } else { install::check(native, &folder) }
}

/// Builds the program for each target that this machine can build for.
fn build() -> Result<Vec<Built>> {
    javascript::run()?;
    let mut built = Vec::new();
    for target in TARGETS {
        let arguments =
            ["--profile", "dist", "--locked", "--package", "toolsmith-cli", "--target", target.triple];
        match cargo(&[&["zigbuild"], &arguments[..]].concat()) {
            Ok(()) => {
                let program = target_folder().join(target.triple).join("dist/toolsmith");
                built.push(Built { target, program });
            }
            Err(error) => {
                println!("skipped: {} ({error}; it needs cargo-zigbuild, zig and the target)", target.triple)
            }
        }
    }
    if built.is_empty() {
        cargo(&["build", "--profile", "dist", "--locked", "--package", "toolsmith-cli"])?;
        let program = target_folder().join("dist/toolsmith");
        bail!("only the program for this machine was built: {}", program.display());
    }
    Ok(built)
}

/// Reads `TARGET=PROGRAM`.
fn named(given: &[&str]) -> Result<Vec<Built>> {
    let read = |word: &&str| {
        let (triple, program) = word.split_once('=').context("expected TARGET=PROGRAM")?;
        let target = TARGETS.into_iter().find(|target| target.triple == triple);
        let target = target.with_context(|| format!("unknown target {triple}"))?;
        Ok(Built { target, program: fs::canonicalize(program).with_context(|| program.to_owned())? })
    };
    given.iter().map(read).collect()
}

/// The program that runs on this machine: completions and the manual are printed by it.
fn native(built: &[Built]) -> Result<&Built> {
    let found = built.iter().find(|built| built.target.machine == std::env::consts::ARCH);
    found.context(
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

/// Packs the content of a directory, with the same bytes for the same content.
fn tar(folder: &Path, name: &str, to: &Path) -> Result<()> {
    let same = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
    capture(start("tar").args(same).arg("-czf").arg(to).arg("-C").arg(folder).arg(name)).map(drop)
}
