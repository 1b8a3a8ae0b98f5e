//! Counts the users of a module's instance: calls in progress and staged actions. A module that was replaced ends when
//! it has none left.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use tokio::sync::Notify;

/// The number of users.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    count: AtomicUsize,
    released: Notify,
    /// The module may no longer run.
    is_revoked: AtomicBool,
}

/// One user; dropping it releases the instance.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Uses>);

impl Uses {
    /// Adds a user.
    pub(crate) fn lease(self: &Arc<Self>) -> Lease {
        self.count.fetch_add(1, Ordering::SeqCst);
        Lease(Arc::clone(self))
    }

    /// Makes void what the users have of the module.
    pub(crate) fn revoke(&self) {
        self.is_revoked.store(true, Ordering::SeqCst);
    }

    /// Returns whether there is no user.
    pub(crate) fn is_unused(&self) -> bool {
        self.count.load(Ordering::SeqCst) == 0
    }

    /// Waits until there is no user.
    pub(crate) async fn wait_until_unused(&self) {
        loop {
            let mut released = std::pin::pin!(self.released.notified());
            // Registered before looking, so that a release between the two is not missed.
            released.as_mut().enable();
            if self.is_unused() {
                return;
            }
            released.await;
        }
    }
}

impl Lease {
    /// Returns whether the module may no longer run.
    pub(crate) fn is_revoked(&self) -> bool {
        self.0.is_revoked.load(Ordering::SeqCst)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.released.notify_waiters();
        }
    }
}
