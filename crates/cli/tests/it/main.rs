//! The real binary, run as a person would run it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod doctor;
mod sessions;
