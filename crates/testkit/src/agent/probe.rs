//! Tools made of a closure, and registries made of them.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use serde_json::{Value, json};
use toolsmith_agent::{ApprovalMode, ApprovalSettings, Dispatcher, DispatcherBuilder};
use toolsmith_tool::{
    Approval, Origin, OriginKind, Registry, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult,
    ToolSpec, async_trait,
};

type Answer = Result<ToolResult, ToolError>;
type Work = Box<dyn Fn(ToolCall, ToolContext) -> Pin<Box<dyn Future<Output = Answer> + Send>> + Send + Sync>;
type Decide = Box<dyn Fn(&Value) -> Approval + Send + Sync>;

/// A tool whose work is a closure.
pub struct Probe {
    spec: ToolSpec,
    work: Work,
    approval: Option<Decide>,
    details: Option<Vec<String>>,
}

impl Probe {
    /// Creates a tool that does `work`.
    pub fn new<F>(spec: ToolSpec, work: impl Fn(ToolCall, ToolContext) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        Self {
            spec,
            work: Box::new(move |call, context| Box::pin(work(call, context))),
            approval: None,
            details: None,
        }
    }

    /// Creates a reading tool that returns its arguments.
    pub fn echo(name: &str) -> Self {
        Self::new(spec(name), |call, _| async move { Ok(ToolResult::text(call.arguments.to_string())) })
    }

    /// Decides about approval by the arguments.
    pub fn approval(mut self, decide: impl Fn(&Value) -> Approval + Send + Sync + 'static) -> Self {
        self.approval = Some(Box::new(decide));
        self
    }

    /// Sets the lines of the approval question.
    pub fn details(mut self, lines: &[&str]) -> Self {
        self.details = Some(lines.iter().map(|line| (*line).to_owned()).collect());
        self
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("spec", &self.spec).finish_non_exhaustive()
    }
}

#[async_trait]
impl Tool for Probe {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
    async fn execute(&self, call: ToolCall, context: ToolContext) -> Answer {
        (self.work)(call, context).await
    }
    async fn approval(&self, arguments: &Value) -> Approval {
        self.approval.as_ref().map_or_else(|| self.spec.approval.clone(), |decide| decide(arguments))
    }
    async fn approval_details(&self, _arguments: &Value) -> Option<Vec<String>> {
        self.details.clone()
    }
}

/// Returns the specification of a reading tool that takes an optional text and an optional number.
pub fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(name, "A probe").approval(Tier::Read).parameters(json!({
        "type": "object",
        "properties": { "text": { "type": "string" }, "count": { "type": "integer" } },
        "additionalProperties": false,
    }))
}

/// Registers and activates tools as built-in ones.
pub fn registry(tools: impl IntoIterator<Item = Probe>) -> Registry {
    let mut registry = Registry::new();
    for tool in tools {
        registry.register(Arc::new(tool), Origin::built_in()).unwrap();
    }
    registry.activate_initial(None).unwrap();
    registry
}

/// Starts a dispatcher of the same tools as an embedding program registers them: each call has a thread of its own.
pub fn embedded(tools: impl IntoIterator<Item = Probe>) -> DispatcherBuilder {
    let mut registry = Registry::new();
    for tool in tools {
        registry.register(Arc::new(tool), Origin::new(OriginKind::Sdk, "")).unwrap();
    }
    registry.activate_initial(None).unwrap();
    Dispatcher::builder(registry)
}

/// Starts a dispatcher of these tools.
pub fn dispatching(tools: impl IntoIterator<Item = Probe>) -> DispatcherBuilder {
    Dispatcher::builder(registry(tools))
}

/// Returns the settings that ask about nothing.
pub fn yolo() -> ApprovalSettings {
    ApprovalSettings::new(ApprovalMode::Yolo)
}
