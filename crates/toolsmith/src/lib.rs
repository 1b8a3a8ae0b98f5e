//! Toolsmith for programs: finds and loads custom tools, reads settings, and puts the parts together.

mod built_in;
mod discovery;
mod home;
mod load_error;
mod loading;
mod session;
pub mod settings;
mod small_file;
mod trust;
mod warning;

pub use built_in::{BUILT_IN_NAMES, built_in_tools, change_store};
pub use discovery::{
    ConfiguredFrom, ConfiguredPath, Discovered, DiscoveryOptions, FoundMetadata, FoundModule, FoundRule,
    Scope, ToolSource, discover_configured_paths, discover_custom_tool_paths, expand_path,
};
pub use home::Home;
pub use load_error::ToolLoadError;
pub use loading::{
    CustomTool, LoadMode, LoadedTools, discover_and_load_custom_tools, engine_options, load_custom_tools,
};
pub use session::{
    BuiltIns, Keeping, ModelChoice, ModelError, OperationError, Session, SessionBuilder, SessionError,
    WentOver, providers,
};
pub use trust::{TrustDecision, trust_store};
pub use warning::Warning;
