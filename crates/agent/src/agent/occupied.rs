//! Work on the conversation that is no run: while it lasts, nobody can prompt.

use std::sync::Arc;

use toolsmith_tool::CancelToken;

use super::{
    handle::{Agent, PromptError, RunSummary},
    state::{Activity, Core},
};
use crate::turn::TurnContext;

/// The agent is held for something other than a run; dropping this lets go of it. [`Agent::abort`] trips the context's
/// cancel token.
#[derive(Debug)]
pub struct Occupied {
    core: Arc<Core>,
    context: TurnContext,
    last: Option<Arc<RunSummary>>,
}

impl Occupied {
    /// What the work can reach.
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
    /// Holds the agent, so that no run begins meanwhile.
    ///
    /// # Errors
    /// When a run is on its way.
    pub fn occupy(&self) -> Result<Occupied, PromptError> {
        let cancel = CancelToken::new();
        let last = self.core().begin_activity(&cancel)?;
        let context = TurnContext::new(Arc::clone(self.core()), cancel);
        Ok(Occupied { core: Arc::clone(self.core()), context, last })
    }

    /// Stops the run that is on its way, if there is one, waits for its end, and holds the agent.
    pub async fn stop_and_occupy(&self, reason: &str) -> Occupied {
        loop {
            self.abort(reason);
            self.wait_for_idle().await;
            // Somebody may have been quicker.
            if let Ok(occupied) = self.occupy() {
                return occupied;
            }
        }
    }
}
