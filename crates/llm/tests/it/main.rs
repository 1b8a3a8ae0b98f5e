//! The tests of `toolsmith-llm`: one binary, a module per subject. Providers talk to a server that speaks the real wires.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod asking;
mod clouds;
mod discovery;
mod failing;
mod keys;
mod reading;
mod scripts;
mod selecting;
mod wires;
