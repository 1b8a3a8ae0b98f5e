//! The registry: all tools of a session by unique name, and which of them are active (CONTRACT 2.6, 5.1, 5.2).

use std::{fmt, sync::Arc};

use indexmap::{IndexMap, IndexSet};
use thiserror::Error;

use crate::{
    arguments::{ArgumentSchema, SchemaError},
    names::{NameError, check_tool_name, closest_names, is_mcp_alias},
    tool::Tool,
};

/// Kind of source of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OriginKind {
    /// Part of Toolsmith.
    BuiltIn,
    /// A module from a tools directory or a plugin, or given by path.
    Custom,
    /// Registered by an extension.
    Extension,
    /// Given by the embedding program.
    Sdk,
    /// Offered by an MCP server.
    Mcp,
}

/// Origin of a tool, for display.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Kind of source.
    pub kind: OriginKind,
    /// File, server or program; empty if the kind is sufficient.
    pub location: String,
}

impl Origin {
    /// Creates the origin of a built-in tool.
    pub fn built_in() -> Self {
        Self { kind: OriginKind::BuiltIn, location: String::new() }
    }

    /// Creates an origin.
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

/// Registration errors.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The name is taken (CONTRACT 2.6).
    #[error("Tool name \"{name}\" conflicts with existing tool ({winner})")]
    Conflict {
        /// The name.
        name: String,
        /// Origin of the tool that has the name.
        winner: Origin,
    },
    /// The name is invalid.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The parameters are not a usable JSON Schema.
    #[error("Tool \"{name}\" has invalid parameters: {source}")]
    Schema {
        /// Name of the tool.
        name: String,
        /// Description of the problem.
        source: SchemaError,
    },
}

/// Names that are not registered (CONTRACT 5.2).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", describe_unknown(.names, .known))]
pub struct UnknownTools {
    /// Each unknown name with similar known ones.
    pub names: Vec<(String, Vec<String>)>,
    /// All known names.
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

/// A registered tool with its origin and compiled parameters. Cheap to clone.
#[derive(Clone)]
pub struct RegisteredTool {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Its origin.
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

/// All tools by name, in registration order, and the active ones among them.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    tools: IndexMap<String, RegisteredTool>,
    active: IndexSet<String>,
}

impl Registry {
    /// Creates an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool, inactive. Names are unique: the first tool keeps the name.
    ///
    /// # Errors
    /// Fails if the name is taken or invalid, or the parameters are not a JSON Schema for an object.
    pub fn register(&mut self, tool: Arc<dyn Tool>, origin: Origin) -> Result<(), RegisterError> {
        let spec = tool.spec();
        check_tool_name(&spec.name)?;
        let name = spec.name.clone();
        if let Some(existing) = self.tools.get(&name) {
            return Err(RegisterError::Conflict { name, winner: existing.origin.clone() });
        }
        let arguments = ArgumentSchema::compile_shared(Arc::clone(&spec.parameters))
            .map_err(|source| RegisterError::Schema { name: name.clone(), source })?;
        self.tools.insert(name, RegisteredTool { tool, origin, arguments: Arc::new(arguments) });
        Ok(())
    }

    /// Puts a tool in the place of another one of the same name, which is returned. It is active if the other one was.
    ///
    /// # Errors
    /// Fails without changes if the name is invalid, or the parameters are not a JSON Schema for an object.
    pub fn replace(
        &mut self,
        tool: Arc<dyn Tool>,
        origin: Origin,
    ) -> Result<Option<RegisteredTool>, RegisterError> {
        let spec = tool.spec();
        check_tool_name(&spec.name)?;
        let name = spec.name.clone();
        let arguments = ArgumentSchema::compile_shared(Arc::clone(&spec.parameters))
            .map_err(|source| RegisterError::Schema { name: name.clone(), source })?;
        Ok(self.tools.insert(name, RegisteredTool { tool, origin, arguments: Arc::new(arguments) }))
    }

    /// Removes a tool, as a reload does before registering the new one.
    pub fn unregister(&mut self, name: &str) -> Option<RegisteredTool> {
        self.active.shift_remove(name);
        self.tools.shift_remove(name)
    }

    /// Finds a tool, active or not.
    pub fn get(&self, name: &str) -> Option<&RegisteredTool> {
        self.tools.get(name)
    }

    /// Returns the registered name that a model meant, which may have written the name of an MCP tool in another way.
    pub fn resolve_name<'a>(&'a self, wanted: &'a str) -> Option<&'a str> {
        if self.tools.contains_key(wanted) {
            return Some(wanted);
        }
        let means = |tool: &RegisteredTool| {
            tool.tool.spec().mcp.as_ref().is_some_and(|mcp| is_mcp_alias(wanted, &mcp.server, &mcp.tool))
        };
        let mut found = self.tools.iter().filter(|(_, tool)| means(tool)).map(|(name, _)| name.as_str());
        // A name that could mean two tools means neither.
        found.next().filter(|_| found.next().is_none())
    }

    /// Validates calls of a tool by other parameters than those it was registered with. What the model is offered stays the
    /// same, because a changed list discards the provider's prompt cache (CONTRACT 5.6).
    ///
    /// # Errors
    /// Fails without changes if the parameters are not a JSON Schema for an object.
    pub fn revise_parameters(
        &mut self,
        name: &str,
        parameters: &serde_json::Value,
    ) -> Result<(), SchemaError> {
        let arguments = ArgumentSchema::compile(parameters)?;
        if let Some(tool) = self.tools.get_mut(name) {
            tool.arguments = Arc::new(arguments);
        }
        Ok(())
    }

    /// Returns all tools in order.
    pub fn iter(&self) -> impl Iterator<Item = &RegisteredTool> {
        self.tools.values()
    }

    /// Returns all names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// Returns names similar to `wanted`, for the error about an unknown tool.
    pub fn closest(&self, wanted: &str) -> Vec<&str> {
        closest_names(wanted, self.names())
    }

    /// Sets the initial active set (CONTRACT 5.2). `requested` contains the names from `--tools`; `None` without the
    /// option activates every built-in. Tools of all other sources are always active, except hidden ones, which must be
    /// named.
    ///
    /// # Errors
    /// Fails without changes if a requested name is not registered.
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
    /// Fails without changes if a name is not registered.
    pub fn set_active(&mut self, names: &[String]) -> Result<(), UnknownTools> {
        self.check_known(names)?;
        self.active = names.iter().cloned().collect();
        Ok(())
    }

    /// Activates or deactivates a tool; `false` if there is no such tool.
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

    /// Returns whether the tool is active.
    pub fn is_active(&self, name: &str) -> bool {
        self.active.contains(name)
    }

    /// Returns the active tools.
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
