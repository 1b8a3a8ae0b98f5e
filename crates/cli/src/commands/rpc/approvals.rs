//! Approval through the client (CONTRACT 5.4).

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use toolsmith_agent::{ApprovalRequest, Approver, Decision};
use toolsmith_tool::{BlockLimits, CancelToken, async_trait};

use super::{frame::Frame, outgoing::Outgoing, questions::Questions};

/// The layout of `display`. Clients can scroll, and have the values themselves.
const DISPLAY: BlockLimits = BlockLimits { width: 100, head: 4000, tail: 1000 };

/// Asks the client, if it said that it can be asked.
pub(super) struct ClientApprover {
    can_ask: AtomicBool,
    questions: Arc<Questions<(), Decision>>,
}

impl ClientApprover {
    pub(super) fn new(outgoing: Arc<Outgoing>) -> Arc<Self> {
        let questions = Questions::new("approval", outgoing, |id| Frame::ApprovalCancel { id });
        Arc::new(Self { can_ask: AtomicBool::new(false), questions })
    }

    /// Sets whether the client can be asked.
    pub(super) fn set_can_ask(&self, can: bool) {
        self.can_ask.store(can, Ordering::SeqCst);
    }

    /// Handles an `approval_response`.
    pub(super) fn answer(
        &self,
        id: &str,
        approved: bool,
        remember: bool,
        note: Option<String>,
    ) -> Result<(), String> {
        self.questions.answer(id, |()| {
            Ok(match (approved, remember) {
                (true, false) => Decision::Allow,
                (true, true) => Decision::AllowForSession,
                (false, _) => Decision::Deny { note },
            })
        })
    }

    /// Ends all questions: the client is gone.
    pub(super) fn close(&self) {
        self.set_can_ask(false);
        self.questions.close();
    }
}

#[async_trait]
impl Approver for ClientApprover {
    fn can_ask(&self) -> bool {
        self.can_ask.load(Ordering::SeqCst)
    }

    async fn ask(&self, request: &ApprovalRequest, cancel: &CancelToken) -> Decision {
        let text = request.text(DISPLAY);
        let display = std::iter::once(text.heading).chain(text.lines).collect();
        let mut asked = self.questions.ask((), |id| Frame::ApprovalRequest {
            id,
            tool_call_id: request.tool_call_id.clone(),
            tool_name: request.tool_name.clone(),
            label: request.label.clone(),
            arguments: request.arguments.clone(),
            tier: request.tier.as_str().to_owned(),
            reason: request.reason.clone(),
            details: request.details.clone(),
            display,
        });
        tokio::select! {
            biased;
            decision = asked.answer() => decision
                .unwrap_or_else(|| Decision::Deny { note: Some("The client is gone.".to_owned()) }),
            () = cancel.cancelled() => Decision::Deny { note: None },
        }
    }
}
