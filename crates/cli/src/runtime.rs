//! The tokio runtime a command works in.

use std::future::Future;

use anyhow::{Context as _, Result};
use tokio::runtime::Builder;

/// Runs a command's work. What is still running in the background when it ends is left behind.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    run(&mut Builder::new_multi_thread(), work)
}

/// The same for what is over soon, and computes on threads of its own: starting a thread and waking it costs as much as what
/// it would do.
pub(crate) fn block_on_briefly<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    run(Builder::new_multi_thread().worker_threads(1), work)
}

fn run<T>(builder: &mut Builder, work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = builder.enable_all().build().context("the program could not start its threads")?;
    let outcome = runtime.block_on(work);
    runtime.shutdown_background();
    outcome
}
