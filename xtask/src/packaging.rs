//! `cargo xtask package`: packages every crate that ships, builds the packaged tree on a `PATH` without Node, npm and Bun, and
//! runs the demo of the result.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use crate::{
    cargo::{Metadata, cargo, root, target_folder},
    javascript,
    tidy::is_development,
};

/// Programs a package must do without.
const ABSENT: &[&str] = &["node", "nodejs", "npm", "npx", "bun", "bunx", "corepack"];
/// Flags of `cargo package`: the tree is built below, where no crate is in a registry yet.
const PACKAGE: &[&str] = &["package", "--quiet", "--no-verify", "--allow-dirty", "--exclude-lockfile"];

/// Packages, builds and runs. With `clean`, dependencies are compiled again in an empty directory.
pub(crate) fn run(clean: bool) -> Result<()> {
    javascript::run()?;
    let metadata = Metadata::load()?;
    let ships = |name: &&str| !is_development(name);
    let names: Vec<&str> =
        metadata.workspace_members.iter().map(|id| metadata.name(id)).filter(ships).collect();
    let selected = names.iter().flat_map(|name| ["--package", name]);
    cargo(&PACKAGE.iter().copied().chain(selected).collect::<Vec<_>>())?;

    let place = tempfile::tempdir()?;
    let tree = place.path().join("tree");
    fs::create_dir(&tree)?;
    for name in &names {
        unpack(&metadata, name, &tree)?;
    }
    fs::write(tree.join("Cargo.toml"), manifest(&names)?)?;
    fs::copy(root().join("Cargo.lock"), tree.join("Cargo.lock"))?;

    let path = path_without(ABSENT, &place.path().join("bin"))?;
    let target = if clean { place.path().join("target") } else { target_folder() };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = start(cargo, &tree, &path)
        .args(["build", "--offline", "--package", "toolsmith-cli"])
        .env("CARGO_TARGET_DIR", &target)
        .status();
    ensure!(build.context("cargo could not be started")?.success(), "the packaged tree cannot be built");
    let home = place.path().join("home");
    fs::create_dir(&home)?;
    let demo = start(target.join("debug/toolsmith"), &home, &path).arg("demo").env("HOME", &home).status();
    ensure!(demo.context("the packaged program could not be started")?.success(), "the demo failed");
    println!("packaged {} crates, built and ran them without Node and npm", names.len());
    Ok(())
}

fn start(program: impl AsRef<std::ffi::OsStr>, folder: &Path, path: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a task waits for what it starts")]
    let mut command = Command::new(program);
    command.current_dir(folder).env("PATH", path);
    command
}

/// Unpacks a package into `tree/NAME`.
fn unpack(metadata: &Metadata, name: &str, tree: &Path) -> Result<()> {
    let package = metadata.packages.iter().find(|package| package.name == name);
    let folder = format!("{name}-{}", package.context("an unknown package")?.version);
    let file = target_folder().join("package").join(format!("{folder}.crate"));
    let status = start("tar", tree, Path::new(&env::var_os("PATH").unwrap_or_default()))
        .arg("xzf")
        .arg(&file)
        .status();
    ensure!(status.context("tar could not be started")?.success(), "{} cannot be unpacked", file.display());
    fs::rename(tree.join(folder), tree.join(name))?;
    Ok(())
}

/// The manifest of the tree: each package in place of the one in the registry, with our profiles.
fn manifest(names: &[&str]) -> Result<String> {
    let own = fs::read_to_string(root().join("Cargo.toml"))?;
    let profiles = own.find("[profile.").map_or("", |at| &own[at..]);
    let list: String = names.iter().map(|name| format!("{name:?}, ")).collect();
    let patches: String = names.iter().map(|name| format!("{name} = {{ path = {name:?} }}\n")).collect();
    Ok(format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{list}]\n\n[patch.crates-io]\n{patches}\n{profiles}"
    ))
}

/// A directory with links to every program on the `PATH` except some.
fn path_without(absent: &[&str], folder: &Path) -> Result<PathBuf> {
    fs::create_dir(folder)?;
    for directory in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if !absent.iter().any(|absent| name == *absent) {
                // The first directory with a name has precedence, so a link that exists stays.
                let _ = symlink(entry.path(), folder.join(name));
            }
        }
    }
    Ok(folder.to_path_buf())
}
