//! Compaction and retries of a session.

use std::sync::Arc;

use toolsmith_agent::{AgentBuilder, session::CurrentSession};
use toolsmith_middleware::{CompactError, Compacted, Compactor, Retry};

use super::session::Session;
use crate::settings::Settings;

/// The hooks for compaction and retries.
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

    pub(super) fn context_tokens(&self) -> u64 {
        self.compactor.context_tokens()
    }

    pub(super) fn add_to(&self, agent: AgentBuilder) -> AgentBuilder {
        agent.hook(Arc::clone(&self.compactor) as _).hook(Arc::clone(&self.retry) as _)
    }
}

impl Session {
    /// Compacts the session: the model summarises the older part; `instructions` say what matters. [`Session::abort`]
    /// stops it.
    ///
    /// # Errors
    /// Fails if a run is in progress, there is nothing to compact, the summary failed, or it was aborted.
    pub async fn compact(&self, instructions: Option<&str>) -> Result<Compacted, CompactError> {
        let held = self.agent().occupy()?;
        self.recovery.compactor.compact(instructions, held.context()).await
    }

    /// Enables or disables automatic compaction.
    pub fn set_auto_compaction(&self, on: bool) {
        self.recovery.compactor.set_enabled(on);
    }

    /// Returns whether automatic compaction is enabled.
    pub fn auto_compaction(&self) -> bool {
        self.recovery.compactor.is_enabled()
    }

    /// Enables or disables automatic retries.
    pub fn set_auto_retry(&self, on: bool) {
        self.recovery.retry.set_enabled(on);
    }

    /// Returns whether automatic retries are enabled.
    pub fn auto_retry(&self) -> bool {
        self.recovery.retry.is_enabled()
    }

    /// Returns whether a failed request is waiting for a retry. [`Session::abort`] stops it.
    pub fn is_retrying(&self) -> bool {
        self.recovery.retry.is_waiting()
    }
}
