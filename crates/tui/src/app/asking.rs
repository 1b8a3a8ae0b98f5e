//! Questions in the interface: dialogs of tools, and approvals and reviews of the dispatcher.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use tokio::sync::oneshot;
use toolsmith::agent::{ApprovalRequest, Approver, Decision, ReviewDecision, ReviewRequest, Reviewer};
use toolsmith_tool::{CancelToken, NoticeLevel, ToolError, ToolResult};

use super::{bridge::Bridge, effect::Effect, event::Event, panels::PendingPanel};
use crate::dialog::{ApprovalDialog, Panel};

/// Dialogs of all tools that can be open at once. Each call has a lower limit of its own.
const MAX_DIALOGS: usize = 512;

impl Bridge {
    /// Shows a panel until it answers or is cancelled.
    pub(super) async fn ask<T>(
        &self,
        cancel: &CancelToken,
        open: impl FnOnce(oneshot::Sender<T>) -> Box<dyn Panel>,
    ) -> Option<T> {
        if cancel.is_cancelled() {
            return None;
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        let panel = open(sender);
        self.send(Event::Panel(id, panel, cancel.clone()));
        // The panel is closed too if this future is dropped.
        let closing = Closing { bridge: self, id };
        tokio::select! {
            answer = receiver => {
                std::mem::forget(closing);
                answer.ok()
            }
            () = cancel.cancelled() => None,
        }
    }

    /// Shows a dialog of a tool; `None` without one if too many are open.
    pub(super) async fn dialog<T>(
        &self,
        cancel: &CancelToken,
        open: impl FnOnce(oneshot::Sender<T>) -> Box<dyn Panel>,
    ) -> Option<T> {
        let _open = self.open_dialog()?;
        self.ask(cancel, open).await
    }

    /// Counts a dialog; `None` if too many are open.
    pub(super) fn open_dialog(&self) -> Option<OpenDialog<'_>> {
        let open = OpenDialog(&self.open_dialogs);
        if self.open_dialogs.fetch_add(1, Ordering::Relaxed) >= MAX_DIALOGS {
            tracing::warn!(open = MAX_DIALOGS, "A dialog of a tool was not shown: too many are open");
            return None;
        }
        Some(open)
    }
}

/// Counts a dialog until it is closed or given up.
pub(super) struct OpenDialog<'a>(&'a AtomicUsize);

impl Drop for OpenDialog<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Closes a panel whose answer is not waited for any longer.
struct Closing<'a> {
    bridge: &'a Bridge,
    id: u64,
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.bridge.send(Event::ClosePanel(self.id));
    }
}

/// Asks in the interface about previews (CONTRACT 8.6).
#[derive(Debug)]
pub(super) struct DialogReviewer {
    pub(super) bridge: Arc<Bridge>,
    pub(super) cwd: PathBuf,
}

#[async_trait]
impl Reviewer for DialogReviewer {
    async fn review(&self, request: &ReviewRequest, cancel: &CancelToken) -> ReviewDecision {
        let proposal = request.proposal.as_ref().map(|proposal| {
            let word = if proposal.apply { "apply" } else { "discard" };
            format!("The model proposes to {word} this: {}", proposal.reason)
        });
        let note = request.problem.clone().or(proposal);
        let open = |answer| {
            let panel =
                PendingPanel::asking(request.action.clone(), request.files.clone(), &self.cwd, note, answer);
            Box::new(panel) as Box<dyn Panel>
        };
        self.bridge.ask(cancel, open).await.unwrap_or(ReviewDecision::Keep)
    }

    fn decided(&self, _request: &ReviewRequest, outcome: &Result<ToolResult, ToolError>) {
        // What worked is shown by the run itself.
        let failure = match outcome {
            Ok(result) if !result.is_error => return,
            Ok(result) => result.joined_text(),
            Err(error) => error.to_string(),
        };
        self.bridge.send(Event::Notice(NoticeLevel::Error, failure));
    }
}

/// Asks in the interface whether a call may run.
#[derive(Debug)]
pub(super) struct DialogApprover(pub(super) Arc<Bridge>);

#[async_trait]
impl Approver for DialogApprover {
    async fn ask(&self, request: &ApprovalRequest, cancel: &CancelToken) -> Decision {
        let open = |answer| Box::new(ApprovalDialog::new(request.clone(), answer)) as Box<dyn Panel>;
        let Some(answer) = self.0.ask(cancel, open).await else {
            return Decision::Deny { note: None };
        };
        if answer.is_permanent {
            let key = format!("tools.approval.{}", request.tool_name);
            self.0.send(Event::Do(Effect::SetSetting(key, "allow".to_owned())));
        }
        answer.decision
    }
}
