//! The tests of `toolsmith-session`: one binary, a module per subject. Files and processes here are real ones.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod children;
mod conversation;
mod export;
mod foreign;
mod format;
mod operations;
mod processes;
mod store;
mod view;
