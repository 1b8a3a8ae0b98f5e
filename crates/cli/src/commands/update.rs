//! `toolsmith update`: says how the program was installed and how to update it. It changes nothing itself: whatever installed a
//! program should also replace it.

use std::{env, fs, io::Write as _, path::Path, process::ExitCode};

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::{arguments::Shared, output::print_json, streams};

/// List of the files of the Debian package, if it is installed.
const DEBIAN: &str = "/var/lib/dpkg/info/toolsmith.list";

/// Arguments of `update`.
#[derive(Debug, clap::Args)]
pub(crate) struct UpdateArguments {}

pub(crate) fn run(shared: &Shared, _own: &UpdateArguments) -> Result<ExitCode> {
    let program = env::current_exe().context("the path of this program is unknown")?;
    let program = toolsmith_host::real_path(&program).unwrap_or(program);
    let installation = Installation::of(&program, Path::new(DEBIAN));
    let (version, command) = (env!("CARGO_PKG_VERSION"), installation.command(&program));
    if shared.json {
        print_json(&json!({
            "version": version,
            "program": program,
            "installedBy": installation.name(),
            "command": command,
        }))?;
    } else {
        let mut out = streams::stdout();
        writeln!(out, "toolsmith {version}, installed by {}: {}", installation.name(), program.display())?;
        writeln!(out, "To update, run:\n  {command}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Ways to install the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Installation {
    Npm,
    Pip,
    Pipx,
    Uv,
    Debian,
    Cargo,
    Checkout,
    Archive,
}

impl Installation {
    /// Finds out by where the program is and what is beside it.
    fn of(program: &Path, debian: &Path) -> Self {
        let has = |name: &str| program.components().any(|part| part.as_os_str() == name);
        let folder = program.parent().unwrap_or(Path::new("/"));
        let above = folder.parent().unwrap_or(folder);
        if has("node_modules") {
            return Self::Npm;
        }
        if is_python(above) {
            return if has("pipx") {
                Self::Pipx
            } else if has("uv") && has("tools") {
                Self::Uv
            } else {
                Self::Pip
            };
        }
        let is_listed = |list: String| list.lines().any(|line| Path::new(line) == program);
        if fs::read_to_string(debian).is_ok_and(is_listed) {
            Self::Debian
        } else if above.join(".crates.toml").exists() {
            Self::Cargo
        } else if [".cargo-lock", ".fingerprint"].iter().any(|name| folder.join(name).exists()) {
            Self::Checkout
        } else {
            Self::Archive
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pip => "pip",
            Self::Pipx => "pipx",
            Self::Uv => "uv",
            Self::Debian => "a Debian package",
            Self::Cargo => "cargo install",
            Self::Checkout => "building a checkout",
            Self::Archive => "an archive",
        }
    }

    fn command(self, program: &Path) -> String {
        let folder = program.parent().unwrap_or(Path::new("."));
        match self {
            Self::Npm => match npm_project(program) {
                Some(project) => format!("npm install --prefix {} @toolsmith/cli@latest", for_shell(project)),
                None => "npm install --global @toolsmith/cli@latest".to_owned(),
            },
            Self::Pip => format!("{} install --upgrade toolsmith", for_shell(&folder.join("pip"))),
            Self::Pipx => "pipx upgrade toolsmith".to_owned(),
            Self::Uv => "uv tool upgrade toolsmith".to_owned(),
            Self::Debian => {
                "sudo apt install ./toolsmith_VERSION_ARCH.deb    # the package of the new version".to_owned()
            }
            Self::Cargo => {
                "git pull && cargo install --locked --path crates/cli    # in the checkout".to_owned()
            }
            Self::Checkout => "git pull && cargo build --release    # in the checkout".to_owned(),
            Self::Archive if env::consts::OS == "windows" => {
                format!(
                    "Expand-Archive -Force toolsmith.zip {}    # the archive of the new version",
                    for_shell(folder)
                )
            }
            Self::Archive => {
                format!("sh install.sh {}    # the script of the new version", for_shell(folder))
            }
        }
    }
}

/// Returns the project that npm installed a program into; `None` for one that was installed globally.
fn npm_project(program: &Path) -> Option<&Path> {
    let project = program.ancestors().filter(|path| path.ends_with("node_modules")).last()?.parent()?;
    // Global packages are in `PREFIX/lib/node_modules`, and on Windows in `npm/node_modules` of the user.
    let is_global = project.ends_with("lib") || project.ends_with("npm");
    (!is_global).then_some(project)
}

/// Returns a path as a shell takes it.
fn for_shell(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+@".contains(letter);
    if text.chars().all(is_plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Reports if the folder has Python packages, among them the one with this program: in `lib/pythonX.Y/site-packages`, on Windows
/// in `Lib\site-packages`, and after `pip install --target` in the folder itself.
fn is_python(folder: &Path) -> bool {
    let libraries = folder.join("lib");
    let versions = fs::read_dir(&libraries).into_iter().flatten().flatten().map(|entry| entry.path());
    let places = versions.chain([libraries, folder.join("Lib")]).map(|python| python.join("site-packages"));
    places.chain([folder.to_path_buf()]).any(|place| {
        fs::read_dir(place).into_iter().flatten().flatten().any(|entry| {
            let name = entry.file_name();
            name.to_str().is_some_and(|name| name.starts_with("toolsmith-") && name.ends_with(".dist-info"))
        })
    })
}

#[cfg(test)]
#[path = "update_tests.rs"]
mod tests;
