//! Answering `pi.exec` in place of the system.

use toolsmith_host::exec::{Outcome, Request};
use toolsmith_tool::{CancelToken, async_trait};

/// Result of `pi.exec`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecAnswer {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Its exit code.
    pub code: i32,
    /// A timeout or a cancel ended it.
    pub killed: bool,
}

impl From<&Outcome> for ExecAnswer {
    fn from(outcome: &Outcome) -> Self {
        Self {
            stdout: outcome.stdout.text(),
            stderr: outcome.stderr.text(),
            code: outcome.code,
            killed: outcome.killed,
        }
    }
}

/// Answers `pi.exec` in place of the system: from a recording, or by running it and keeping what came.
#[async_trait]
pub trait ExecHandler: Send + Sync {
    /// Answers one command.
    ///
    /// # Errors
    /// The text of what `pi.exec` rejects with.
    async fn exec(&self, request: &Request, cancel: &CancelToken) -> Result<ExecAnswer, String>;
}
