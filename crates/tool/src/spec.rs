//! The specification of a tool (CONTRACT 1.3, 5.3).

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use crate::approval::Approval;

/// When the model sees a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoadMode {
    /// Offered from the first request.
    Essential,
    /// May be withheld until the model searches for it.
    Discoverable,
}

/// How a call may overlap with others (CONTRACT 4.8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Concurrency {
    /// Runs in parallel with other calls.
    #[default]
    Shared,
    /// Waits for all earlier calls and delays all later ones.
    Exclusive,
}

/// Which part of a long output is kept (CONTRACT 4.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Keep {
    /// The beginning: best matches first.
    Head,
    /// Mostly the end: logs.
    Tail,
    /// Both ends equally.
    #[default]
    Ends,
}

/// Origin of an MCP tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct McpNames {
    /// Name of the server in the settings.
    pub server: String,
    /// Name of the tool on that server.
    pub tool: String,
}

/// Effects a tool declares beyond its tier, for agents that call it over MCP. `None` is not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EffectHints {
    /// Repeating a call with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// It reaches systems outside this machine.
    pub open_world: Option<bool>,
}

/// The specification of a tool. Built with [`ToolSpec::new`] and setters, so that new fields do not break callers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolSpec {
    /// Unique name in the registry, used by the model.
    pub name: String,
    /// Label shown to people; defaults to the name.
    pub label: String,
    /// Description for the model.
    pub description: String,
    /// JSON Schema of the arguments. Shared, because every request to the model contains it.
    pub parameters: Arc<Value>,
    /// JSON Schema of the result's `details`, if the tool declares one. Over MCP they are the structured content.
    pub output_schema: Option<Value>,
    /// Declared effects.
    pub effects: EffectHints,
    /// Requests the provider's strict schema mode. It never changes validation here.
    pub strict: Option<bool>,
    /// Inactive unless named (CONTRACT 5.2).
    pub hidden: bool,
    /// May stage pending actions, so `resolve` must be available.
    pub deferrable: bool,
    /// The declared approval; a tool may refine it per call with [`crate::Tool::approval`].
    pub approval: Approval,
    /// `None` leaves the choice to the host.
    pub load_mode: Option<LoadMode>,
    /// Overlap with other calls.
    pub concurrency: Concurrency,
    /// Set for tools of an MCP server.
    pub mcp: Option<McpNames>,
    /// The tool's own call deadline, overriding the setting (CONTRACT 4.7).
    pub deadline: Option<Duration>,
    /// Which part of a long output is kept.
    pub keep: Keep,
    /// One line about the tool for the system prompt.
    pub prompt_snippet: Option<String>,
    /// Guidelines for the system prompt, sent while the tool is offered.
    pub prompt_guidelines: Vec<String>,
}

impl ToolSpec {
    /// Creates a tool without parameters and with safe defaults: approval tier `exec`, visible, shared.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            label: name.clone(),
            name,
            description: description.into(),
            parameters: Arc::new(json!({ "type": "object", "properties": {} })),
            output_schema: None,
            effects: EffectHints::default(),
            strict: None,
            hidden: false,
            deferrable: false,
            approval: Approval::default(),
            load_mode: None,
            concurrency: Concurrency::Shared,
            mcp: None,
            deadline: None,
            keep: Keep::Ends,
            prompt_snippet: None,
            prompt_guidelines: Vec::new(),
        }
    }

    /// Sets the label.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the JSON Schema of the arguments.
    #[must_use]
    pub fn parameters(mut self, schema: impl Into<Arc<Value>>) -> Self {
        self.parameters = schema.into();
        self
    }

    /// Sets the JSON Schema of the result's `details`.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Declares effects beyond the tier.
    #[must_use]
    pub fn effects(mut self, effects: EffectHints) -> Self {
        self.effects = effects;
        self
    }

    /// Requests or disables strict schema mode.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = Some(strict);
        self
    }

    /// Makes the tool inactive unless named.
    #[must_use]
    pub fn hidden(mut self, hidden: bool) -> Self {
        self.hidden = hidden;
        self
    }

    /// Declares that calls may stage pending actions.
    #[must_use]
    pub fn deferrable(mut self, deferrable: bool) -> Self {
        self.deferrable = deferrable;
        self
    }

    /// Sets the required approval.
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

    /// Sets the MCP server and tool.
    #[must_use]
    pub fn mcp(mut self, names: McpNames) -> Self {
        self.mcp = Some(names);
        self
    }

    /// Returns whether settings mean this tool by a name: its own, or `mcp__SERVER__TOOL` with the names of the server. `-` and `_`
    /// are the same there, as servers whose names differ only in them are one server.
    pub fn is_named(&self, name: &str) -> bool {
        let folded = |name: &str| name.replace('-', "_");
        let is_own = |own: &str| folded(own) == folded(name);
        name == self.name
            || name.starts_with("mcp__")
                && (self.name.starts_with("mcp__") && is_own(&self.name)
                    || self
                        .mcp
                        .as_ref()
                        .is_some_and(|mcp| is_own(&format!("mcp__{}__{}", mcp.server, mcp.tool))))
    }

    /// Sets the call deadline.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets which part of a long output is kept.
    #[must_use]
    pub fn keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }
}
