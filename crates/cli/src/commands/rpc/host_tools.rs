//! Tools that the client runs. They are registered, validated, approved and given a deadline like all others.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::Value;
use toolsmith_agent::SharedRegistry;
use toolsmith_tool::{
    Concurrency, Origin, OriginKind, Stop, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec,
    UpdateSink, async_trait,
};

use super::{frame::Frame, outgoing::Outgoing, questions::Questions, request::HostToolDefinition};

type Calls = Questions<UpdateSink, ToolResult>;

/// The client's tools and their calls.
pub(super) struct HostTools {
    calls: Arc<Calls>,
    /// Names that are currently registered.
    names: Mutex<Vec<String>>,
}

impl HostTools {
    pub(super) fn new(outgoing: Arc<Outgoing>) -> Self {
        let calls = Questions::new("host", outgoing, |target_id| Frame::HostToolCancel { target_id });
        Self { calls, names: Mutex::default() }
    }

    /// Replaces the registered tools: all of them, or none (CONTRACT 2.6).
    pub(super) fn register(
        &self,
        registry: &SharedRegistry,
        tools: Vec<HostToolDefinition>,
    ) -> Result<(), String> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        registry.write(|registry| {
            let mut changed = registry.clone();
            for name in names.iter() {
                changed.unregister(name);
            }
            let mut added = Vec::new();
            for definition in tools {
                let spec = spec(definition);
                let (name, hidden) = (spec.name.clone(), spec.hidden);
                let tool = Arc::new(HostTool { spec, calls: Arc::clone(&self.calls) });
                let origin = Origin::new(OriginKind::Sdk, "run by the client");
                changed.register(tool, origin).map_err(|error| error.to_string())?;
                changed.set_tool_active(&name, !hidden);
                added.push(name);
            }
            *registry = changed;
            *names = added;
            Ok(())
        })
    }

    /// Handles a `host_tool_update`.
    pub(super) fn update(&self, id: &str, partial: Value) -> Result<(), String> {
        let partial = read_result(partial)?;
        let sink = self.calls.with(id, UpdateSink::clone)?;
        sink.send(partial);
        Ok(())
    }

    /// Handles a `host_tool_result`. A malformed one fails the call (CONTRACT 4.5), and the reply says so too.
    pub(super) fn result(&self, id: &str, result: Value, is_error: bool) -> Result<(), String> {
        let (mut result, wrong) = match read_result(result) {
            Ok(result) => (result, None),
            Err(wrong) => (ToolResult::error(wrong.clone()), Some(wrong)),
        };
        result.is_error |= is_error;
        self.calls.answer(id, |_| Ok(result))?;
        wrong.map_or(Ok(()), Err)
    }

    /// Ends all calls with an error: the client is gone.
    pub(super) fn close(&self) {
        self.calls.close();
    }
}

fn spec(definition: HostToolDefinition) -> ToolSpec {
    let mut spec = ToolSpec::new(definition.name, definition.description).hidden(definition.hidden);
    if let Some(label) = definition.label {
        spec = spec.label(label);
    }
    if let Some(parameters) = definition.parameters {
        spec = spec.parameters(parameters);
    }
    if let Some(strict) = definition.strict {
        spec = spec.strict(strict);
    }
    if let Some(tier) = definition.approval {
        spec = spec.approval(tier);
    }
    if definition.exclusive {
        spec = spec.concurrency(Concurrency::Exclusive);
    }
    if let Some(deadline) = definition.deadline_ms {
        spec = spec.deadline(Duration::from_millis(deadline));
    }
    spec
}

/// A result from a client: a whole result, or only a text.
fn read_result(value: Value) -> Result<ToolResult, String> {
    match value {
        Value::String(text) => Ok(ToolResult::text(text)),
        value => serde_json::from_value(value).map_err(|error| {
            format!("The host tool returned an invalid result: {error}. {{content: [{{type: \"text\", text}}]}} is expected.")
        }),
    }
}

struct HostTool {
    spec: ToolSpec,
    calls: Arc<Calls>,
}

#[async_trait]
impl Tool for HostTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        let mut asked = self.calls.ask(context.updates.clone(), |id| Frame::HostToolCall {
            id,
            tool_call_id: call.id,
            tool_name: self.spec.name.clone(),
            arguments: call.arguments,
        });
        tokio::select! {
            biased;
            result = asked.answer() => return result
                .ok_or_else(|| ToolError::reply("The client that runs this tool is gone. Its side effects may be incomplete.")),
            () = context.cancel.cancelled() => {}
        }
        // The tool is asked to stop, and can still send its result until it is force-stopped.
        asked.withdraw();
        tokio::select! {
            biased;
            result = asked.answer() => match result {
                Some(result) => {
                    let note = Some(result.joined_text()).filter(|text| !text.trim().is_empty());
                    Err(ToolError::Stopped { stop: Stop::Stopped, note: note.or_else(|| context.cancel.reason()) })
                }
                None => Err(ToolError::stopped(Stop::Forced)),
            },
            () = context.cancel.forced() => {
                Err(ToolError::Stopped { stop: Stop::Forced, note: context.cancel.reason() })
            }
        }
    }
}
