//! JSON lines over the pipes of a server process. Differs from the library's transport where servers misbehave: lines that
//! are not messages are kept for error texts, a message that is too long ends the connection instead of leaving its caller
//! waiting, an answer that cannot be read fails its request, one bad tool does not hide the others, progress keeps its order,
//! and a server that ignores the first request counts as an old one. Nothing waits for a server that does not read.

use std::{
    collections::HashSet,
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
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::Mutex as AsyncMutex,
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::progress::ProgressRoutes;

/// Longest message.
const MAX_LINE: usize = 16 << 20;
/// Bytes of output that is not a message kept for error texts.
const MAX_NOISE: usize = 600;
/// Maximum number of a server's requests that wait for their answers to be read.
const MAX_OPEN_REQUESTS: usize = 256;
/// Time in which a server must read a message, and the time that is left when the connection is to end.
const WRITE_TIME: Duration = Duration::from_secs(30);
const LAST_WRITE_TIME: Duration = Duration::from_millis(300);
/// Beginning of the error that stands for an answer which cannot be read.
pub(crate) const UNREADABLE: &str = "the answer cannot be read: ";

/// Faults the transport noticed, for error texts.
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

    fn set_fatal(&self, reason: impl Into<String>) {
        self.lock().fatal.get_or_insert_with(|| reason.into());
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
    /// The server's requests whose answers were not written yet.
    open_requests: Arc<Mutex<HashSet<RequestId>>>,
    /// Cancelled when the connection is to end.
    stop: CancellationToken,
    /// Cancelled when the server did not read a message in time.
    broken: CancellationToken,
}

/// The fields of a message that tell which request it answers.
#[derive(Deserialize)]
struct Envelope {
    id: Option<RequestId>,
    method: Option<IgnoredAny>,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> LineTransport<R, W> {
    /// Creates a transport. With `probe`, an answer to the first request that takes longer counts as "method not found".
    pub(crate) fn new(
        read: R,
        write: W,
        probe: Option<Duration>,
        faults: Arc<LineFaults>,
        progress: ProgressRoutes,
        stop: CancellationToken,
    ) -> Self {
        Self {
            read: BufReader::with_capacity(64 << 10, read),
            line: Vec::new(),
            write: Arc::new(AsyncMutex::new(Some(write))),
            probe: probe.map_or(Probe::Over, Probe::Unsent),
            faults,
            progress,
            open_requests: Arc::default(),
            stop,
            broken: CancellationToken::new(),
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
                self.faults.set_fatal(format!("it sent a message larger than {} MB", MAX_LINE >> 20));
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
        let parsed = serde_json::from_slice::<Value>(text).and_then(|mut value| {
            drop_bad_tools(&mut value);
            serde_json::from_value::<ServerJsonRpcMessage>(value)
        });
        match parsed {
            // The library handles each notification in a task of its own, which loses their order.
            Ok(JsonRpcMessage::Notification(notification))
                if matches!(notification.notification, ServerNotification::ProgressNotification(_)) =>
            {
                if let ServerNotification::ProgressNotification(progress) = notification.notification {
                    self.progress.deliver(progress.params);
                }
                None
            }
            Ok(message) => Some(message),
            Err(error) => {
                self.faults.add_noise(text);
                self.unreadable_answer(text, &error)
            }
        }
    }

    /// Returns an error in place of an answer that cannot be read, so that its request does not wait for it.
    fn unreadable_answer(&self, text: &[u8], error: &serde_json::Error) -> Option<ServerJsonRpcMessage> {
        // Skipped values may be nested to any depth.
        let envelope: Envelope = serde_json::from_slice(text).ok().filter(|_| text.starts_with(b"{"))?;
        let id = envelope.id.filter(|_| envelope.method.is_none())?;
        // An old server may answer the first request with anything.
        if matches!(&self.probe, Probe::Sent { id: first, .. } if *first == id) {
            return None;
        }
        let error = ErrorData::new(ErrorCode::PARSE_ERROR, format!("{UNREADABLE}{error}"), None);
        Some(JsonRpcMessage::error(error, Some(id)))
    }

    /// Counts the server's requests. Returns `None` if there are too many, and whether the message is passed on.
    fn admit(&self, message: &ServerJsonRpcMessage) -> Option<bool> {
        let mut open = self.open_requests.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            JsonRpcMessage::Request(request) => {
                if open.len() >= MAX_OPEN_REQUESTS {
                    let text = format!("it sent {MAX_OPEN_REQUESTS} requests and did not read the answers");
                    self.faults.set_fatal(text);
                    return None;
                }
                // A second request with the id of an open one could not be answered.
                Some(open.insert(request.id.clone()))
            }
            JsonRpcMessage::Notification(notification) => {
                if let ServerNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    open.remove(id);
                }
                Some(true)
            }
            _ => Some(true),
        }
    }
}

/// Writes a message. A server that does not read it in time loses its input: half a message cannot be continued.
async fn write_line<W: AsyncWrite + Unpin>(
    write: Arc<AsyncMutex<Option<W>>>,
    text: Vec<u8>,
    stop: CancellationToken,
    broken: CancellationToken,
    faults: Arc<LineFaults>,
) -> io::Result<()> {
    let stopping = async {
        stop.cancelled().await;
        tokio::time::sleep(LAST_WRITE_TIME).await;
    };
    let mut write = tokio::select! {
        write = write.lock() => write,
        () = broken.cancelled() => return Err(io::ErrorKind::BrokenPipe.into()),
    };
    let pipe = write.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
    let writing = async {
        pipe.write_all(&text).await?;
        pipe.flush().await
    };
    let outcome = tokio::select! {
        outcome = writing => return outcome,
        () = stopping => io::ErrorKind::NotConnected,
        () = tokio::time::sleep(WRITE_TIME) => {
            faults.set_fatal(format!("it did not read a message within {WRITE_TIME:?}"));
            io::ErrorKind::TimedOut
        }
    };
    *write = None;
    broken.cancel();
    Err(outcome.into())
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
        let (write, faults) = (Arc::clone(&self.write), Arc::clone(&self.faults));
        let (stop, broken) = (self.stop.clone(), self.broken.clone());
        let open_requests = Arc::clone(&self.open_requests);
        async move {
            let mut text = serde_json::to_vec(&message)?;
            text.push(b'\n');
            let outcome = write_line(write, text, stop, broken, faults).await;
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(&response.id),
                JsonRpcMessage::Error(error) => error.id.as_ref(),
                _ => None,
            };
            if let Some(id) = answered {
                open_requests.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
            }
            outcome
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let until = match &self.probe {
                Probe::Sent { until, .. } => Some(*until),
                _ => None,
            };
            let broken = self.broken.clone();
            let read = async {
                tokio::select! {
                    read = self.read_line() => read,
                    () = broken.cancelled() => None,
                }
            };
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
            if !self.admit(&message)? {
                continue;
            }
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
        // Closing the server's input asks it to exit. A message that it does not read is given up.
        self.stop.cancel();
        drop(self.write.lock().await.take());
        Ok(())
    }
}
