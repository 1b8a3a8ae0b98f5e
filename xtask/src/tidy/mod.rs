//! `cargo xtask tidy`: repository rules that no compiler checks. Each rule returns the places that break it.

mod direction;
mod files;
mod javascript;
mod packages;
mod phrases;

use anyhow::{Result, bail};
pub(crate) use direction::is_development;

use crate::{
    cargo::{Metadata, root},
    notices,
};

pub(crate) fn run() -> Result<()> {
    let metadata = Metadata::load()?;
    let mut broken = direction::check(&metadata);
    broken.extend(packages::check_budget(&metadata));
    broken.extend(packages::check_versions(&metadata)?);
    broken.extend(notices::check(&metadata)?);
    broken.extend(files::check(&root())?);
    broken.extend(javascript::check()?);
    if broken.is_empty() {
        return Ok(());
    }
    for line in &broken {
        eprintln!("tidy: {line}");
    }
    bail!("{} rules of the repository are broken", broken.len());
}
