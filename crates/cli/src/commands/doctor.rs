//! `toolsmith doctor`: what this installation is made of, and whether it can work.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use toolsmith::Home;

use crate::arguments::Shared;

/// Options of `doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArguments {}

pub(crate) fn run(shared: &Shared, _own: &DoctorArguments) -> Result<ExitCode> {
    let home = Home::from_environment();
    let version = env!("CARGO_PKG_VERSION");
    let folder = home.toolsmith();
    let mut out = std::io::stdout().lock();
    if shared.json {
        writeln!(out, "{}", serde_json::json!({ "version": version, "home": folder }))?;
    } else {
        writeln!(out, "toolsmith {version}\nhome      {}", folder.display())?;
    }
    Ok(ExitCode::SUCCESS)
}
