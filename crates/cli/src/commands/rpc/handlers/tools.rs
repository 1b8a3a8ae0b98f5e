//! Handlers for tools: list, active set, and calls without a model.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith_agent::{AgentEvent, CallRequest};
use toolsmith_tool::{CancelToken, ToolResult};

use super::{
    super::{
        driver::Driver,
        reply::{ActiveTools, Called, LoadProblem, Outcome as Given, ToolRow, Tools},
        request::HostToolDefinition,
    },
    Outcome, data,
};

pub(super) fn list(driver: &Arc<Driver>) -> Outcome {
    let tools = driver.session.tools().into_iter().map(ToolRow::from).collect();
    data(Tools { tools, load_problems: LoadProblem::all(&driver.session) })
}

pub(super) fn set_active(driver: &Arc<Driver>, names: &[String]) -> Outcome {
    driver.session.set_active_tools(names).map_err(|error| error.to_string())?;
    active(driver)
}

pub(super) fn set_host_tools(driver: &Arc<Driver>, tools: Vec<HostToolDefinition>) -> Outcome {
    driver.host_tools.register(driver.session.agent().dispatcher().registry(), tools)?;
    active(driver)
}

fn active(driver: &Arc<Driver>) -> Outcome {
    let tools = driver.session.tools().into_iter();
    data(ActiveTools { active: tools.filter(|tool| tool.is_active).map(|tool| tool.name).collect() })
}

/// Calls a tool through the one dispatcher, and tells of it as of every call. The call is registered as `id` already.
pub(in super::super) async fn call(
    driver: &Arc<Driver>,
    name: String,
    arguments: Option<Value>,
    id: String,
    cancel: CancelToken,
) -> Outcome {
    let arguments = arguments.unwrap_or_else(|| json!({}));
    let told = (Arc::clone(&driver.outgoing), id.clone(), name.clone(), arguments.clone());
    let agent = driver.session.agent();
    let request = CallRequest::new(&id, &name, arguments)
        .context(agent.tool_context().with_cancel(cancel))
        .observe(move |step| {
            let (outgoing, id, name, arguments) = &told;
            if let Some(event) = AgentEvent::of_call(id, name, arguments, &step) {
                outgoing.send_event(&event);
            }
        });
    let outcome = agent.dispatcher().call(request).await;
    driver.end_call(&id);
    data(Called {
        tool_call_id: id,
        is_error: outcome.is_error(),
        result: given(&outcome.result),
        duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        metrics: outcome.metrics,
        full_output: outcome.full_output.map(|file| file.display().to_string()),
    })
}

/// Converts a tool result for a reply.
pub(super) fn given(result: &ToolResult) -> Given {
    Given {
        content: result.content.iter().map(|block| json!(block)).collect(),
        details: result.details.clone(),
    }
}
