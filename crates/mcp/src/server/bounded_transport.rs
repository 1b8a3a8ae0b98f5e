//! Bounds the requests of a client whose answers were not written yet. A client that sends requests and does not read would
//! otherwise fill the memory with answers; now its further messages are not read.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::{
    RoleServer,
    model::{ClientNotification, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::sync::Notify;

/// Maximum number of requests without a written answer.
const MAX_OPEN_REQUESTS: usize = 4096;

/// A transport that reads on only while few requests are open.
pub(super) struct BoundedTransport<T> {
    inner: T,
    open: Arc<OpenRequests>,
}

#[derive(Default)]
struct OpenRequests {
    ids: Mutex<HashSet<RequestId>>,
    closed_one: Notify,
}

impl OpenRequests {
    fn lock(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self, id: &RequestId) {
        if self.lock().remove(id) {
            self.closed_one.notify_one();
        }
    }

    async fn wait_for_room(&self) {
        while self.lock().len() >= MAX_OPEN_REQUESTS {
            self.closed_one.notified().await;
        }
    }
}

impl<T> BoundedTransport<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, open: Arc::default() }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for BoundedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (sending, open) = (self.inner.send(message), Arc::clone(&self.open));
        async move {
            let outcome = sending.await;
            if let Some(id) = answered {
                open.close(&id);
            }
            outcome
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.open.wait_for_room().await;
        let message = self.inner.receive().await?;
        match &message {
            JsonRpcMessage::Request(request) => {
                self.open.lock().insert(request.id.clone());
            }
            // A cancelled request is not answered.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.close(id);
                }
            }
            _ => {}
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
#[path = "bounded_transport_tests.rs"]
mod tests;
