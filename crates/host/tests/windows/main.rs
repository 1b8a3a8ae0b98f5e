//! The code for Windows, on Windows or in Wine: `cargo xtask targets x86_64-pc-windows-gnu` runs these tests there. On other
//! systems this program is empty.
#![cfg(windows)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod changes;
mod machine;
mod names;
mod processes;
