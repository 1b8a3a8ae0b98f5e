//! Tests of the whole crate.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod hostile;
mod same_as_node;
