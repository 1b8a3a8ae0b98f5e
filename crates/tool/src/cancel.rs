//! The cancel token: one per call, child of the run's, with two strengths (CONTRACT 4.6). A polite cancel
//! trips the tool's signal and starts its grace time; force ends the grace time at once.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Asks work to stop, first politely, then by force. Clones are the same token; a [`CancelToken::child`] follows
/// its parent but can be cancelled alone.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    node: Arc<Node>,
}

#[derive(Debug, Default)]
struct Node {
    polite: CancellationToken,
    force: CancellationToken,
    reason: OnceLock<String>,
    parent: Option<Arc<Node>>,
}

impl CancelToken {
    /// A token that nothing has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token cancelled together with this one, or on its own.
    #[must_use]
    pub fn child(&self) -> Self {
        Self {
            node: Arc::new(Node {
                polite: self.node.polite.child_token(),
                force: self.node.force.child_token(),
                reason: OnceLock::new(),
                parent: Some(Arc::clone(&self.node)),
            }),
        }
    }

    /// Asks politely. The first reason given is the one kept.
    pub fn cancel(&self, reason: impl Into<String>) {
        // The reason is set first so that whoever wakes up can read it.
        let _ = self.node.reason.set(reason.into());
        self.node.polite.cancel();
    }

    /// Ends the grace time: what has not stopped is stopped.
    pub fn force(&self, reason: impl Into<String>) {
        self.cancel(reason);
        self.node.force.cancel();
    }

    /// Whether anybody asked, politely or not.
    pub fn is_cancelled(&self) -> bool {
        self.node.polite.is_cancelled()
    }

    /// Whether the grace time is over.
    pub fn is_forced(&self) -> bool {
        self.node.force.is_cancelled()
    }

    /// Why, as the nearest token that was given a reason says it.
    pub fn reason(&self) -> Option<String> {
        let mut node = Some(&self.node);
        while let Some(current) = node {
            if let Some(reason) = current.reason.get() {
                return Some(reason.clone());
            }
            node = current.parent.as_ref();
        }
        None
    }

    /// Waits until somebody asks.
    pub async fn cancelled(&self) {
        self.node.polite.cancelled().await;
    }

    /// Waits until the grace time is over.
    pub async fn forced(&self) {
        self.node.force.cancelled().await;
    }
}

#[cfg(test)]
#[path = "cancel_tests.rs"]
mod tests;
