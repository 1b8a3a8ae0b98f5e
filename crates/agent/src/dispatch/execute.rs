//! Running one call to its end or to the end of its time (CONTRACT 4.6, 4.7). Ending goes in steps: the token is tripped,
//! after a grace time it is forced, and what still does not answer is abandoned.

use std::{collections::BTreeMap, pin::Pin, sync::Arc, time::Duration};

use tokio::{runtime::Handle, sync::oneshot, time::sleep};
use toolsmith_tool::{
    Stop, Tool, ToolCall, ToolContext, ToolError, ToolResult, UpdateSink, panics::catching,
};

use super::deadline::CallDeadline;

/// How long calls may take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deadlines {
    /// For a call without a deadline of its own; each update starts it anew.
    pub call: Duration,
    /// The user's deadlines for single tools, overriding their own.
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
    /// Set if the deadline stopped it.
    pub(super) timed_out: bool,
}

/// Where a tool's code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// Within the call itself: for tools known to wait rather than work.
    Here,
    /// On a thread of its own: code we do not know may compute or block, and must not hold up deadlines, other calls or
    /// the interface.
    OwnThread,
}

/// A tool's result, or the message of its panic.
type Answer = Result<Result<ToolResult, ToolError>, String>;

/// The work of a call with its panics caught, at its site. Dropping it abandons the work.
fn at_site(
    site: Site,
    work: impl Future<Output = Result<ToolResult, ToolError>> + Send + 'static,
) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
    let work = catching(work);
    if site == Site::Here {
        return Box::pin(work);
    }
    let runtime = Handle::current();
    let (here, gone) = oneshot::channel::<()>();
    let thread = tokio::task::spawn_blocking(move || {
        runtime.block_on(async {
            tokio::select! {
                biased;
                answer = work => answer,
                // Nobody hears it.
                _ = gone => Ok(Err(ToolError::stopped(Stop::Forced))),
            }
        })
    });
    Box::pin(async move {
        let _here = here;
        // Panics were caught; only a runtime that shuts down gives no answer.
        thread.await.unwrap_or_else(|_| Ok(Err(ToolError::stopped(Stop::Forced))))
    })
}

/// Runs the call. Its updates go to `on_update`, before the end only.
pub(super) async fn execute(
    site: Site,
    tool: Arc<dyn Tool>,
    call: ToolCall,
    context: ToolContext,
    deadline: Duration,
    limits: &Deadlines,
    on_update: impl Fn(&ToolResult) + Send + 'static,
) -> Execution {
    let work = |context| async move { tool.execute(call, context).await };
    run_work(site, work, context, deadline, limits, on_update).await
}

/// Runs `work` with a context that is bound to the deadline.
async fn run_work<W>(
    site: Site,
    work: impl FnOnce(ToolContext) -> W,
    mut context: ToolContext,
    deadline: Duration,
    limits: &Deadlines,
    on_update: impl Fn(&ToolResult) + Send + 'static,
) -> Execution
where
    W: Future<Output = Result<ToolResult, ToolError>> + Send + 'static,
{
    let cancel = context.cancel.child();
    let deadline_watch = CallDeadline::new(deadline);
    let onward = context.updates.clone();
    let updates = UpdateSink::new({
        let deadline_watch = deadline_watch.clone();
        move |partial| {
            deadline_watch.extend();
            on_update(&partial);
            onward.send(partial);
        }
    });
    context.cancel = cancel.clone();
    context.updates = updates.clone();
    context.ui = deadline_watch.interface(context.ui, cancel.clone());
    let mut running = at_site(site, work(context));
    let mut timed_out = false;

    let ended = 'ended: {
        tokio::select! {
            biased;
            ended = &mut running => break 'ended Some(ended),
            () = cancel.cancelled() => {}
            () = deadline_watch.over() => {
                timed_out = true;
                cancel.cancel(format!("it took longer than {deadline:?}"));
            }
        }
        tokio::select! {
            biased;
            ended = &mut running => break 'ended Some(ended),
            () = cancel.forced() => {}
            () = sleep(limits.grace) => cancel.force("it did not stop when asked"),
        }
        tokio::select! {
            biased;
            ended = &mut running => Some(ended),
            () = sleep(limits.force) => None,
        }
    };
    updates.close();
    let ending = match ended {
        Some(Ok(answer)) => Ending::Answered(answer),
        Some(Err(panic)) => Ending::Panicked(panic),
        None => Ending::Abandoned,
    };
    Execution { ending, timed_out }
}

/// Runs work that no model requested the way calls run: the same deadline and the same steps that stop it. `work` makes
/// the future from the context it runs in.
pub(crate) async fn run_to_end<W>(
    work: impl FnOnce(ToolContext) -> W,
    context: ToolContext,
    deadline: Duration,
    limits: &Deadlines,
) -> Result<ToolResult, ToolError>
where
    W: Future<Output = Result<ToolResult, ToolError>> + Send + 'static,
{
    match run_work(Site::Here, work, context, deadline, limits, |_| {}).await.ending {
        Ending::Answered(answer) => answer,
        Ending::Panicked(text) => {
            Err(ToolError::reply(format!("It crashed: {text}. Its side effects may be incomplete.")))
        }
        Ending::Abandoned => Err(ToolError::stopped(Stop::Forced)),
    }
}
