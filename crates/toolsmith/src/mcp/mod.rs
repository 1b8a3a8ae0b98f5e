//! MCP servers in a session: which are configured, and their tools in the registry.

mod configuration;
mod mentions;
mod prompts;
mod session_tools;

pub(crate) use configuration::{all_mcp_servers, permitted_servers, trusted_servers};
pub use configuration::{find_mcp_tool, mcp_configuration, mcp_servers};
pub(crate) use mentions::attach_resources;
pub use prompts::McpPrompt;
pub(crate) use prompts::{expand_command, prompts};
pub(crate) use session_tools::McpTools;
