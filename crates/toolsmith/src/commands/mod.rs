//! Markdown commands: prompts in files that people write for agents, with arguments, files and output of shell commands.

mod arguments;
mod find;
mod markdown_command;
mod template;

pub(crate) use arguments::{Words, takes_arguments};
pub(crate) use find::commands_of_plugin;
pub use find::{MarkdownCommands, discover_commands};
pub use markdown_command::MarkdownCommand;
pub(crate) use template::{Part, parts};
