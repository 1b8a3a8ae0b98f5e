//! The client: configured servers, and what they offer as tools, prompts and resources of this program.

mod cache;
mod call;
mod connection;
mod definition;
mod elicitation;
mod handler;
pub(crate) mod http;
mod line_transport;
mod progress;
mod remote_server;
mod remote_tool;
mod resource_tools;
mod result;
mod servers;
mod stderr_tail;

pub use definition::{PromptArgument, PromptDefinition, ResourceDefinition, ToolDefinition};
pub use remote_server::{ServerChange, ServerStatus};
pub use remote_tool::{tool_name, tool_name_prefix};
pub use servers::{ClientOptions, Permit, ServerView, Servers};
