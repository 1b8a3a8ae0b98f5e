//! Actions of extensions on the session, and what they register after they were loaded (CONTRACT 10).

use std::rc::Rc;

use rquickjs::{Ctx, Exception, Object, Result, function::Func};
use serde_json::{Value, json};
use toolsmith_tool::{ActionError, Concurrency, SessionAction, SessionTask, UpdateSink};

use super::runtime::whole;
use crate::{
    described::{DescribedExtension, DescribedTool},
    instance::{Command, HostError, Settled, ThreadState},
};

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let own = Rc::clone(state);
    host.set(
        "act",
        Func::from(move |ctx: Ctx<'js>, json: String| -> Result<String> {
            act(&own, &json).map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
        }),
    )?;
    let own = Rc::clone(state);
    host.set(
        "perform",
        Func::from(move |number: f64, json: String, updates: bool| {
            perform(&own, whole(number), &json, updates);
        }),
    )?;
    let own = Rc::clone(state);
    host.set("builtInSpecs", Func::from(move || built_in_specs(&own)))?;
    let own = Rc::clone(state);
    host.set("registered", Func::from(move |json: String| registered(&own, &json)))?;
    let own = Rc::clone(state);
    host.set(
        "addTool",
        Func::from(move |ctx: Ctx<'js>, json: String| -> Result<()> {
            add_tool(&own, &json).map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
        }),
    )
}

/// Returns the specifications of the built-in tools as JSON.
pub(super) fn built_in_specs(state: &ThreadState) -> String {
    let specs = state.shared.engine.built_ins.as_ref().map(|built_ins| built_ins()).unwrap_or_default();
    let specs = specs.iter().map(|spec| {
        json!({
            "name": spec.name,
            "label": spec.label,
            "description": spec.description,
            "parameters": *spec.parameters,
            "concurrency": (spec.concurrency == Concurrency::Exclusive).then_some("exclusive"),
            "timeout": spec.deadline.map(|deadline| u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX)),
        })
    });
    Value::Array(specs.collect()).to_string()
}

/// Carries out an action; returns its result as JSON, or nothing.
pub(super) fn act(state: &ThreadState, json: &str) -> std::result::Result<String, ActionError> {
    let action: SessionAction = state.data_limit().read_kept(json).map_err(ActionError::failed)?;
    // Without a session, such as for a single call, there is nothing to act on.
    let Some(actions) = state.shared.engine.actions() else { return Ok(String::new()) };
    Ok(text_of(&actions.act(action, &state.current_context())?))
}

fn text_of(value: &Value) -> String {
    if value.is_null() { String::new() } else { value.to_string() }
}

/// Starts an action that takes time.
pub(super) fn perform(state: &ThreadState, number: u64, json: &str, updates: bool) {
    let task: std::result::Result<SessionTask, _> = state.data_limit().read(json);
    let actions = state.shared.engine.actions();
    let mut context = state.current_context().as_ref().clone();
    if updates {
        let queue = state.shared.queue.clone();
        context = context.with_updates(UpdateSink::new(move |partial| {
            if let Ok(json) = serde_json::to_string(&partial) {
                // The thread may have ended; then nobody listens.
                let _ = queue.send(Command::TaskUpdate { number, json });
            }
        }));
    } else {
        context = context.with_updates(UpdateSink::ignore());
    }
    state.shared.spawn_operation(number, |token| async move {
        let task = match task {
            Ok(task) => task,
            Err(error) => return Settled::Failed(HostError::of_class("TypeError", error.to_string())),
        };
        let Some(actions) = actions else {
            return Settled::Failed(HostError::new(ActionError::NoSession.to_string()));
        };
        match actions.perform(task, context.with_cancel(token)).await {
            Ok(Value::Null) => Settled::Nothing,
            Ok(value) => Settled::Text(value.to_string()),
            Err(error) => Settled::Failed(HostError::new(error.to_string())),
        }
    });
}

/// Notes what the module registered after it was loaded.
pub(super) fn registered(state: &ThreadState, json: &str) {
    let described: std::result::Result<DescribedExtension, _> = state.data_limit().read(json);
    match (described, state.shared.module.upgrade()) {
        (Ok(described), Some(module)) => module.set_registrations(described.registrations),
        (Err(error), _) => {
            tracing::warn!(module = %state.shared.label, %error, "a registration cannot be read")
        }
        (_, None) => {}
    }
}

/// Adds a tool that the module registered after it was loaded.
pub(super) fn add_tool(state: &ThreadState, json: &str) -> std::result::Result<(), ActionError> {
    let described: DescribedTool = state.data_limit().read(json).map_err(ActionError::failed)?;
    let module = state.shared.module.upgrade().ok_or(ActionError::NoSession)?;
    module.add_tool(&described)
}
