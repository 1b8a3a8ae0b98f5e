//! What a tool says of itself (CONTRACT 1.3, 5.3).

use std::time::Duration;

use serde_json::{Value, json};

use crate::approval::Approval;

/// Whether the model sees a tool at once or finds it when it looks for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoadMode {
    /// Offered from the first request.
    Essential,
    /// May be held back until it is asked for.
    Discoverable,
}

/// How a call may overlap with others (CONTRACT 4.8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Concurrency {
    /// Runs beside other calls.
    #[default]
    Shared,
    /// Waits for all earlier calls and holds all later ones.
    Exclusive,
}

/// Which part of an output matters when there is too much of it (CONTRACT 4.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Keep {
    /// The beginning: best matches first.
    Head,
    /// Mostly the end: logs.
    Tail,
    /// Both ends alike.
    #[default]
    Ends,
}

/// Where an MCP tool comes from, in that server's own words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct McpNames {
    /// The server's name in the settings.
    pub server: String,
    /// The tool's name on that server.
    pub tool: String,
}

/// A tool's description of itself. Built with [`ToolSpec::new`] and the setters, so that a field added later
/// breaks nobody.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolSpec {
    /// Unique in a registry; what the model calls.
    pub name: String,
    /// What people see; the name unless the author gave one.
    pub label: String,
    /// What the model reads to decide whether to call.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// Asks providers for their strict schema mode. It never changes validation here.
    pub strict: Option<bool>,
    /// Not active unless it is named (CONTRACT 5.2).
    pub hidden: bool,
    /// May stage pending actions, so `resolve` has to exist.
    pub deferrable: bool,
    /// The declared approval; a tool may refine it per call with [`crate::Tool::approval`].
    pub approval: Approval,
    /// `None` leaves the choice to the host.
    pub load_mode: Option<LoadMode>,
    /// Whether calls may overlap.
    pub concurrency: Concurrency,
    /// Set for tools of an MCP server.
    pub mcp: Option<McpNames>,
    /// This tool's own call deadline, in place of the setting (CONTRACT 4.7).
    pub deadline: Option<Duration>,
    /// What is kept of an output that is too long.
    pub keep: Keep,
}

impl ToolSpec {
    /// A tool without parameters, at the careful defaults: approval tier `exec`, visible, shared.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            label: name.clone(),
            name,
            description: description.into(),
            parameters: json!({ "type": "object", "properties": {} }),
            strict: None,
            hidden: false,
            deferrable: false,
            approval: Approval::default(),
            load_mode: None,
            concurrency: Concurrency::Shared,
            mcp: None,
            deadline: None,
            keep: Keep::Ends,
        }
    }

    /// Sets the label people see.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the JSON Schema of the arguments.
    #[must_use]
    pub fn parameters(mut self, schema: Value) -> Self {
        self.parameters = schema;
        self
    }

    /// Asks for (or declines) strict schema mode.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = Some(strict);
        self
    }

    /// Keeps the tool out of the first active set unless it is named.
    #[must_use]
    pub fn hidden(mut self, hidden: bool) -> Self {
        self.hidden = hidden;
        self
    }

    /// Says that calls may stage pending actions.
    #[must_use]
    pub fn deferrable(mut self, deferrable: bool) -> Self {
        self.deferrable = deferrable;
        self
    }

    /// Sets what the tool asks for before it may run.
    #[must_use]
    pub fn approval(mut self, approval: impl Into<Approval>) -> Self {
        self.approval = approval.into();
        self
    }

    /// Sets when the model sees the tool.
    #[must_use]
    pub fn load_mode(mut self, mode: LoadMode) -> Self {
        self.load_mode = Some(mode);
        self
    }

    /// Sets whether calls may overlap.
    #[must_use]
    pub fn concurrency(mut self, concurrency: Concurrency) -> Self {
        self.concurrency = concurrency;
        self
    }

    /// Names the MCP server and tool this one stands for.
    #[must_use]
    pub fn mcp(mut self, names: McpNames) -> Self {
        self.mcp = Some(names);
        self
    }

    /// Sets this tool's own call deadline.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets what is kept of an output that is too long.
    #[must_use]
    pub fn keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }
}
