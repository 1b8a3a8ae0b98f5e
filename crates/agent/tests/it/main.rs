//! The tests of `toolsmith-agent`: one binary, a module per subject. Files and processes here are real ones.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod batches;
mod dispatching;
mod probe;
mod session_children;
mod session_export;
mod session_foreign;
mod session_format;
mod session_operations;
mod session_processes;
mod session_store;
mod session_view;
