//! The tests of `toolsmith-tool`: one binary, a module per subject.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod argument_errors;
mod argument_properties;
mod argument_repair;
mod context;
mod hostile_arguments;
mod registry;
mod result_schema;
