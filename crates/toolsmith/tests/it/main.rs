//! The tests of `toolsmith`: one binary, a module per subject. Homes and projects are temporary folders.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod discovery;
mod loading;
mod models;
mod outside;
mod place;
mod plugins;
mod previews;
mod sdk_examples;
mod settings;
mod trusting;
