//! `pi.pushPendingAction`: the label goes to the store, the callbacks stay in the engine (CONTRACT 8.1).

use std::{rc::Rc, sync::Arc};

use rquickjs::{Ctx, Exception, Object, Result, function::Func};
use serde::Deserialize;
use serde_json::Value;
use toolsmith_tool::PendingAction;

use crate::instance::{PendingCallback, ThreadState};

/// What the kernel says about an action.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Staged {
    label: String,
    details: Option<Value>,
    source_tool_name: Option<String>,
}

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let state = Rc::clone(state);
    let push = move |ctx: Ctx<'js>, number: u32, json: String| -> Result<()> {
        stage(&state, number, &json).map_err(|error| Exception::throw_message(&ctx, &error))
    };
    host.set("pushPending", Func::from(push))
}

/// Stages an action whose callbacks the engine knows by a number.
pub(super) fn stage(state: &ThreadState, number: u32, json: &str) -> std::result::Result<(), String> {
    let staged: Staged = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let callbacks = Arc::new(PendingCallback::new(state, number));
    let mut action = PendingAction::new(staged.label, callbacks);
    if let Some(source) = staged.source_tool_name {
        action = action.source(source);
    }
    action.details = staged.details;
    state.latest_context().pending.push(action).map_err(|error| error.to_string())
}
