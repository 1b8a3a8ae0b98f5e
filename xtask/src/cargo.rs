//! Running cargo and reading its metadata.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

fn command() -> Command {
    #[expect(clippy::disallowed_methods, reason = "a task may start cargo; it waits for it")]
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Returns the build directory.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// Runs cargo with its output passed through.
pub(crate) fn cargo(arguments: &[&str]) -> Result<()> {
    let status = command().args(arguments).status().context("cargo could not be started")?;
    ensure!(status.success(), "cargo {} failed", arguments.join(" "));
    Ok(())
}

/// Runs cargo and returns its standard output.
pub(crate) fn cargo_output(arguments: &[&str]) -> Result<String> {
    let output =
        command().args(arguments).stderr(Stdio::inherit()).output().context("cargo could not be started")?;
    ensure!(output.status.success(), "cargo {} failed", arguments.join(" "));
    String::from_utf8(output.stdout).context("cargo printed something that is not UTF-8")
}

/// The used part of `cargo metadata`.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<String>,
    pub(crate) resolve: Resolve,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) license: Option<String>,
    #[serde(default)]
    pub(crate) authors: Vec<String>,
    #[serde(default)]
    pub(crate) manifest_path: PathBuf,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) deps: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) pkg: String,
    pub(crate) dep_kinds: Vec<DependencyKind>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct DependencyKind {
    /// `None` for an ordinary dependency, otherwise `dev` or `build`.
    pub(crate) kind: Option<String>,
}

impl Dependency {
    /// Returns whether it is part of the built program.
    pub(crate) fn is_linked(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.is_none())
    }

    /// Returns whether it is needed by more than tests.
    pub(crate) fn ships(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"))
    }
}

impl Metadata {
    /// Reads the workspace metadata for the current platform.
    pub(crate) fn load() -> Result<Self> {
        let host = host_triple()?;
        let metadata =
            cargo_output(&["metadata", "--format-version", "1", "--locked", "--filter-platform", &host])?;
        serde_json::from_str(&metadata).context("cargo metadata gave something unexpected")
    }

    /// Returns the name of a package.
    pub(crate) fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.packages.iter().find(|package| package.id == id).map_or(id, |package| package.name.as_str())
    }
}

fn host_triple() -> Result<String> {
    let output = command().args(["-vV"]).output().context("cargo could not be started")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host =
        text.lines().find_map(|line| line.strip_prefix("host: ")).context("cargo -vV names no host")?;
    Ok(host.to_owned())
}
