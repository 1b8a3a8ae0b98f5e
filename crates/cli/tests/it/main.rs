//! The real binary, run as a person would run it: hermetic homes, a cleared environment.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod approving;
mod bad_input;
mod calling;
mod case_files;
mod check;
mod compiler;
mod continuing;
mod crashing;
mod demo;
mod dev;
mod escape_sequences;
mod examples;
mod golden;
mod guide;
mod home;
mod interrupting;
mod models;
mod new;
mod on_a_terminal;
mod place;
mod previews;
mod printing;
mod pty;
mod recovering;
mod reviewing;
mod rpc;
mod rpc_abort;
mod sessions;
mod single_file_trust;
mod snapshots;
mod system_limits;
mod trusting;
mod types;
mod versions;
mod workshop;
