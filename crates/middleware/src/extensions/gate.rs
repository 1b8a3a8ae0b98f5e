//! `tool_call` and `tool_result` (CONTRACT 10.2). A handler that fails blocks the call: what guards must not fail open.

use async_trait::async_trait;
use serde_json::{Value, json};
use toolsmith_agent::{Gate, GateVerdict, GatedCall};
use toolsmith_tool::{ContentBlock, ToolResult};

use super::runner::Extensions;

const BLOCKED: &str = "Tool execution was blocked by an extension";

/// Lets extensions look at every call and result.
#[derive(Clone, Debug)]
pub struct ExtensionGate {
    extensions: Extensions,
}

impl ExtensionGate {
    /// Creates the gate.
    pub fn new(extensions: Extensions) -> Self {
        Self { extensions }
    }
}

#[async_trait]
impl Gate for ExtensionGate {
    fn name(&self) -> &str {
        "an extension"
    }

    fn watches_calls(&self) -> bool {
        self.extensions.listens_to("tool_call")
    }

    fn watches_results(&self) -> bool {
        self.extensions.listens_to("tool_result")
    }

    async fn before(&self, call: GatedCall<'_>) -> GateVerdict {
        let listening = self.extensions.listening("tool_call");
        if listening.is_empty() {
            return GateVerdict::Pass;
        }
        self.extensions.flush().await;
        let mut replaced: Option<Value> = None;
        for module in listening {
            let payload = json!({
                "type": "tool_call",
                "toolName": call.tool_name,
                "toolCallId": call.id,
                "input": replaced.as_ref().unwrap_or(call.arguments),
            });
            let answer = match self.extensions.call(&module, "tool_call", payload, call.context.clone()).await
            {
                Ok(answer) => answer,
                Err(error) => {
                    return GateVerdict::Refuse(format!("Extension {} failed: {error}", module.name()));
                }
            };
            if answer["block"] == true {
                let reason = answer["reason"].as_str().filter(|reason| !reason.trim().is_empty());
                return GateVerdict::Refuse(reason.unwrap_or(BLOCKED).to_owned());
            }
            if let Some(input) = answer.get("input") {
                replaced = Some(input.clone());
            }
        }
        replaced.map_or(GateVerdict::Pass, GateVerdict::Rewrite)
    }

    async fn after(&self, call: GatedCall<'_>, mut result: ToolResult) -> ToolResult {
        for module in self.extensions.listening("tool_result") {
            let payload = json!({
                "type": "tool_result",
                "toolName": call.tool_name,
                "toolCallId": call.id,
                "input": call.arguments,
                "content": result.content,
                "details": result.details,
                "isError": result.is_error,
            });
            // A failure was reported; the result stays as it is.
            let Ok(changed) =
                self.extensions.call(&module, "tool_result", payload, call.context.clone()).await
            else {
                continue;
            };
            if let Some(content) = changed.get("content")
                && let Ok(content) = serde_json::from_value::<Vec<ContentBlock>>(content.clone())
            {
                result.content = content;
            }
            if let Some(details) = changed.get("details") {
                result.details = Some(details.clone()).filter(|details| !details.is_null());
            }
            if let Some(is_error) = changed.get("isError").and_then(Value::as_bool) {
                result.is_error = is_error;
            }
        }
        result
    }
}
