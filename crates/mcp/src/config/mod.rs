//! The configured servers: one table from the files of this program and of compatible agents, each entry with its origin.

mod edit;
mod entry;
mod expand;
mod files;
mod origin;

pub use edit::{ConfigFile, EditError, add_server, remove_server};
pub use entry::{Exposure, OAuthConfig, Policy, ServerConfig, ToolConfig, Transport, parse_servers};
pub use expand::{ExpandError, Expander};
pub use files::{
    ConfigProblem, ConfigSources, Configuration, WaitingServer, read_all_servers, read_configuration,
};
pub use origin::{ConfigOrigin, ConfigScope};
