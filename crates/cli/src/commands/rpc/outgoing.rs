//! The output queue to the client, and the thread that writes it.
//!
//! Everything is sent after the events that happened before it: a reply to `new_session` after `session_switch`, an
//! approval request after its `tool_execution_start`.
//!
//! A client that does not read must not make the program grow without bound, and must not delay the session either. Up
//! to [`PLENTY`] bytes everything is queued. Above that, updates that a later line supersedes are omitted and counted,
//! and no further request is read. Above [`TOO_MUCH`] the client is considered gone. So it is if it reads nothing for
//! [`UNREAD_TIME`] meanwhile: a client that closed standard input is not noticed while requests before the end are not read.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::Serialize;
use tokio::sync::Notify;
use toolsmith::Session;
use toolsmith_agent::{AgentEvent, Subscription};
use toolsmith_tool::CancelToken;

use super::frame::Frame;

/// Queue size in bytes above which updates are omitted.
pub(super) const PLENTY: usize = 8 << 20;
/// Queue size in bytes above which the client is considered gone.
pub(super) const TOO_MUCH: usize = 64 << 20;
/// Time in which a client has to read something while more than [`PLENTY`] bytes are queued.
const UNREAD_TIME: Duration = Duration::from_secs(30);
/// Bytes of a line that are written at a time: a client that reads a long line slowly is reading.
const CHUNK: usize = 64 << 10;
/// Time allowed for writing the last lines.
const LAST_LINES: Duration = Duration::from_secs(5);

/// The queued lines.
pub(super) struct Outgoing {
    state: Mutex<State>,
    /// Events that were not sent yet. Locked before `state`.
    events: Mutex<Option<Subscription>>,
    /// Wakes the thread: there is something to write.
    more: Condvar,
    /// Wakes all others: something was written.
    written: Notify,
    /// Triggered when the client no longer reads, with the reason.
    gone: CancelToken,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    dropped: u64,
    /// Number of writes that the client took.
    writes: u64,
    /// A line was taken but is not written yet.
    is_writing: bool,
}

/// Priority of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Light,
    Full,
}

impl Outgoing {
    /// Writes to `target` on its own thread, because a full pipe blocks.
    pub(super) fn start(target: impl Write + Send + 'static) -> io::Result<Arc<Self>> {
        let outgoing = Arc::new(Self {
            state: Mutex::default(),
            events: Mutex::default(),
            more: Condvar::new(),
            written: Notify::new(),
            gone: CancelToken::new(),
        });
        let own = Arc::clone(&outgoing);
        std::thread::Builder::new().name("rpc-out".to_owned()).spawn(move || own.write_all(target))?;
        Ok(outgoing)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the token triggered when the client no longer reads.
    pub(super) fn gone(&self) -> &CancelToken {
        &self.gone
    }

    /// Sends a line.
    pub(super) fn send(&self, frame: &Frame) {
        self.after_events(|| self.push(frame, Weight::Full));
    }

    /// Sends a line that may be omitted.
    pub(super) fn send_light(&self, frame: &Frame) {
        self.after_events(|| self.push(frame, Weight::Light));
    }

    /// Sends an event that does not come from the session.
    pub(super) fn send_event(&self, event: &AgentEvent) {
        self.after_events(|| self.push_event(event));
    }

    /// Sends the events of a session from now on, until the future is dropped and [`Outgoing::send_events`] was called.
    pub(super) fn follow(self: &Arc<Self>, session: &Session) -> impl Future<Output = ()> + use<> {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.subscribe());
        // One to wait on, and one that every sender can read.
        let mut bell = session.subscribe();
        let own = Arc::clone(self);
        async move {
            while bell.next().await.is_some() {
                own.send_events();
            }
        }
    }

    /// Sends the events that happened so far.
    pub(super) fn send_events(&self) {
        self.after_events(|| ());
    }

    fn after_events(&self, then: impl FnOnce()) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(events) = events.as_mut() {
            while let Some(event) = events.try_next() {
                self.push_event(&event);
            }
        }
        then();
    }

    /// Events that a later one supersedes may be omitted.
    fn push_event(&self, event: &AgentEvent) {
        let is_light =
            matches!(event, AgentEvent::MessageUpdate { .. } | AgentEvent::ToolExecutionUpdate { .. });
        self.push(event, if is_light { Weight::Light } else { Weight::Full });
    }

    fn push(&self, frame: &impl Serialize, weight: Weight) {
        if self.gone.is_cancelled() {
            return;
        }
        {
            let mut state = self.lock();
            if weight == Weight::Light && state.bytes > PLENTY {
                state.dropped += 1;
                return;
            }
        }
        let line = match line(frame) {
            Ok(line) => line,
            Err(error) => return tracing::error!(%error, "A line to the client could not be serialised"),
        };
        let mut state = self.lock();
        if state.bytes > TOO_MUCH {
            drop(state);
            return self.give_up("the client does not read its input");
        }
        state.add(line);
        self.more.notify_one();
    }

    fn give_up(&self, reason: &str) {
        self.gone.cancel(reason);
        let mut state = self.lock();
        state.lines.clear();
        state.bytes = 0;
        self.more.notify_one();
        drop(state);
        self.written.notify_waiters();
    }

    fn write_all(&self, mut target: impl Write) {
        loop {
            let mut state = self.lock();
            while state.lines.is_empty() && !self.gone.is_cancelled() {
                state = self.more.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let Some(line) = state.lines.pop_front() else { return };
            let is_last = state.lines.is_empty();
            state.is_writing = true;
            drop(state);
            let outcome = self
                .write_line(&mut target, &line)
                .and_then(|()| if is_last { target.flush() } else { Ok(()) });
            let mut state = self.lock();
            state.is_writing = false;
            state.bytes = state.bytes.saturating_sub(line.len());
            state.tell_dropped();
            drop(state);
            self.written.notify_waiters();
            if let Err(error) = outcome {
                return self.give_up(&format!("the client is gone: {error}"));
            }
        }
    }

    fn write_line(&self, target: &mut impl Write, line: &[u8]) -> io::Result<()> {
        for chunk in line.chunks(CHUNK) {
            target.write_all(chunk)?;
            self.lock().writes += 1;
            self.written.notify_waiters();
        }
        Ok(())
    }

    /// Waits while the queue is longer than a reading client would leave it. A client that reads nothing meanwhile is
    /// considered gone.
    pub(super) async fn room(&self) {
        self.room_within(UNREAD_TIME).await;
    }

    async fn room_within(&self, unread: Duration) {
        loop {
            let writes = self.lock().writes;
            let progress = self.until(|state| state.bytes <= PLENTY || state.writes != writes);
            if tokio::time::timeout(unread, progress).await.is_err() {
                let seconds = unread.as_secs();
                return self.give_up(&format!("the client has read nothing for {seconds} seconds"));
            }
            if self.gone.is_cancelled() || self.lock().bytes <= PLENTY {
                return;
            }
        }
    }

    /// Waits until everything is written, for a limited time.
    pub(super) async fn finish(&self) {
        let all = self.until(|state| state.lines.is_empty() && !state.is_writing);
        let _ = tokio::time::timeout(LAST_LINES, all).await;
    }

    async fn until(&self, wanted: impl Fn(&State) -> bool) {
        loop {
            // Created before checking, so that nothing in between is missed.
            let written = self.written.notified();
            if self.gone.is_cancelled() || wanted(&self.lock()) {
                return;
            }
            written.await;
        }
    }
}

impl State {
    /// Reports omitted lines once there is room again.
    fn tell_dropped(&mut self) {
        if self.dropped > 0 && self.bytes <= PLENTY {
            let count = std::mem::take(&mut self.dropped);
            if let Ok(line) = line(&Frame::EventsDropped { count }) {
                self.add(line);
            }
        }
    }

    fn add(&mut self, line: Vec<u8>) {
        self.bytes += line.len();
        self.lines.push_back(line);
    }
}

/// Serialises to one line. JSON text contains no line ends.
fn line(frame: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(frame)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
#[path = "outgoing_tests.rs"]
mod tests;
