//! The thread that writes frames. The interface never waits for the terminal: while a frame is being written, it draws
//! nothing, keeps its state, and draws the latest state afterwards.

use std::{
    io::{self, Write as _},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tokio::sync::Notify;

/// Time the last frame may take on the way out.
const DRAIN_TIME: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
struct State {
    waiting: Vec<u8>,
    is_writing: bool,
    is_closed: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    written: Notify,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes to the terminal in the background.
#[derive(Clone, Debug)]
pub struct Output {
    shared: Arc<Shared>,
}

impl Output {
    pub(super) fn start() -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        thread::Builder::new().name("terminal output".to_owned()).spawn(move || write_all(&own))?;
        Ok(Self { shared })
    }

    /// Returns whether everything was written, so that a new frame would be shown at once.
    pub fn is_idle(&self) -> bool {
        let state = self.shared.lock();
        !state.is_writing && state.waiting.is_empty()
    }

    /// Hands over bytes to write.
    pub fn submit(&self, bytes: Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let mut state = self.shared.lock();
        match state.waiting.is_empty() {
            true => state.waiting = bytes,
            false => state.waiting.extend_from_slice(&bytes),
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Waits until what was submitted is written. Completes at once if that has happened since the last call.
    pub async fn written(&self) {
        self.shared.written.notified().await;
    }

    /// Waits for the last frame, but not for a terminal that no longer reads.
    pub fn drain(&self) {
        let state = self.shared.lock();
        let is_busy = |state: &mut State| !state.is_closed && (state.is_writing || !state.waiting.is_empty());
        let _ = self.shared.changed.wait_timeout_while(state, DRAIN_TIME, is_busy);
    }
}

fn write_all(shared: &Shared) {
    loop {
        let bytes = {
            let mut state = shared.lock();
            state.is_writing = false;
            shared.changed.notify_all();
            if state.waiting.is_empty() {
                shared.written.notify_one();
            }
            while state.waiting.is_empty() {
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.is_writing = true;
            std::mem::take(&mut state.waiting)
        };
        let mut out = io::stdout().lock();
        if out.write_all(&bytes).and_then(|()| out.flush()).is_err() {
            // The terminal is gone. The reader notices that too; frames are dropped from here on.
            let mut state = shared.lock();
            state.is_closed = true;
            state.waiting.clear();
        }
    }
}
