//! What all connections of a server share.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use rmcp::model::RequestStateCodec;
use tokio::sync::{OnceCell, broadcast};

use super::{
    parked::ParkedCalls,
    pending::Handles,
    served::{ServedSession, ServedTools},
};

/// Options of serving.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ServeOptions {
    /// Ask the person, through the client, before an action is applied.
    pub confirm: bool,
}

impl ServeOptions {
    /// Sets whether the person is asked before an action is applied.
    #[must_use]
    pub fn confirm(mut self, confirm: bool) -> Self {
        self.confirm = confirm;
        self
    }
}

/// Notifies connections of changes. Clones are the same.
#[derive(Clone, Debug)]
pub struct ServeEvents {
    pub(super) sender: broadcast::Sender<ServeEvent>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServeEvent {
    Tools,
}

impl Default for ServeEvents {
    fn default() -> Self {
        Self { sender: broadcast::channel(16).0 }
    }
}

impl ServeEvents {
    /// Notifies clients that the tools changed.
    pub fn tools_changed(&self) {
        // It fails when nobody is connected.
        let _ = self.sender.send(ServeEvent::Tools);
    }
}

/// The shared state.
pub(super) struct Shared {
    pub(super) tools: Arc<dyn ServedTools>,
    pub(super) options: ServeOptions,
    pub(super) events: ServeEvents,
    pub(super) parked: ParkedCalls,
    pub(super) codec: RequestStateCodec,
    /// The session of requests that belong to no connection.
    stateless: OnceCell<Arc<dyn ServedSession>>,
    pub(super) handles: Mutex<Handles>,
    last_call: AtomicU64,
}

impl Shared {
    pub(super) fn new(tools: Arc<dyn ServedTools>, options: ServeOptions, events: ServeEvents) -> Arc<Self> {
        let codec = RequestStateCodec::new_unchecked(random_bytes::<32>().to_vec());
        Arc::new(Self {
            tools,
            options,
            events,
            parked: ParkedCalls::default(),
            codec,
            stateless: OnceCell::new(),
            handles: Mutex::default(),
            last_call: AtomicU64::new(0),
        })
    }

    /// Returns an id for a call.
    pub(super) fn next_call(&self) -> String {
        format!("mcp-{}", self.last_call.fetch_add(1, Ordering::SeqCst) + 1)
    }

    pub(super) async fn stateless(&self) -> Arc<dyn ServedSession> {
        Arc::clone(self.stateless.get_or_init(|| self.tools.open()).await)
    }

    pub(super) fn handles(&self) -> std::sync::MutexGuard<'_, Handles> {
        self.handles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what no connection ends.
    pub(super) async fn end(&self) {
        self.parked.cancel_all();
        if let Some(session) = self.stateless.get() {
            session.end().await;
        }
    }
}

/// Returns random bytes from the system. If it has none, no secret can be made, and an unguessable value is impossible.
pub(super) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    #[expect(
        clippy::expect_used,
        reason = "every supported system has random bytes, and guessable handles are worse"
    )]
    getrandom::fill(&mut bytes).expect("the system has random bytes");
    bytes
}

/// Returns 128 random bits as hexadecimal digits.
pub(super) fn random_handle() -> String {
    random_bytes::<16>().iter().map(|byte| format!("{byte:02x}")).collect()
}
