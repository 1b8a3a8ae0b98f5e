//! A pending action whose callbacks live in an instance.

use std::sync::{Arc, Weak};

use toolsmith_tool::{PendingCallbacks, ToolContext, ToolError, ToolResult, async_trait};

use super::{
    command::{CallFailure, CallKind},
    instance::Instance,
    state::ThreadState,
};
use crate::uses::Lease;

/// Reference to the callbacks. They are gone if the instance was stopped: the action is then void.
pub(crate) struct PendingCallback {
    instance: Weak<Instance>,
    number: u32,
    /// Keeps the instance of a module that is replaced until the action is decided.
    lease: Option<Lease>,
}

impl PendingCallback {
    pub(crate) fn new(state: &ThreadState, number: u32) -> Self {
        let lease = state.shared.module.upgrade().map(|module| module.uses().lease());
        Self { instance: state.shared.instance(), number, lease }
    }

    fn instance(&self) -> Result<Arc<Instance>, ToolError> {
        self.instance
            .upgrade()
            .filter(|instance| instance.is_alive())
            .ok_or_else(|| ToolError::reply(self.void().unwrap_or_default()))
    }

    async fn run(
        &self,
        what: &'static str,
        reason: &str,
        ctx: ToolContext,
    ) -> Result<Option<ToolResult>, ToolError> {
        let instance = self.instance()?;
        let kind = CallKind::Resolve { number: self.number, what, reason: reason.to_owned() };
        match instance.call(kind, ctx).await {
            Ok(answer) => answer.into_result(),
            Err(CallFailure::Tool(error)) => Err(error),
            Err(CallFailure::Refused(_)) => Ok(None),
        }
    }
}

#[async_trait]
impl PendingCallbacks for PendingCallback {
    async fn apply(&self, reason: &str, ctx: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(self.run("apply", reason, ctx).await?.unwrap_or_default())
    }

    async fn reject(&self, reason: &str, ctx: ToolContext) -> Result<Option<ToolResult>, ToolError> {
        self.run("reject", reason, ctx).await
    }

    fn is_revoked(&self) -> bool {
        self.lease.as_ref().is_some_and(Lease::is_revoked)
    }

    fn void(&self) -> Option<String> {
        if self.is_revoked() {
            return Some(
                "The module that staged this action is not trusted any more, so the action is void."
                    .to_owned(),
            );
        }
        let alive = self.instance.upgrade().is_some_and(|instance| instance.is_alive());
        (!alive).then(|| {
            "The tool that staged this action was stopped, so the action is lost. Run the tool again to \
             stage it anew."
                .to_owned()
        })
    }
}

impl Drop for PendingCallback {
    fn drop(&mut self) {
        if let Some(instance) = self.instance.upgrade() {
            instance.forget_pending(self.number);
        }
    }
}
