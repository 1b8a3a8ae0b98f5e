//! The tests of `toolsmith-agent`: one binary, a module per subject. Files and processes here are real ones.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod ast;
mod batches;
mod dispatching;
mod events;
mod faults;
mod looping;
mod metering;
mod place;
mod places;
mod prompts;
mod request_size;
mod resolving;
mod saving;
mod session_conversation;
mod tool_bash;
mod tool_edit;
mod tool_read;
mod tool_search;
mod tool_write;
