//! `cargo xtask notices`: writes `THIRD-PARTY-NOTICES`, the licences of everything in the program. The file is part of
//! the repository and the program; `tidy` compares its packages with the lock files.

mod grouping;
#[cfg(test)]
mod grouping_tests;
mod packages;
mod page;

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};
pub(crate) use packages::shipped;
use toolsmith_testkit::install_packages;

use crate::cargo::{Metadata, root};
use packages::Notice;

fn file() -> PathBuf {
    root().join("crates/cli/THIRD-PARTY-NOTICES")
}

pub(crate) fn run() -> Result<()> {
    let metadata = Metadata::load()?;
    let from = root().join("crates/js/npm");
    let place = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let installed = runtime.block_on(install_packages(&from, place.path())).context("npm")?;
    let mut notices: Vec<Notice> = packages::crates(&metadata)?;
    notices.extend(packages::npm(Some(&installed))?);
    fs::write(file(), page::write(&notices)?)?;
    println!("THIRD-PARTY-NOTICES is written: {} packages", notices.len());
    Ok(())
}

/// Returns how the file differs from the current packages.
pub(crate) fn check(metadata: &Metadata) -> Result<Option<String>> {
    let text = fs::read_to_string(file()).unwrap_or_default();
    let mut there = packages::names(metadata)?;
    let mut listed = page::listed(&text);
    there.sort();
    listed.sort();
    if there == listed {
        return Ok(None);
    }
    let missing = there.iter().filter(|name| !listed.contains(name));
    let gone = listed.iter().filter(|name| !there.contains(name)).map(|name| format!("no {name}"));
    let all: Vec<String> = missing.cloned().chain(gone).take(5).collect();
    Ok(Some(format!(
        "THIRD-PARTY-NOTICES: is stale ({}); `cargo xtask notices` writes it anew",
        all.join(", ")
    )))
}
