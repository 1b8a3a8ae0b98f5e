//! How a command runs: its tokio runtime, and how the program takes memory from the system. Both are settings of the whole
//! process, so no library makes them.

use std::{future::Future, io};

use anyhow::{Context as _, Result};
use tokio::runtime::Builder;

/// Files that tokio opens for events and signals.
const DESCRIPTORS: usize = 6;

/// Runs a command's work. What is still running in the background when it ends is left behind.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    run(&mut Builder::new_multi_thread(), work)
}

/// Runs a short command that computes on its own threads: starting and waking another thread would cost as much as its
/// work.
pub(crate) fn block_on_briefly<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    run(Builder::new_multi_thread().worker_threads(1), work)
}

/// The same for work whose only result is what it prints: it is dropped when nobody reads that any more.
pub(crate) fn block_on_while_read<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    block_on(while_read(work))
}

/// The same for what is over soon.
pub(crate) fn block_on_briefly_while_read<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    block_on_briefly(while_read(work))
}

async fn while_read<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        outcome = work => outcome,
        () = toolsmith_host::output_closed() => Err(io::Error::from(io::ErrorKind::BrokenPipe).into()),
    }
}

fn run<T>(builder: &mut Builder, work: impl Future<Output = Result<T>>) -> Result<T> {
    toolsmith_host::limits::require_open_files(DESCRIPTORS).context("the program could not start")?;
    let runtime = builder.enable_all().build().context("could not start threads")?;
    let outcome = runtime.block_on(async {
        toolsmith_tui::tty::survive_file_limit();
        work.await
    });
    runtime.shutdown_background();
    outcome
}

/// Steps in which the allocator takes memory from the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const STEP: libc::c_int = 4 << 20;

/// Has the allocator take memory in large steps. Called once, first of all.
///
/// The C library gives each thread a heap that it opens page by page, with a call to the system for each. Measured with
/// `strace` on `toolsmith call` of a zod tool: 17 calls of `mprotect` instead of 450. An unoptimised build took a
/// millisecond less of processor time, 24 instead of 25. A page that is open and not touched takes no memory.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the allocator's settings are reached by a call that std does not wrap")
)]
pub(crate) fn grow_in_large_steps() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it changes one number, and no other thread runs yet. An allocator that does not know it says so and goes on.
    unsafe {
        libc::mallopt(libc::M_TOP_PAD, STEP);
    }
}
