//! A client that sends requests and does not read the answers.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{convert::Infallible, future::Future, pin::pin, task::Poll};

use futures::{FutureExt as _, poll};
use serde_json::json;

use super::*;

/// Requests without end, and answers that are written only when the test says so.
#[derive(Default)]
struct Flood {
    last: usize,
    written: Arc<Notify>,
}

impl Transport<RoleServer> for Flood {
    type Error = Infallible;

    fn send(
        &mut self,
        _message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let written = Arc::clone(&self.written);
        async move {
            written.notified().await;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.last += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.last, "method": "ping" });
        Some(serde_json::from_value(message).unwrap())
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[tokio::test]
async fn requests_are_read_only_while_answers_are() {
    let flood = Flood::default();
    let written = Arc::clone(&flood.written);
    let mut transport = BoundedTransport::new(flood);
    for _ in 0..MAX_OPEN_REQUESTS {
        assert!(transport.receive().now_or_never().is_some());
    }
    assert!(transport.receive().now_or_never().is_none(), "no further request is read");
    let answer = serde_json::from_value(json!({ "jsonrpc": "2.0", "id": 1, "result": {} })).unwrap();
    let mut sending = pin!(transport.send(answer));
    assert!(matches!(poll!(sending.as_mut()), Poll::Pending));
    assert!(transport.receive().now_or_never().is_none(), "an answer that is not written does not count");
    written.notify_one();
    sending.await.unwrap();
    assert!(transport.receive().now_or_never().is_some());
}
