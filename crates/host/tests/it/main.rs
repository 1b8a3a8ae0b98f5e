//! The tests of `toolsmith-host`: one binary, a module per subject. Processes here are real ones.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod changes;
mod killing;
mod launching;
mod location;
mod metering;
mod old_systems;
mod outcomes;
mod process_ids;
mod program_search;
mod refusals;
mod talking;
mod trust;
