//! Keeping a conversation going: compacting it, and asking again after errors that pass.

use std::sync::Arc;

use toolsmith_agent::{AgentBuilder, CompactError, Compacted, Compactor, Retry, session::CurrentSession};

use super::handle::Session;
use crate::settings::Settings;

/// The hooks that keep a conversation going.
#[derive(Clone, Debug)]
pub(super) struct Recovery {
    compactor: Arc<Compactor>,
    retry: Arc<Retry>,
}

impl Recovery {
    pub(super) fn new(settings: &Settings, current: &CurrentSession) -> Self {
        let retry = Arc::new(Retry::new(settings.retry.policy()));
        let compactor = Compactor::new(current.clone(), settings.compaction.policy());
        Self { compactor: Arc::new(compactor.with_retry(Arc::clone(&retry))), retry }
    }

    pub(super) fn add_to(&self, agent: AgentBuilder) -> AgentBuilder {
        agent.hook(Arc::clone(&self.compactor) as _).hook(Arc::clone(&self.retry) as _)
    }
}

impl Session {
    /// Has the model sum up the older part of the conversation, and goes on from that summary; `instructions` say what
    /// matters in it. [`Session::abort`] stops it.
    ///
    /// # Errors
    /// When a run is on its way, there is nothing to compact, the model wrote no summary, or somebody stopped it.
    pub async fn compact(&self, instructions: Option<&str>) -> Result<Compacted, CompactError> {
        let held = self.agent().occupy()?;
        self.recovery.compactor.compact(instructions, held.context()).await
    }

    /// Says whether the conversation is compacted without being asked to.
    pub fn set_auto_compaction(&self, on: bool) {
        self.recovery.compactor.set_enabled(on);
    }

    /// Whether the conversation is compacted without being asked to.
    pub fn auto_compaction(&self) -> bool {
        self.recovery.compactor.is_enabled()
    }

    /// Says whether a request that failed is made again.
    pub fn set_auto_retry(&self, on: bool) {
        self.recovery.retry.set_enabled(on);
    }

    /// Whether a request that failed is made again.
    pub fn auto_retry(&self) -> bool {
        self.recovery.retry.is_enabled()
    }

    /// Whether a request failed and waits to be made again. [`Session::abort`] stops it.
    pub fn is_retrying(&self) -> bool {
        self.recovery.retry.is_waiting()
    }
}
