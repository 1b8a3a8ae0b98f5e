//! The Model Context Protocol: the tools of configured servers as Toolsmith tools, and Toolsmith's tools for other agents.
//!
//! [`config`] reads which servers there are, [`Servers`] starts and uses them, and [`server`] serves. No type of the protocol
//! library is in a public signature.
#![warn(missing_docs)]

pub mod auth;
mod client;
pub mod config;
mod error;
mod redaction;
pub mod server;

pub use client::{
    ClientOptions, Permit, PromptArgument, PromptDefinition, ResourceDefinition, ServerChange, ServerStatus,
    ServerView, Servers, ToolDefinition, tool_name, tool_name_prefix,
};
pub use error::McpError;
pub use redaction::redact;
