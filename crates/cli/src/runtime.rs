//! The tokio runtime of a command.

use std::future::Future;

use anyhow::{Context as _, Result};
use tokio::runtime::Builder;

/// Runs a command. Background tasks that still run when it ends are abandoned.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    run(&mut Builder::new_multi_thread(), work)
}

/// Runs a short command that computes on its own threads: starting and waking another thread would cost as much as its
/// work.
pub(crate) fn block_on_briefly<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    run(Builder::new_multi_thread().worker_threads(1), work)
}

fn run<T>(builder: &mut Builder, work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = builder.enable_all().build().context("could not start threads")?;
    let outcome = runtime.block_on(work);
    runtime.shutdown_background();
    outcome
}
