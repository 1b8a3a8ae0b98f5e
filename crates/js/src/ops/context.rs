//! Queries of a call's `ctx`: views of the session and the agent, as JSON (CONTRACT 4.4).

use std::{path::PathBuf, rc::Rc};

use rquickjs::{Ctx, Exception, Object, Result, TypedArray, function::Func};
use serde_json::{Value, json};
use toolsmith_tool::{Artifact, ToolContext, ViewError};

use crate::{data_limit::DataLimit, instance::ThreadState};

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let own = Rc::clone(state);
    let ask = move |ctx: Ctx<'js>, call: u32, what: String, argument: String| -> Result<String> {
        let context = own.context(call);
        match answer(&context, &what, &argument, own.data_limit()) {
            Ok(value) if value.is_null() => Ok(String::new()),
            Ok(value) => Ok(value.to_string()),
            Err(error) => Err(Exception::throw_message(&ctx, &error.to_string())),
        }
    };
    host.set("askContext", Func::from(ask))?;
    let own = Rc::clone(state);
    let put_blob = move |ctx: Ctx<'js>, call: u32, bytes: TypedArray<'js, u8>| -> Result<String> {
        let bytes = super::bytes::copy(&bytes);
        own.context(call)
            .session
            .put_blob(&bytes)
            .map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
    };
    host.set("putBlob", Func::from(put_blob))
}

pub(super) fn answer(
    context: &ToolContext,
    what: &str,
    argument: &str,
    limit: DataLimit,
) -> std::result::Result<Value, ViewError> {
    let argument: Value = limit.read(argument).unwrap_or(Value::Null);
    let word = argument.as_str().unwrap_or_default();
    let (session, agent) = (&context.session, &context.agent);
    let path = |path: Option<PathBuf>| json!(path.map(|path| path.to_string_lossy().into_owned()));
    let artifact = |artifact: Artifact| json!({ "id": artifact.id, "path": artifact.path });
    Ok(match what {
        "session.cwd" => path(Some(session.cwd()).filter(|cwd| !cwd.as_os_str().is_empty())),
        "session.dir" => path(session.session_dir()),
        "session.id" => json!(Some(session.session_id()).filter(|id| !id.is_empty())),
        "session.file" => path(session.session_file()),
        "session.name" => json!(session.session_name()),
        "session.header" => json!(session.header()),
        "session.entries" => json!(session.entries()),
        "session.entry" => json!(session.entry(word)),
        "session.leafId" => json!(session.leaf_id()),
        "session.branch" => json!(session.branch(argument.as_str())),
        "session.tree" => json!(session.tree()),
        "session.label" => json!(session.label(word)),
        "session.usage" => session.usage(),
        "session.artifactsDir" => path(session.artifacts_dir()),
        "session.allocateArtifact" => artifact(session.allocate_artifact(word)?),
        "session.saveArtifact" => {
            let text = argument.get(0).and_then(Value::as_str).unwrap_or_default();
            let kind = argument.get(1).and_then(Value::as_str).unwrap_or_default();
            artifact(session.save_artifact(text, kind)?)
        }
        "session.artifactPath" => path(session.artifact_path(word)),
        "agent.model" => json!(agent.model()),
        "agent.models" => json!(agent.models()),
        "agent.findModel" => {
            let at = |index: usize| argument.get(index).and_then(Value::as_str).unwrap_or_default();
            json!(agent.find_model(at(0), at(1)))
        }
        "agent.settings" => agent.settings(),
        "agent.autoApprove" => json!(agent.auto_approve()),
        "agent.isIdle" => json!(agent.is_idle()),
        "agent.hasQueuedMessages" => json!(agent.has_queued_messages()),
        "agent.abort" => {
            agent.abort();
            Value::Null
        }
        _ => Value::Null,
    })
}
