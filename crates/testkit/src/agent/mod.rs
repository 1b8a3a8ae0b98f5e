//! Tools made of closures, and agents that play a script. Behind the feature `agent`, so that the tests of the crates below the
//! agent need not wait for it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod probe;
mod scripted;

pub use probe::{Probe, dispatching, embedded, registry, spec, yolo};
pub use scripted::{agent, assert_paired, heard, playing, results};
