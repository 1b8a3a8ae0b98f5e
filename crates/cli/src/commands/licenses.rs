//! `toolsmith licenses`: the licences of what is built in.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;

/// Written by `cargo xtask notices`.
const NOTICES: &str = include_str!("../../../../THIRD-PARTY-NOTICES");

/// Options of `licenses`.
#[derive(Debug, clap::Args)]
pub(crate) struct LicensesArguments {}

pub(crate) fn run(_own: &LicensesArguments) -> Result<ExitCode> {
    let mut out = crate::streams::stdout();
    out.write_all(NOTICES.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
