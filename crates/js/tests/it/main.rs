//! The tests of `toolsmith-js`: one binary, a module per subject.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod errors;
mod exec_handler;
mod fixtures;
mod globals;
mod hostile;
mod npm;
mod project;
mod rendering;
mod sidecar;
mod surroundings;
