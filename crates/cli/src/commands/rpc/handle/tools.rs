//! The tools: which there are, which are offered, and calls without a model.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith_agent::{AgentEvent, CallEvent, CallRequest};
use toolsmith_tool::ToolResult;

use super::{
    super::{
        driver::Driver,
        reply::{ActiveTools, Called, LoadProblem, Outcome as Given, ToolRow, Tools},
        request::HostToolDefinition,
    },
    Outcome, data,
};

pub(super) fn list(driver: &Arc<Driver>) -> Outcome {
    let tools = driver.session.agent().dispatcher().registry().read(|registry| {
        let rows = registry.iter().map(|found| {
            let spec = found.tool.spec();
            ToolRow {
                name: spec.name.clone(),
                label: spec.label.clone(),
                description: spec.description.clone(),
                parameters: spec.parameters.clone(),
                tier: spec.approval.tier.as_str().to_owned(),
                origin: found.origin.to_string(),
                hidden: spec.hidden,
                is_active: registry.is_active(&spec.name),
            }
        });
        rows.collect()
    });
    data(Tools { tools, load_problems: LoadProblem::all(&driver.session) })
}

pub(super) fn set_active(driver: &Arc<Driver>, names: &[String]) -> Outcome {
    let registry = driver.session.agent().dispatcher().registry();
    registry.write(|registry| registry.set_active(names)).map_err(|error| error.to_string())?;
    active(driver)
}

pub(super) fn set_host_tools(driver: &Arc<Driver>, tools: Vec<HostToolDefinition>) -> Outcome {
    driver.host_tools.register(driver.session.agent().dispatcher().registry(), tools)?;
    active(driver)
}

fn active(driver: &Arc<Driver>) -> Outcome {
    let active = driver
        .session
        .agent()
        .dispatcher()
        .registry()
        .read(|registry| registry.active().map(|found| found.tool.spec().name.clone()).collect());
    data(ActiveTools { active })
}

/// Calls a tool through the one dispatcher, and tells of it as of every call.
pub(in super::super) async fn call(
    driver: &Arc<Driver>,
    name: String,
    arguments: Option<Value>,
    id: Option<String>,
) -> Outcome {
    let id = id.unwrap_or_else(|| driver.next_call_id());
    let cancel = driver.begin_call(&id).ok_or_else(|| format!("A call \"{id}\" is on its way already"))?;
    let arguments = arguments.unwrap_or_else(|| json!({}));
    let told = (Arc::clone(driver), id.clone(), name.clone(), arguments.clone());
    let agent = driver.session.agent();
    let request = CallRequest::new(&id, &name, arguments)
        .context(agent.tool_context().with_cancel(cancel))
        .observe(move |event| tell(&told, &event));
    let outcome = agent.dispatcher().call(request).await;
    driver.end_call(&id);
    data(Called {
        tool_call_id: id,
        is_error: outcome.is_error(),
        result: given(&outcome.result),
        duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        full_output: outcome.full_output.map(|file| file.display().to_string()),
    })
}

fn tell((driver, id, name, arguments): &(Arc<Driver>, String, String, Value), event: &CallEvent<'_>) {
    let (tool_call_id, tool_name) = (id.clone(), name.clone());
    let event = match event {
        CallEvent::Started => {
            AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args: arguments.clone() }
        }
        CallEvent::Update { partial } => {
            AgentEvent::ToolExecutionUpdate { tool_call_id, tool_name, partial_result: (*partial).clone() }
        }
        CallEvent::ApprovalRequested { request } => {
            AgentEvent::ApprovalRequested { request: (*request).clone() }
        }
        CallEvent::ApprovalDecided { decision, .. } => {
            AgentEvent::ApprovalDecided { tool_call_id, decision: (*decision).clone() }
        }
        CallEvent::Finished { outcome } => AgentEvent::ToolExecutionEnd {
            tool_call_id,
            tool_name,
            result: outcome.result.clone(),
            is_error: outcome.is_error(),
            duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
            full_output: outcome.full_output.clone(),
        },
        _ => return,
    };
    driver.outgoing.send_event(&event);
}

/// A tool's answer as replies have it.
pub(super) fn given(result: &ToolResult) -> Given {
    Given {
        content: result.content.iter().map(|block| json!(block)).collect(),
        details: result.details.clone(),
    }
}
