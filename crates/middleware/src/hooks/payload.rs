//! What a hook reads from standard input, and its environment.

use serde_json::{Map, Value, json};
use toolsmith_agent::GatedCall;
use toolsmith_tool::{ToolContext, ToolResult};

use super::{
    definition::{Dialect, Hook, HookEvent},
    names::{self, Named, Paths},
    response,
};

/// Fields that every event hook receives.
pub(super) fn common(event: HookEvent, cwd: &str, context: &ToolContext) -> Map<String, Value> {
    let session = &context.session;
    let file = session.session_file().map(|file| file.to_string_lossy().into_owned());
    let mode = if context.agent.auto_approve() { "bypassPermissions" } else { "default" };
    let fields = json!({
        "session_id": session.session_id(),
        "transcript_path": file.unwrap_or_default(),
        "cwd": cwd,
        "permission_mode": mode,
        "hook_event_name": event.as_str(),
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// A call for one hook: what it reads, and the input in its own names.
pub(super) struct CallPayload {
    pub(super) text: Value,
    pub(super) sent: Value,
}

/// Describes a call before it runs, in the names of the hook.
pub(super) fn before(
    hook: &Hook,
    event: HookEvent,
    call: &GatedCall<'_>,
    arguments: &Value,
    cwd: &str,
    paths: &Paths,
) -> CallPayload {
    let Named { tool, input } =
        names::outward(hook.dialect, call.tool_name, call.spec, arguments, paths, &call.context.places);
    if hook.is_file() {
        let text = file_fields("pre", call, arguments, cwd, paths);
        return CallPayload { text: Value::Object(text), sent: input };
    }
    let mut fields = common(event, cwd, call.context);
    fields.insert("tool_name".to_owned(), tool.into());
    fields.insert("tool_input".to_owned(), input.clone());
    fields.insert("tool_use_id".to_owned(), call.id.into());
    if hook.dialect == Dialect::Toolsmith {
        fields.insert("file".to_owned(), paths.file(call.tool_name, arguments, &call.context.places).into());
    }
    fields.insert("files".to_owned(), paths.files(&call.context.places).into());
    if hook.dialect == Dialect::Codex
        && let Some(model) = call.context.agent.model().and_then(|model| model.get("id").cloned())
    {
        fields.insert("model".to_owned(), model);
    }
    CallPayload { text: Value::Object(fields), sent: input }
}

/// Describes a call that ran, in the names of the hook.
pub(super) fn after(
    hook: &Hook,
    event: HookEvent,
    call: &GatedCall<'_>,
    result: &ToolResult,
    cwd: &str,
    paths: &Paths,
) -> Value {
    let duration = u64::try_from(call.duration.as_millis()).unwrap_or(u64::MAX);
    if hook.is_file() {
        let mut fields = file_fields("post", call, call.arguments, cwd, paths);
        let result =
            json!({ "content": result.content, "details": result.details, "isError": result.is_error });
        fields.insert("result".to_owned(), result);
        fields.insert("durationMs".to_owned(), duration.into());
        return Value::Object(fields);
    }
    let CallPayload { text, sent } = before(hook, event, call, call.arguments, cwd, paths);
    let Value::Object(mut fields) = text else { return text };
    if event == HookEvent::PostToolUseFailure {
        fields.insert("error".to_owned(), result.joined_text().into());
        fields.insert("is_interrupt".to_owned(), call.cancel.is_cancelled().into());
    } else {
        let response = response::outward(hook.dialect, call.tool_name, result, &sent);
        fields.insert("tool_response".to_owned(), response);
    }
    fields.insert("duration_ms".to_owned(), duration.into());
    Value::Object(fields)
}

fn file_fields(
    event: &str,
    call: &GatedCall<'_>,
    arguments: &Value,
    cwd: &str,
    paths: &Paths,
) -> Map<String, Value> {
    let session = &call.context.session;
    let fields = json!({
        "event": event,
        "tool": call.tool_name,
        "callId": call.id,
        "input": arguments,
        "file": paths.file(call.tool_name, arguments, &call.context.places),
        "files": paths.files(&call.context.places),
        "cwd": cwd,
        "sessionId": session.session_id(),
        "sessionFile": session.session_file(),
        "tier": call.spec.map_or("write", |spec| spec.approval.tier.as_str()),
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Returns the environment of a hook of a call.
pub(super) fn call_environment(hook: &Hook, event: HookEvent, call: &GatedCall<'_>) -> Vec<(String, String)> {
    let event = match (hook.is_file(), event) {
        (true, HookEvent::PreToolUse) => "pre",
        (true, _) => "post",
        (false, event) => event.as_str(),
    };
    // A name or id with a NUL byte could not be passed; the JSON has it in full.
    let clean = |text: &str| text.replace('\0', "");
    vec![
        ("TOOLSMITH_TOOL".to_owned(), clean(call.tool_name)),
        ("TOOLSMITH_CALL_ID".to_owned(), clean(call.id)),
        ("TOOLSMITH_EVENT".to_owned(), event.to_owned()),
        ("TOOLSMITH_SESSION".to_owned(), clean(&call.context.session.session_id())),
    ]
}
