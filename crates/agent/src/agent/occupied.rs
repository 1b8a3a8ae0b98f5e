//! Exclusive access to the conversation outside of a run: while it lasts, prompts are rejected.

use std::sync::Arc;

use toolsmith_tool::CancelToken;

use super::{
    agent::{Agent, PromptError, RunSummary},
    state::{Activity, Core},
};
use crate::turn::TurnContext;

/// Holds the agent for something other than a run; dropping it releases the agent. [`Agent::abort`] triggers the
/// context's cancel token.
#[derive(Debug)]
pub struct Occupied {
    core: Arc<Core>,
    context: TurnContext,
    last: Option<Arc<RunSummary>>,
}

impl Occupied {
    /// Returns the context for the work.
    pub fn context(&self) -> &TurnContext {
        &self.context
    }
}

impl Drop for Occupied {
    fn drop(&mut self) {
        let last = self.last.take();
        self.core.activity.send_modify(|activity| *activity = Activity::Idle { last });
    }
}

impl Agent {
    /// Holds the agent, so that no run starts meanwhile.
    ///
    /// # Errors
    /// Fails if a run is in progress.
    pub fn occupy(&self) -> Result<Occupied, PromptError> {
        let cancel = CancelToken::new();
        let last = self.core().begin_activity(&cancel)?;
        let context = TurnContext::new(Arc::clone(self.core()), cancel);
        Ok(Occupied { core: Arc::clone(self.core()), context, last })
    }

    /// Stops the run in progress, if any, waits for its end, and holds the agent.
    pub async fn stop_and_occupy(&self, reason: &str) -> Occupied {
        loop {
            self.abort(reason);
            self.wait_for_idle().await;
            // Another task may have been faster.
            if let Ok(occupied) = self.occupy() {
                return occupied;
            }
        }
    }
}
