//! Calling cargo, and what tasks need of its answers.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The workspace's root folder.
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

/// Runs cargo with its output passed through.
pub(crate) fn cargo(arguments: &[&str]) -> Result<()> {
    let status = command().args(arguments).status().context("cargo could not be started")?;
    ensure!(status.success(), "cargo {} failed", arguments.join(" "));
    Ok(())
}

/// What `cargo metadata` says, as far as it is used here.
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
    /// Whether it ends up in what is built, and is not only used to build or test it.
    pub(crate) fn is_linked(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.is_none())
    }

    /// Whether it takes more than tests to need it.
    pub(crate) fn ships(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"))
    }
}

impl Metadata {
    /// Asks cargo about the workspace, for the platform it runs on.
    pub(crate) fn load() -> Result<Self> {
        let host = host_triple()?;
        let output = command()
            .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &host])
            .stderr(Stdio::inherit())
            .output()
            .context("cargo could not be started")?;
        ensure!(output.status.success(), "cargo metadata failed");
        serde_json::from_slice(&output.stdout).context("cargo metadata gave something unexpected")
    }

    /// The name of a package.
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
