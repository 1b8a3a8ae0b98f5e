//! Tests of the MCP client and server against real processes and sockets.

mod calling;
mod configuring;
mod fake;
mod hostile;
mod serving;
mod serving_http;
mod starting;
