//! The tests of `toolsmith-js`: one binary, a module per subject.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod errors;
mod fixtures;
mod globals;
mod hostile;
mod node_files;
mod project;
mod rendering;
mod same_as_node;
mod surroundings;
