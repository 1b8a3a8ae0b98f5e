//! A call that runs in its own task, so that it can wait for a client to come back with an answer.

use std::sync::Arc;

use rmcp::model::CallToolResult;
use tokio::{sync::mpsc, task::JoinHandle};
use toolsmith_tool::{CancelToken, ToolContext, UiSlot, UpdateSink};

use super::{
    dialogs::{Channel, ClientUi, Question},
    progress::{self, ProgressTarget},
};

/// A running call.
pub(super) struct RunningCall {
    outcome: JoinHandle<CallToolResult>,
    questions: mpsc::Receiver<Question>,
    pub(super) cancel: CancelToken,
    pub(super) progress: ProgressTarget,
}

/// The next step of a call.
pub(super) enum CallStep {
    Finished(CallToolResult),
    Asks(Question),
}

/// Delivers the call's questions to the client.
pub(super) enum Asking {
    No,
    Request(rmcp::Peer<rmcp::RoleServer>),
    Repeat,
}

impl RunningCall {
    /// Starts `work` with a context of its own.
    pub(super) fn start<W, F>(asking: Asking, progress: ProgressTarget, work: W) -> Self
    where
        W: FnOnce(ToolContext) -> F,
        F: Future<Output = CallToolResult> + Send + 'static,
    {
        let cancel = CancelToken::new();
        let (sender, questions) = mpsc::channel(1);
        let (messages, sending) = progress::start(progress.clone());
        let channel = match asking {
            Asking::No => Channel::None,
            Asking::Request(peer) => Channel::Request(peer),
            Asking::Repeat => Channel::Repeat(sender),
        };
        let slot = UiSlot::headless();
        slot.set(Arc::new(ClientUi { channel, progress: messages.clone() }));
        let updates = UpdateSink::new(move |partial| messages.update(&partial));
        let closing = updates.clone();
        let context =
            ToolContext::detached().with_cancel(cancel.clone()).with_ui(slot.handle()).with_updates(updates);
        let work = work(context);
        let outcome = tokio::spawn(async move {
            let outcome = work.await;
            // The last message goes out before the result. Its senders are gone once the sink and the interface are.
            closing.close();
            slot.set(Arc::new(toolsmith_tool::HeadlessUi));
            let _ = tokio::time::timeout(std::time::Duration::from_millis(200), sending).await;
            outcome
        });
        Self { outcome, questions, cancel, progress }
    }

    /// Waits for the result or the next question.
    pub(super) async fn next(&mut self) -> CallStep {
        tokio::select! {
            biased;
            Some(question) = self.questions.recv() => CallStep::Asks(question),
            outcome = &mut self.outcome => CallStep::Finished(outcome.unwrap_or_else(|_| {
                CallToolResult::error(vec![rmcp::model::ContentBlock::text("The call failed (panic).")])
            })),
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        // Does nothing after the end. The task runs on until the tool has stopped.
        self.cancel.cancel("the client is gone");
    }
}
