//! The registry: every tool of a session by its unique name, and which of them the model sees
//! (CONTRACT 2.6, 5.1, 5.2).

use std::{fmt, sync::Arc};

use indexmap::{IndexMap, IndexSet};
use thiserror::Error;

use crate::{
    arguments::{ArgumentSchema, SchemaError},
    names::{NameError, check_tool_name, closest_names},
    tool::Tool,
};

/// What kind of source a tool came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OriginKind {
    /// Part of Toolsmith.
    BuiltIn,
    /// A module found in a tools folder, a plugin, or named by path.
    Custom,
    /// Registered by an extension.
    Extension,
    /// Given by the embedding program.
    Sdk,
    /// Offered by an MCP server.
    Mcp,
}

/// Where a tool came from, in words a person can follow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The kind of source.
    pub kind: OriginKind,
    /// The file, server or program; empty where the kind says it all.
    pub location: String,
}

impl Origin {
    /// A tool that is part of Toolsmith.
    pub fn built_in() -> Self {
        Self { kind: OriginKind::BuiltIn, location: String::new() }
    }

    /// A tool from somewhere.
    pub fn new(kind: OriginKind, location: impl Into<String>) -> Self {
        Self { kind, location: location.into() }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            OriginKind::BuiltIn => "built-in",
            OriginKind::Custom => "custom tool",
            OriginKind::Extension => "extension",
            OriginKind::Sdk => "embedding program",
            OriginKind::Mcp => "MCP server",
        };
        match self.location.as_str() {
            "" => f.write_str(kind),
            location => write!(f, "{kind}, {location}"),
        }
    }
}

/// Why a tool was not registered.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The name is taken (CONTRACT 2.6).
    #[error("Tool name \"{name}\" conflicts with existing tool ({winner})")]
    Conflict {
        /// The name.
        name: String,
        /// Where the tool that keeps it came from.
        winner: Origin,
    },
    /// The name cannot be used.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The parameters are not a usable JSON Schema.
    #[error("Tool \"{name}\" has invalid parameters: {source}")]
    Schema {
        /// The tool.
        name: String,
        /// What is wrong.
        source: SchemaError,
    },
}

/// Names that no registered tool has (CONTRACT 5.2).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", describe_unknown(.names, .known))]
pub struct UnknownTools {
    /// Each unknown name with the known ones most like it.
    pub names: Vec<(String, Vec<String>)>,
    /// Every name that would have worked.
    pub known: Vec<String>,
}

fn describe_unknown(names: &[(String, Vec<String>)], known: &[String]) -> String {
    let parts: Vec<String> = names
        .iter()
        .map(|(name, closest)| match closest.as_slice() {
            [] => format!("\"{name}\""),
            closest => format!("\"{name}\" (did you mean {}?)", closest.join(", ")),
        })
        .collect();
    let noun = if names.len() == 1 { "tool" } else { "tools" };
    format!("Unknown {noun}: {}. Known tools: {}", parts.join(", "), known.join(", "))
}

/// A tool with where it came from and its compiled parameters. Cheap to clone.
#[derive(Clone)]
pub struct RegisteredTool {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Where it came from.
    pub origin: Origin,
    /// Its parameters, compiled once.
    pub arguments: Arc<ArgumentSchema>,
}

impl fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredTool")
            .field("name", &self.tool.spec().name)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

/// All tools by name, in the order they were registered, and the active ones among them.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    tools: IndexMap<String, RegisteredTool>,
    active: IndexSet<String>,
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool, inactive. Names are unique: the first one stays.
    ///
    /// # Errors
    /// When the name is taken or unusable, or the parameters are not a JSON Schema for an object.
    pub fn register(&mut self, tool: Arc<dyn Tool>, origin: Origin) -> Result<(), RegisterError> {
        let spec = tool.spec();
        check_tool_name(&spec.name)?;
        let name = spec.name.clone();
        if let Some(existing) = self.tools.get(&name) {
            return Err(RegisterError::Conflict { name, winner: existing.origin.clone() });
        }
        let arguments = ArgumentSchema::compile(&spec.parameters)
            .map_err(|source| RegisterError::Schema { name: name.clone(), source })?;
        self.tools.insert(name, RegisteredTool { tool, origin, arguments: Arc::new(arguments) });
        Ok(())
    }

    /// Removes a tool, as a reload does before it registers the new one.
    pub fn unregister(&mut self, name: &str) -> Option<RegisteredTool> {
        self.active.shift_remove(name);
        self.tools.shift_remove(name)
    }

    /// Finds a tool, active or not.
    pub fn get(&self, name: &str) -> Option<&RegisteredTool> {
        self.tools.get(name)
    }

    /// Every tool, in order.
    pub fn iter(&self) -> impl Iterator<Item = &RegisteredTool> {
        self.tools.values()
    }

    /// Every name, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// Names like `wanted`, for the error when there is no such tool.
    pub fn closest(&self, wanted: &str) -> Vec<&str> {
        closest_names(wanted, self.names())
    }

    /// Sets the first active set (CONTRACT 5.2). `requested` is what `--tools` named, `None` without the option:
    /// then every built-in is in. Tools of all other sources are in either way; hidden ones only when named.
    ///
    /// # Errors
    /// When a requested name is not registered. Nothing changes then.
    pub fn activate_initial(&mut self, requested: Option<&[String]>) -> Result<(), UnknownTools> {
        if let Some(requested) = requested {
            self.check_known(requested)?;
        }
        let active = self
            .tools
            .iter()
            .filter(|(name, registered)| {
                let named = requested.is_some_and(|names| names.contains(name));
                let forced = registered.origin.kind != OriginKind::BuiltIn || requested.is_none();
                named || (forced && !registered.tool.spec().hidden)
            })
            .map(|(name, _)| name.clone())
            .collect();
        self.active = active;
        Ok(())
    }

    /// Replaces the active set.
    ///
    /// # Errors
    /// When a name is not registered. Nothing changes then.
    pub fn set_active(&mut self, names: &[String]) -> Result<(), UnknownTools> {
        self.check_known(names)?;
        self.active = names.iter().cloned().collect();
        Ok(())
    }

    /// Makes one registered tool active or not; `false` when there is no such tool.
    pub fn set_tool_active(&mut self, name: &str, active: bool) -> bool {
        if !self.tools.contains_key(name) {
            return false;
        }
        if active {
            self.active.insert(name.to_owned());
        } else {
            self.active.shift_remove(name);
        }
        true
    }

    /// Whether the model sees the tool.
    pub fn is_active(&self, name: &str) -> bool {
        self.active.contains(name)
    }

    /// The tools the model sees.
    pub fn active(&self) -> impl Iterator<Item = &RegisteredTool> {
        self.active.iter().filter_map(|name| self.tools.get(name))
    }

    fn check_known(&self, names: &[String]) -> Result<(), UnknownTools> {
        let unknown: Vec<(String, Vec<String>)> = names
            .iter()
            .filter(|name| !self.tools.contains_key(*name))
            .map(|name| (name.clone(), self.closest(name).into_iter().map(str::to_owned).collect()))
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        Err(UnknownTools { names: unknown, known: self.names().map(str::to_owned).collect() })
    }
}
