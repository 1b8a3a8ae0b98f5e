//! The cancel token: one per call, a child of the run's, with two levels (CONTRACT 4.6). `cancel` triggers the tool's
//! signal and starts its grace time; `force` ends the grace time at once.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Requests that work stops, first gracefully, then forcibly. Clones are the same token; a [`CancelToken::child`]
/// follows its parent but can be cancelled alone.
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
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a token that is cancelled with this one, or on its own.
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

    /// Requests a graceful stop. The first reason is kept.
    pub fn cancel(&self, reason: impl Into<String>) {
        // The reason is set first so that a woken task can read it.
        let _ = self.node.reason.set(reason.into());
        self.node.polite.cancel();
    }

    /// Ends the grace time: whatever still runs is force-stopped.
    pub fn force(&self, reason: impl Into<String>) {
        self.cancel(reason);
        self.node.force.cancel();
    }

    /// Returns whether a stop was requested, gracefully or forcibly.
    pub fn is_cancelled(&self) -> bool {
        self.node.polite.is_cancelled()
    }

    /// Returns whether the grace time is over.
    pub fn is_forced(&self) -> bool {
        self.node.force.is_cancelled()
    }

    /// Returns the reason of the nearest token that has one.
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

    /// Waits until a stop is requested.
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
