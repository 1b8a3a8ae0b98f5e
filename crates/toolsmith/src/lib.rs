//! Toolsmith as a library: finds and loads custom tools, reads settings, and builds sessions.
//!
//! Start with [`Session::builder`]; `docs/sdk.md` is the guide, and `examples/sdk` has a program for each subject. The
//! most common types are re-exported here; the others are in [`agent`], [`llm`], [`tool`], [`host`] and [`js`].
//!
//! Public signatures contain plain data and types of these crates. The only foreign types are `serde_json::Value` and
//! the bound on `schemars::JsonSchema` at [`rust_tool`].
#![warn(missing_docs)]

mod allowed_tools;
mod built_in;
mod commands;
mod configured_programs;
mod discovery;
mod home;
mod hooks;
mod key_store;
mod live_tools;
mod load_error;
mod loading;
mod mcp;
mod plugins;
mod project_root;
mod rust_tool;
mod seen;
mod serving;
mod session;
pub mod settings;
mod skills;
mod small_file;
mod trust;
mod warning;
mod watch;

/// The agent loop (`toolsmith-agent`) and what plugs into it (`toolsmith-middleware`).
pub mod agent {
    pub use toolsmith_agent::*;
    pub use toolsmith_middleware::*;
}

pub use built_in::{BUILT_IN_NAMES, built_in_names, built_in_tools, change_store, write_rules};
pub use commands::{MarkdownCommand, MarkdownCommands, discover_commands};
pub use discovery::{
    ConfiguredFrom, ConfiguredPath, Discovered, DiscoveryOptions, FoundMetadata, FoundModule, FoundRule,
    ModuleKind, Scope, ToolSource, discover_configured_paths, discover_custom_tool_paths, expand_path,
};
pub use home::{Home, HomeError};
pub use hooks::{
    FoundHook, FoundHooks, HookOptions, HookStatus, discover_hooks, hook_confirmations, hook_from_file,
};
pub use key_store::{KeyPlace, KeyStore, KeyStoreError};
pub use live_tools::{LiveTools, StaleModule};
pub use load_error::ToolLoadError;
pub use loading::{
    CustomTool, LoadScope, LoadedExtension, LoadedTools, definition_cache, discover_and_load_custom_tools,
    engine_options, load_custom_tool, load_custom_tools, prepare_definitions,
};
pub use mcp::{McpPrompt, find_mcp_tool, mcp_configuration, mcp_servers};
pub use plugins::{
    InstalledPlugin, InstalledPlugins, LockedMarketplace, LockedPlugin, Marketplace, PluginContents,
    PluginError, PluginFeature, PluginLock, PluginManifest, PluginServer, PluginSource, PluginStore,
    StagedPlugin, installed_plugins, read_plugin,
};
pub use project_root::find_project;
pub use rust_tool::{AnyError, rust_tool};
pub use serving::{ServeApproval, ServingError, ServingOptions, ServingTools};
pub use session::{
    AbandonedBranch, BuiltIns, Command, CommandError, CommandInfo, CommandOutcome, ContextPart,
    ExtensionResources, ModelChoice, ModelError, OperationError, RESERVED_COMMANDS, RESERVED_KEYS, Session,
    SessionBuildError, SessionBuilder, SessionMode, SessionSource, SessionSwitched, ShortcutInfo, ToolInfo,
    USER_BASH, UserBashResult, WeakSession, providers,
};
pub use settings::{budget_guard, monitors, secret_values, usage_folder};
pub use skills::{SKILL_FILE, Skill, Skills, check_skill, discover_skills};
pub use toolsmith_agent::{
    AgentEvent, AgentLimits, ApprovalMode, ApprovalRequest, Approver, Decision, PendingChoice, PendingView,
    Prompt, RunEnd, RunSummary, Subscription,
};
pub use toolsmith_builtins as builtins;
pub use toolsmith_host as host;
pub use toolsmith_js as js;
pub use toolsmith_llm as llm;
pub use toolsmith_mcp as mcp_protocol;
pub use toolsmith_tool::{
    self as tool, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, Ui, async_trait,
};
pub use trust::{TrustDecision, TrustedFiles, guard_programs, trust_store};
pub use warning::Warning;
pub use watch::Watch;
