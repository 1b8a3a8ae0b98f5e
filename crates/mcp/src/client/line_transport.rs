//! JSON lines over the pipes of a server process. Differs from the library's transport where servers misbehave: lines that
//! are not messages are kept for error texts, a message that is too long ends the connection instead of leaving its caller
//! waiting, one bad tool does not hide the others, progress
//! keeps its order, and a server that ignores the first request counts as an old one.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    RoleClient,
    model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::Mutex as AsyncMutex,
    time::Instant,
};

use super::progress::ProgressRoutes;

/// Longest message.
const MAX_LINE: usize = 16 << 20;
/// Bytes of output that is not a message kept for error texts.
const MAX_NOISE: usize = 600;

/// What the transport noticed, for error texts.
#[derive(Debug, Default)]
pub(crate) struct LineFaults {
    faults: Mutex<Faults>,
}

#[derive(Debug, Default)]
struct Faults {
    noise: String,
    fatal: Option<String>,
}

impl LineFaults {
    /// Returns the reason for which the transport closed the connection.
    pub(crate) fn fatal(&self) -> Option<String> {
        self.lock().fatal.clone()
    }

    /// Returns the beginning of what the server printed that is not a message.
    pub(crate) fn noise(&self) -> Option<String> {
        Some(self.lock().noise.clone()).filter(|noise| !noise.is_empty())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_noise(&self, line: &[u8]) {
        let mut faults = self.lock();
        let room = MAX_NOISE.saturating_sub(faults.noise.len());
        let text: String = String::from_utf8_lossy(line).chars().take(room).collect();
        faults.noise.push_str(&text);
        faults.noise.push('\n');
    }
}

/// The probe of the newer lifecycle: how long its answer may take, and its state.
#[derive(Debug)]
enum Probe {
    /// Nothing was sent.
    Unsent(Duration),
    /// The first request was sent.
    Sent { id: RequestId, until: Instant },
    /// It was answered.
    Over,
    /// It was answered in the server's place; a late answer is dropped.
    GivenUp(RequestId),
}

/// The transport.
pub(crate) struct LineTransport<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    write: Arc<AsyncMutex<Option<W>>>,
    probe: Probe,
    faults: Arc<LineFaults>,
    progress: ProgressRoutes,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> LineTransport<R, W> {
    /// Creates a transport. With `probe`, an answer to the first request that takes longer counts as "method not found".
    pub(crate) fn new(
        read: R,
        write: W,
        probe: Option<Duration>,
        faults: Arc<LineFaults>,
        progress: ProgressRoutes,
    ) -> Self {
        Self {
            read: BufReader::with_capacity(64 << 10, read),
            line: Vec::new(),
            write: Arc::new(AsyncMutex::new(Some(write))),
            probe: probe.map_or(Probe::Over, Probe::Unsent),
            faults,
            progress,
        }
    }

    /// Reads up to the next newline into `self.line`. Keeps what was read when it is dropped.
    async fn read_line(&mut self) -> Option<()> {
        loop {
            let available = self.read.fill_buf().await.ok()?;
            if available.is_empty() {
                return None;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |at| at + 1);
            if self.line.len() + taken > MAX_LINE {
                let text = format!("it sent a message larger than {} MB", MAX_LINE >> 20);
                self.faults.lock().fatal = Some(text);
                return None;
            }
            self.line.extend_from_slice(&available[..taken]);
            self.read.consume(taken);
            if end.is_some() {
                return Some(());
            }
        }
    }

    /// Returns the next message; `None` for a line that is not one.
    fn take_message(&mut self) -> Option<ServerJsonRpcMessage> {
        let line = std::mem::take(&mut self.line);
        let text = line.trim_ascii();
        if text.is_empty() {
            return None;
        }
        let parsed = serde_json::from_slice::<Value>(text).ok().filter(Value::is_object).map(|mut value| {
            drop_bad_tools(&mut value);
            serde_json::from_value::<ServerJsonRpcMessage>(value)
        });
        match parsed {
            // The library handles each notification in a task of its own, which loses their order.
            Some(Ok(JsonRpcMessage::Notification(notification)))
                if matches!(notification.notification, ServerNotification::ProgressNotification(_)) =>
            {
                if let ServerNotification::ProgressNotification(progress) = notification.notification {
                    self.progress.deliver(progress.params);
                }
                None
            }
            Some(Ok(message)) => Some(message),
            _ => {
                self.faults.add_noise(text);
                None
            }
        }
    }
}

/// Removes entries of a tool list that cannot be read, so that the others can.
fn drop_bad_tools(message: &mut Value) {
    let Some(tools) = message.pointer_mut("/result/tools").and_then(Value::as_array_mut) else { return };
    tools.retain(|tool| {
        serde_json::from_value::<rmcp::model::Tool>(tool.clone())
            .inspect_err(|error| {
                tracing::warn!(%error, "An MCP server offers a tool that cannot be read");
            })
            .is_ok()
    });
}

fn answers(message: &ServerJsonRpcMessage, id: &RequestId) -> bool {
    match message {
        JsonRpcMessage::Response(response) => response.id == *id,
        JsonRpcMessage::Error(error) => error.id.as_ref().is_none_or(|own| own == id),
        _ => false,
    }
}

impl<R, W> Transport<RoleClient> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        if let (Probe::Unsent(time), JsonRpcMessage::Request(request)) = (&self.probe, &message) {
            self.probe = Probe::Sent { id: request.id.clone(), until: Instant::now() + *time };
        }
        let write = Arc::clone(&self.write);
        async move {
            let mut text = serde_json::to_vec(&message)?;
            text.push(b'\n');
            let mut write = write.lock().await;
            let write = write.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
            write.write_all(&text).await?;
            write.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let until = match &self.probe {
                Probe::Sent { until, .. } => Some(*until),
                _ => None,
            };
            let read = self.read_line();
            let outcome = match until {
                Some(until) => tokio::time::timeout_at(until, read).await,
                None => Ok(read.await),
            };
            match outcome {
                Ok(Some(())) => {}
                Ok(None) => return None,
                Err(_) => {
                    let Probe::Sent { id, .. } = std::mem::replace(&mut self.probe, Probe::Over) else {
                        continue;
                    };
                    self.probe = Probe::GivenUp(id.clone());
                    let error =
                        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no answer to server/discover", None);
                    return Some(JsonRpcMessage::error(error, Some(id)));
                }
            }
            let Some(message) = self.take_message() else { continue };
            match &self.probe {
                Probe::GivenUp(id)
                    if answers(&message, id)
                        && !matches!(&message, JsonRpcMessage::Error(error) if error.id.is_none()) => {}
                Probe::Sent { id, .. } if answers(&message, id) => {
                    self.probe = Probe::Over;
                    return Some(message);
                }
                _ => return Some(message),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // Closing the server's input asks it to exit.
        drop(self.write.lock().await.take());
        Ok(())
    }
}
