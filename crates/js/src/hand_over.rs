//! The change from a loaded module to its new version: the old one gives its state and receives the end of the session,
//! the new one receives the start with that state.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use toolsmith_tool::{SessionEvent, ToolContext};

use crate::{
    extension,
    instance::{Answer, CallFailure, CallKind},
    module::{ModuleHost, Running},
};

/// The most text of a state. It is kept in memory twice while it is handed over.
const MAX_STATE: usize = 64 << 20;

/// A loaded module as something that can be replaced.
#[derive(Clone, Default)]
pub struct ModuleHandle {
    host: Option<Arc<ModuleHost>>,
}

impl std::fmt::Debug for ModuleHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModuleHandle").finish_non_exhaustive()
    }
}

impl ModuleHandle {
    pub(crate) fn new(host: &Arc<ModuleHost>) -> Self {
        Self { host: Some(Arc::clone(host)) }
    }

    /// Replaces the module by its new version, or by nothing if it was removed. The old one takes no more calls. It
    /// receives `shutdown` and ends when its calls are over and its staged actions are decided; without any, before
    /// this returns. The new one receives `start`, with the state that the old one's `getState` returned.
    ///
    /// Returns the reason if there was a state that could not be taken over.
    pub async fn hand_over(&self, new: Option<&Self>, context: &ToolContext) -> Option<String> {
        let mut state = Ok(None);
        if let Some(old) = &self.host {
            let running = old.replace().await;
            if let Some(running) = running {
                let limit = old.limits().hook;
                if new.is_some() {
                    state = read_state(&running, context, limit).await;
                }
                let (host, context) = (Arc::clone(old), context.clone());
                let end = async move {
                    host.uses().wait_until_unused().await;
                    shut_down(&running, &context, limit).await;
                    host.end().await;
                };
                // What still runs there is not waited for.
                match old.uses().is_unused() {
                    true => end.await,
                    false => drop(old.options().engine.runtime.spawn(end)),
                }
            }
        }
        let (state, problem) = match state {
            Ok(state) => (state, None),
            Err(problem) => (None, Some(problem)),
        };
        if let Some(new) = new {
            new.start(state, context).await;
        }
        problem
    }

    /// Replaces a module that may no longer run. Nothing of it is called again: it receives no `shutdown`, its timers end, and
    /// its staged actions are void. Calls in progress end with it.
    pub async fn revoke(&self, new: Option<&Self>, context: &ToolContext) {
        if let Some(old) = &self.host {
            old.uses().revoke();
            drop(old.replace().await);
            old.end().await;
        }
        if let Some(new) = new {
            new.start(None, context).await;
        }
    }

    /// Notifies the module of the start, if it runs.
    async fn start(&self, state: Option<Value>, context: &ToolContext) {
        if let Some(host) = &self.host
            && let Some(running) = host.running().await
        {
            start(&running, state, context, host.limits().hook).await;
        }
    }
}

/// Asks the module for its state; `None` if it exports no `getState`.
async fn read_state(
    running: &Running,
    context: &ToolContext,
    limit: Duration,
) -> Result<Option<Value>, String> {
    let Some(number) = running.state else { return Ok(None) };
    let answer = call(running, CallKind::State { number }, context, limit).await?;
    match answer.text().len() {
        0 => Ok(None),
        length if length > MAX_STATE => Err(format!("it has more than {} MB", MAX_STATE >> 20)),
        _ => answer.read().map(Some).map_err(|error| error.to_string()),
    }
}

async fn shut_down(running: &Running, context: &ToolContext, limit: Duration) {
    tell_tools(running, &SessionEvent::Shutdown.to_json(), context, limit).await;
    let end = json!({ "type": "session_shutdown", "reason": "reload" });
    tell_extension(running, &end, context, limit).await;
}

async fn start(running: &Running, state: Option<Value>, context: &ToolContext, limit: Duration) {
    let mut event = SessionEvent::Start.to_json();
    let mut begin = json!({ "type": "session_start", "reason": "reload" });
    if let Some(state) = state {
        event["previousState"] = state.clone();
        begin["previousState"] = state;
    }
    tell_tools(running, &event, context, limit).await;
    tell_extension(running, &begin, context, limit).await;
}

async fn tell_tools(running: &Running, event: &Value, context: &ToolContext, limit: Duration) {
    for number in running.listeners.iter() {
        let kind = CallKind::Session { number: *number, event: event.to_string() };
        if let Err(problem) = call(running, kind, context, limit).await {
            tracing::warn!(problem, event = %event["reason"], "A tool failed to handle a session event");
        }
    }
}

async fn tell_extension(running: &Running, event: &Value, context: &ToolContext, limit: Duration) {
    let Some(number) = running.extension else { return };
    let name = event["type"].as_str().unwrap_or_default();
    let cancel = context.cancel.child();
    let context = context.clone().with_cancel(cancel.clone());
    let told = extension::call(running, number, "event", name, event, context);
    let Ok(told) = tokio::time::timeout(limit, told).await else {
        cancel.force("it did not handle the session event in time");
        return;
    };
    if let Err(error) = told {
        tracing::warn!(%error, event = name, "An extension failed to handle a session event");
    }
}

/// Makes a call that is stopped at its deadline.
async fn call(
    running: &Running,
    kind: CallKind,
    context: &ToolContext,
    limit: Duration,
) -> Result<Answer, String> {
    let cancel = context.cancel.child();
    let mut made = std::pin::pin!(running.instance.call(kind, context.clone().with_cancel(cancel.clone())));
    let outcome = tokio::select! {
        outcome = &mut made => outcome,
        () = tokio::time::sleep(limit) => {
            cancel.force(format!("it took longer than {limit:?}"));
            made.await
        }
    };
    outcome.map_err(|failure| match failure {
        CallFailure::Tool(error) => error.to_string(),
        CallFailure::Refused(_) => "its arguments were rejected".to_owned(),
    })
}
