//! Errors of the client.

use thiserror::Error;

use crate::{config::ExpandError, redaction::redact};

/// Errors of using a server. The texts are for people and for the model; what a server printed is included as a quote.
/// Credentials in addresses are masked, whichever part of a text they are in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum McpError {
    /// A value of the entry could not be expanded.
    #[error("MCP server \"{server}\": {}", redact(&source.to_string()))]
    Expand {
        /// The server.
        server: String,
        /// The reason.
        source: ExpandError,
    },
    /// The server could not be started or reached.
    #[error("MCP server \"{server}\" could not be started: {}{}", redact(reason), redact(tail))]
    Start {
        /// The server.
        server: String,
        /// The reason.
        reason: String,
        /// The end of its standard error, with a heading; may be empty.
        tail: String,
    },
    /// The server needs a login.
    #[error("MCP server \"{server}\" requires a login. Run: toolsmith mcp login {server}")]
    Login {
        /// The server.
        server: String,
    },
    /// The login does not cover a request.
    #[error("MCP server \"{server}\" requires more permissions for this. Run: toolsmith mcp login {server}{}", scope_option(scope.as_deref()))]
    Scope {
        /// The server.
        server: String,
        /// The scope it asks for, if it names one.
        scope: Option<String>,
    },
    /// The server exited repeatedly and is not started again for a while.
    #[error(
        "MCP server \"{server}\" keeps exiting and is not started again for now: {}{}",
        redact(reason),
        redact(tail)
    )]
    Parked {
        /// The server.
        server: String,
        /// The reason of the last exit.
        reason: String,
        /// The end of its standard error.
        tail: String,
    },
    /// The connection ended during a request.
    #[error("MCP server \"{server}\" closed the connection: {}{}", redact(reason), redact(tail))]
    Closed {
        /// The server.
        server: String,
        /// The reason.
        reason: String,
        /// The end of its standard error.
        tail: String,
    },
    /// The server answered with an error.
    #[error("MCP server \"{server}\" returned error {code}: {}", redact(message))]
    Remote {
        /// The server.
        server: String,
        /// The JSON-RPC code.
        code: i32,
        /// The server's message.
        message: String,
    },
    /// The server's answer does not follow the protocol.
    #[error("MCP server \"{server}\" sent an invalid answer: {}", redact(reason))]
    Protocol {
        /// The server.
        server: String,
        /// The reason.
        reason: String,
    },
    /// There is no such server.
    #[error("unknown MCP server \"{server}\"{hint}")]
    Unknown {
        /// The name.
        server: String,
        /// Similar names.
        hint: String,
    },
    /// The server is switched off.
    #[error("MCP server \"{server}\" is disabled in {file}")]
    Disabled {
        /// The server.
        server: String,
        /// The file.
        file: String,
    },
    /// The server belongs to a project that lost its trust.
    #[error(
        "MCP server \"{server}\" is not used, because its project is not trusted any more. To trust it, run: toolsmith trust"
    )]
    Untrusted {
        /// The server.
        server: String,
    },
}

/// The option that requests a scope. A scope is a server's text, so anything but plain names is left out.
fn scope_option(scope: Option<&str>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ':' | '/');
    match scope.filter(|scope| scope.chars().all(is_plain) && scope.len() <= 1000) {
        Some(scope) => format!(" --scope '{scope}'"),
        None => String::new(),
    }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
