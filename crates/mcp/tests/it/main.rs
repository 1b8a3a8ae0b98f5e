//! Tests of the MCP client and server against real processes and sockets.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it skips"
)]

mod calling;
mod configuring;
mod fake;
mod hostile;
mod login;
mod serving;
mod serving_http;
mod starting;
