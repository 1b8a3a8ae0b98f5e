//! Running one call to its end or to the end of its time (CONTRACT 4.6, 4.7). Ending goes in steps: the token is tripped,
//! after a grace time it is forced, and what still does not answer is abandoned.

use std::{
    collections::BTreeMap,
    future::pending,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    task::{JoinError, JoinHandle},
    time::{Instant, sleep, sleep_until},
};
use toolsmith_tool::{Stop, Tool, ToolCall, ToolContext, ToolError, ToolResult, UpdateSink};

use crate::panics;

/// How long calls may take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deadlines {
    /// For a call without a deadline of its own; each update starts it anew.
    pub call: Duration,
    /// What the user set for single tools, over what they say themselves.
    pub tools: BTreeMap<String, Duration>,
    /// For ending by itself after it was asked to. Longer than any tool's own, so that tools that can tell what they
    /// left behind get to do so.
    pub grace: Duration,
    /// For ending after it was forced to.
    pub force: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            call: Duration::from_secs(600),
            tools: BTreeMap::new(),
            grace: Duration::from_millis(1500),
            force: Duration::from_millis(250),
        }
    }
}

impl Deadlines {
    /// Sets the deadline of calls that have none of their own.
    #[must_use]
    pub fn call(mut self, time: Duration) -> Self {
        self.call = time;
        self
    }

    /// Sets the deadline of one tool.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, time: Duration) -> Self {
        self.tools.insert(name.into(), time);
        self
    }

    /// Sets the time for ending by itself.
    #[must_use]
    pub fn grace(mut self, time: Duration) -> Self {
        self.grace = time;
        self
    }
}

/// How the tool's own part ended.
pub(super) enum Ending {
    Answered(Result<ToolResult, ToolError>),
    Panicked(String),
    /// It did not answer even to force.
    Abandoned,
}

pub(super) struct Execution {
    pub(super) ending: Ending,
    /// Whether the deadline is what stopped it.
    pub(super) timed_out: bool,
}

/// When the call is to be stopped. Progress moves it.
#[derive(Clone)]
struct Until(Arc<Mutex<Option<Instant>>>);

impl Until {
    fn after(deadline: Duration) -> Self {
        // A deadline beyond the clock's end is none.
        Self(Arc::new(Mutex::new(Instant::now().checked_add(deadline))))
    }

    fn get(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn extend(&self, deadline: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now().checked_add(deadline);
    }

    /// Waits until the time is over, wherever progress moves it meanwhile.
    async fn over(&self) {
        loop {
            match self.get() {
                Some(until) if until <= Instant::now() => return,
                Some(until) => sleep_until(until).await,
                None => pending().await,
            }
        }
    }
}

/// The tool's task. It ends with whoever waits for it.
struct Running(JoinHandle<Result<ToolResult, ToolError>>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs the call. Its updates go to `on_update`, before the end only.
///
/// The tool gets a task of its own: one that never yields then blocks neither the deadline nor other calls.
pub(super) async fn execute(
    tool: Arc<dyn Tool>,
    call: ToolCall,
    mut context: ToolContext,
    deadline: Duration,
    limits: &Deadlines,
    on_update: impl Fn(&ToolResult) + Send + 'static,
) -> Execution {
    let cancel = context.cancel.child();
    let until = Until::after(deadline);
    let onward = context.updates.clone();
    let updates = UpdateSink::new({
        let until = until.clone();
        move |partial| {
            until.extend(deadline);
            on_update(&partial);
            onward.send(partial);
        }
    });
    context.cancel = cancel.clone();
    context.updates = updates.clone();
    let mut running = Running(tokio::spawn(async move { tool.execute(call, context).await }));
    let mut timed_out = false;

    let ended = 'ended: {
        tokio::select! {
            biased;
            ended = &mut running.0 => break 'ended Some(ended),
            () = cancel.cancelled() => {}
            () = until.over() => {
                timed_out = true;
                cancel.cancel(format!("it took longer than {deadline:?}"));
            }
        }
        tokio::select! {
            biased;
            ended = &mut running.0 => break 'ended Some(ended),
            () = cancel.forced() => {}
            () = sleep(limits.grace) => cancel.force("it did not stop when asked"),
        }
        tokio::select! {
            biased;
            ended = &mut running.0 => Some(ended),
            () = sleep(limits.force) => None,
        }
    };
    updates.close();
    Execution { ending: ended.map_or(Ending::Abandoned, ending), timed_out }
}

fn ending(ended: Result<Result<ToolResult, ToolError>, JoinError>) -> Ending {
    match ended {
        Ok(answer) => Ending::Answered(answer),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => Ending::Panicked(panics::text(&*panic)),
            // Only a runtime that shuts down cancels the task.
            Err(_) => Ending::Answered(Err(ToolError::stopped(Stop::Forced))),
        },
    }
}
