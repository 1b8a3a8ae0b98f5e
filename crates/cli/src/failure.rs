//! The one place that shows errors to the person at the command line, and what they mean as exit codes: 1 the job failed,
//! 2 wrong use.

use std::{io::Write as _, process::ExitCode};

/// The job failed.
pub(crate) fn failed(error: &anyhow::Error) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {error:#}");
    ExitCode::from(1)
}

/// The command line could not be read; asking for help or the version is no error.
pub(crate) fn wrong_use(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}
