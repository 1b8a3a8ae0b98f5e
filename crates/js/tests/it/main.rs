//! The tests of `toolsmith-js`: one binary, a module per subject.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod fixtures;
mod project;
