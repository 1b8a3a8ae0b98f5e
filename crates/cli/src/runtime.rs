//! The tokio runtime a command works in.

use std::future::Future;

use anyhow::{Context as _, Result};

/// Runs a command's work. What is still running in the background when it ends is left behind.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the program could not start its threads")?;
    let outcome = runtime.block_on(work);
    runtime.shutdown_background();
    outcome
}
