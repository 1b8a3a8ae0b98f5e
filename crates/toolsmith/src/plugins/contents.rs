//! The contents of a plugin.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::Value;

/// An MCP server of a plugin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PluginServer {
    /// Name.
    pub name: String,
    /// Command line or URL.
    pub target: String,
    /// The entry as written.
    pub entry: Value,
}

/// A feature of a plugin: modules that are used if the feature is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginFeature {
    /// It is used unless the lock file or a trusted project says otherwise.
    pub is_default: bool,
    /// Tools: modules, or directories of them.
    pub tools: Vec<PathBuf>,
    /// Extensions: modules, or directories of them.
    pub extensions: Vec<PathBuf>,
}

/// Files and directories of a plugin by what they are for. All of them lie in the plugin.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PluginContents {
    /// Tools: modules, or directories of them.
    pub tools: Vec<PathBuf>,
    /// Extensions: modules, or directories of them.
    pub extensions: Vec<PathBuf>,
    /// Features by name.
    pub features: BTreeMap<String, PluginFeature>,
    /// Directories with skills.
    pub skills: Vec<PathBuf>,
    /// Markdown commands, or directories of them.
    pub commands: Vec<PathBuf>,
    /// Files with hooks.
    pub hooks: Vec<PathBuf>,
    /// The manifest itself has hooks, which do not run.
    pub has_inline_hooks: bool,
    /// MCP servers.
    pub mcp_servers: Vec<PluginServer>,
    /// Themes.
    pub themes: Vec<PathBuf>,
    /// Subagents, which are not used.
    pub agents: Vec<PathBuf>,
    /// Rules.
    pub rules: Vec<PathBuf>,
    /// Names of npm packages that are installed with it.
    pub dependencies: Vec<String>,
}

impl PluginContents {
    /// Returns whether there is nothing.
    pub fn is_empty(&self) -> bool {
        Self { dependencies: Vec::new(), ..self.clone() } == Self::default()
    }
}
