//! The tests of `toolsmith-testkit`: one binary, a module per subject.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod model_server;
