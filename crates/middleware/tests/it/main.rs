//! The tests of `toolsmith-middleware`: one binary, a module per subject. Files and processes here are real ones.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod compacting;
mod deferring;
mod hooks;
mod retrying;
mod rules;
mod todo;
