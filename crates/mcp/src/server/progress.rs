//! Updates of a call as progress notifications: at most four per second, rising, and only if the client sent a token.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
};
use tokio::sync::watch;
use toolsmith_tool::ToolResult;

const PAUSE: Duration = Duration::from_millis(250);
const MAX_CHARS: usize = 200;

/// A request and its token.
type Target = (Peer<RoleServer>, ProgressToken);

/// The receiver of a call's progress. A call that is resumed by another request changes it.
#[derive(Clone, Default)]
pub(super) struct ProgressTarget {
    target: Arc<Mutex<Option<Target>>>,
    count: Arc<AtomicU64>,
}

impl ProgressTarget {
    /// Sends progress to the request that carries this token; nowhere without a token.
    pub(super) fn set(&self, peer: &Peer<RoleServer>, token: Option<ProgressToken>) {
        let target = token.map(|token| (peer.clone(), token));
        *self.target.lock().unwrap_or_else(PoisonError::into_inner) = target;
    }

    async fn send(&self, message: String) {
        let target = self.target.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some((peer, token)) = target else { return };
        let count = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        #[expect(clippy::cast_precision_loss, reason = "a call has far fewer updates")]
        let mut param = ProgressNotificationParam::new(token, count as f64);
        param.message = Some(message);
        let _ = peer.notify_progress(param).await;
    }
}

/// Takes the messages of a call.
#[derive(Clone)]
pub(super) struct ProgressSender {
    latest: watch::Sender<Option<String>>,
}

impl ProgressSender {
    /// Notes the last line of an update.
    pub(super) fn update(&self, partial: &ToolResult) {
        let text = partial.joined_text();
        if let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) {
            self.message(line);
        }
    }

    /// Notes a message.
    pub(super) fn message(&self, text: &str) {
        let text: String = text.trim().chars().take(MAX_CHARS).collect();
        if !text.is_empty() {
            self.latest.send_replace(Some(text));
        }
    }
}

/// Sends messages until the sender is dropped; then the last one at once, so that it arrives before the result.
pub(super) fn start(target: ProgressTarget) -> (ProgressSender, tokio::task::JoinHandle<()>) {
    let (latest, mut received) = watch::channel(None::<String>);
    let sending = tokio::spawn(async move {
        while received.changed().await.is_ok() {
            let message = received.borrow_and_update().clone();
            if let Some(message) = message {
                target.send(message).await;
            }
            // Waits, but not after the end.
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = closed(&received) => {}
            }
        }
    });
    (ProgressSender { latest }, sending)
}

/// Waits until all senders are gone.
async fn closed(received: &watch::Receiver<Option<String>>) {
    let mut own = received.clone();
    while own.changed().await.is_ok() {}
}
