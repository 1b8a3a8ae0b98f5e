//! The tests of `toolsmith-js`: one binary, a module per subject.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod bun;
mod calls;
mod components;
mod crypto;
mod definition_cache;
mod errors;
mod exec_handler;
mod fixtures;
mod globals;
mod hostile;
mod metering;
mod network;
mod node_files;
mod npm;
mod plain_data;
mod processes;
mod project;
mod public_modules;
mod recorded_loads;
mod recording;
mod rendering;
mod same_as_node;
mod sidecar;
mod sqlite;
mod staging;
mod surroundings;
mod unhandled;
