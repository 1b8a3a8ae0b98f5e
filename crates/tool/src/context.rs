//! The context of a call: handles for cancellation, updates, pending actions, UI and session.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    approval::Approval,
    cancel::CancelToken,
    file_change::FileWatch,
    meter::Meter,
    pending::PendingHandle,
    places::Places,
    recording::CallTape,
    result::ToolResult,
    session_view::{AgentView, DetachedAgent, EmptySession, SessionView},
    ui::UiHandle,
    wrapped_call::WrappedCall,
};

/// The context of one call (CONTRACT 4.4). Cheap to clone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolContext {
    /// Triggered when the call should stop.
    pub cancel: CancelToken,
    /// Receives partial results.
    pub updates: UpdateSink,
    /// Receives actions to be applied later (CONTRACT 8.1).
    pub pending: PendingHandle,
    /// The approval of the call (CONTRACT 5.8); `None` if it did not pass an approval step.
    pub approved: Option<Approval>,
    /// Where the paths of the call lead, as its gates saw it. Paths that no gate saw are not in it.
    pub places: Places,
    /// The call of a built-in tool that this call was approved as; `None` for tools that wrap none.
    pub wrapped: Option<WrappedCall>,
    /// Hears of files before the call changes them; `None` when nobody wants to know.
    pub files: Option<Arc<dyn FileWatch>>,
    /// Counts what the call uses.
    pub meter: Meter,
    /// Records what the call asks of its surroundings, or plays the answers back.
    pub tape: Option<CallTape>,
    /// The user interface.
    pub ui: UiHandle,
    /// The session, read-only.
    pub session: Arc<dyn SessionView>,
    /// The agent's state and its abort.
    pub agent: Arc<dyn AgentView>,
    /// The extension event whose handler this is; `None` for calls of tools and commands.
    pub event: Option<Arc<str>>,
}

impl ToolContext {
    /// Creates a context without listener, pending store, UI and session.
    pub fn detached() -> Self {
        Self {
            cancel: CancelToken::new(),
            updates: UpdateSink::ignore(),
            pending: PendingHandle::unavailable(),
            approved: None,
            places: Places::default(),
            wrapped: None,
            files: None,
            meter: Meter::default(),
            tape: None,
            ui: UiHandle::headless(),
            session: Arc::new(EmptySession),
            agent: Arc::new(DetachedAgent),
            event: None,
        }
    }

    /// Replaces the cancel token.
    #[must_use]
    pub fn with_cancel(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Replaces the listener for partial results.
    #[must_use]
    pub fn with_updates(mut self, updates: UpdateSink) -> Self {
        self.updates = updates;
        self
    }

    /// Replaces the store for pending actions.
    #[must_use]
    pub fn with_pending(mut self, pending: PendingHandle) -> Self {
        self.pending = pending;
        self
    }

    /// Says what the call was approved for.
    #[must_use]
    pub fn with_approved(mut self, approved: Approval) -> Self {
        self.approved = Some(approved);
        self
    }

    /// Replaces the places of the call's paths.
    #[must_use]
    pub fn with_places(mut self, places: Places) -> Self {
        self.places = places;
        self
    }

    /// Lets somebody hear of files before they are changed.
    #[must_use]
    pub fn with_files(mut self, files: Arc<dyn FileWatch>) -> Self {
        self.files = Some(files);
        self
    }

    /// Records the call, or plays its recording back.
    #[must_use]
    pub fn with_tape(mut self, tape: CallTape) -> Self {
        self.tape = Some(tape);
        self
    }

    /// Replaces the meter.
    #[must_use]
    pub fn with_meter(mut self, meter: Meter) -> Self {
        self.meter = meter;
        self
    }

    /// Replaces the UI.
    #[must_use]
    pub fn with_ui(mut self, ui: UiHandle) -> Self {
        self.ui = ui;
        self
    }

    /// Replaces the view of the session.
    #[must_use]
    pub fn with_session(mut self, session: Arc<dyn SessionView>) -> Self {
        self.session = session;
        self
    }

    /// Names the extension event that is handled.
    #[must_use]
    pub fn with_event(mut self, event: &str) -> Self {
        self.event = Some(Arc::from(event));
        self
    }

    /// Replaces the view of the agent.
    #[must_use]
    pub fn with_agent(mut self, agent: Arc<dyn AgentView>) -> Self {
        self.agent = agent;
        self
    }
}

type Listener = Box<dyn FnMut(ToolResult) + Send>;
type Room = Arc<dyn Fn() -> bool + Send + Sync>;

/// Receives partial results in order until it is closed (CONTRACT 4.3). Clones are the same sink.
#[derive(Clone)]
pub struct UpdateSink {
    listener: Arc<Mutex<Option<Listener>>>,
    room: Option<Room>,
}

impl UpdateSink {
    /// Passes each update to `listener`, one at a time. The listener must not block.
    pub fn new(listener: impl FnMut(ToolResult) + Send + 'static) -> Self {
        Self { listener: Arc::new(Mutex::new(Some(Box::new(listener)))), room: None }
    }

    /// Sets the test whether the listener has room for more. Senders of many updates wait for it.
    #[must_use]
    pub fn with_room(mut self, has_room: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.room = Some(Arc::new(has_room));
        self
    }

    /// Returns whether the listener has room for more.
    pub fn has_room(&self) -> bool {
        self.room.as_ref().is_none_or(|has_room| has_room())
    }

    /// Creates a sink without a listener.
    pub fn ignore() -> Self {
        Self { listener: Arc::new(Mutex::new(None)), room: None }
    }

    /// Sends a partial result. Does nothing once the sink is closed.
    pub fn send(&self, partial: ToolResult) {
        let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listener) = listener.as_mut() {
            listener(partial);
        }
    }

    /// Closes the sink: nothing is delivered after the final result.
    pub fn close(&self) {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl fmt::Debug for UpdateSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateSink").finish_non_exhaustive()
    }
}
