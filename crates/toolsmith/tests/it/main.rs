//! The tests of `toolsmith`: one binary, a module per subject. Homes and projects are temporary folders.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod commands;
mod context;
mod discovery;
mod extensions;
mod hooks;
mod idleness;
mod import_targets;
mod loading;
mod models;
mod official;
mod operations;
mod operations_refused;
mod outside;
mod place;
mod plugins;
mod previews;
mod programs;
mod recorder;
mod recovering;
mod reload_guards;
mod reloading;
mod rules;
mod sdk_examples;
mod session_events;
mod session_place;
mod settings;
mod skills;
mod telling;
mod trust_removed;
mod trusting;
