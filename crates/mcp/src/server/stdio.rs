//! Serving one client over a pair of streams.

use std::sync::Arc;

use rmcp::{ServiceExt as _, transport::async_rw::AsyncRwTransport};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use toolsmith_tool::CancelToken;

use super::{
    bounded_transport::BoundedTransport,
    handler::{Binding, Handler},
    served::ServedTools,
    serving::{ServeEvents, ServeOptions, Shared},
};

/// Serves until the client closes its end or `stop` is triggered. Pending actions are rejected then.
///
/// # Errors
/// Fails if the client does not begin as the protocol requires.
pub async fn serve_stream(
    tools: Arc<dyn ServedTools>,
    options: ServeOptions,
    events: ServeEvents,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancelToken,
) -> Result<(), String> {
    let shared = Shared::new(tools, options, events);
    let handler = Arc::new(Handler::new(Arc::clone(&shared), Binding::Connection));
    let token = CancellationToken::new();
    let transport = BoundedTransport::new(AsyncRwTransport::new_server(read, write));
    let serving = Arc::clone(&handler).serve_with_ct(transport, token.clone());
    let running = tokio::select! {
        () = stop.cancelled() => return Ok(()),
        running = serving => match running {
            Ok(running) => running,
            // A client that connects and leaves is not a failure.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(error.to_string().chars().take(500).collect()),
        },
    };
    tokio::select! {
        _ = running.waiting() => {}
        () = stop.cancelled() => token.cancel(),
    }
    handler.end().await;
    shared.end().await;
    Ok(())
}
