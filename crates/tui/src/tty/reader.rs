//! The thread that reads the terminal. It sleeps until bytes arrive, and wakes up by time only while a sequence is
//! incomplete.

use std::{
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tokio::sync::mpsc;

use super::system::{Ready, Waiting, Wake, waiting};
use crate::input::{Input, Parser};

/// Bytes read at once.
const CHUNK: usize = 64 << 10;
/// Time the reader may take to stop reading.
const PAUSE_TIME: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wanted {
    #[default]
    Read,
    Pause,
    Stop,
}

#[derive(Debug, Default)]
struct State {
    wanted: Wanted,
    is_paused: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The input of a terminal as a stream.
#[derive(Debug)]
pub struct InputEvents {
    receiver: mpsc::UnboundedReceiver<Input>,
    shared: Arc<Shared>,
    wake: Wake,
}

impl InputEvents {
    pub(super) fn start() -> io::Result<Self> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (waiting, wake) = waiting()?;
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let reading = move || {
            let _ = read_all(&own, waiting, &sender);
            // The interface ends; there may be nobody to tell.
            let _ = sender.send(Input::Closed);
        };
        thread::Builder::new().name("terminal input".to_owned()).spawn(reading)?;
        Ok(Self { receiver, shared, wake })
    }

    /// Waits for the next item.
    pub async fn next(&mut self) -> Input {
        self.receiver.recv().await.unwrap_or(Input::Closed)
    }

    /// Returns the next item, if there is one already.
    pub fn try_next(&mut self) -> Option<Input> {
        self.receiver.try_recv().ok()
    }

    /// Stops reading until [`InputEvents::resume`], so that another program can.
    pub(super) fn pause(&self) {
        self.want(Wanted::Pause);
        let state = self.shared.lock();
        let _ = self.shared.changed.wait_timeout_while(state, PAUSE_TIME, |state| !state.is_paused);
    }

    pub(super) fn resume(&self) {
        self.want(Wanted::Read);
    }

    pub(super) fn stop(&self) {
        self.want(Wanted::Stop);
    }

    fn want(&self, wanted: Wanted) {
        self.shared.lock().wanted = wanted;
        self.shared.changed.notify_all();
        self.wake.wake();
    }
}

fn read_all(shared: &Shared, mut waiting: Waiting, sender: &mpsc::UnboundedSender<Input>) -> io::Result<()> {
    let mut parser = Parser::default();
    let mut bytes = vec![0; CHUNK];
    let mut found = Vec::new();
    loop {
        {
            let mut state = shared.lock();
            while state.wanted == Wanted::Pause {
                state.is_paused = true;
                shared.changed.notify_all();
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.is_paused = false;
            if state.wanted == Wanted::Stop {
                return Ok(());
            }
        }
        match waiting.read(&mut bytes, parser.timeout())? {
            Ready::Bytes(count) => parser.push(bytes.get(..count).unwrap_or_default(), &mut found),
            Ready::Timeout => parser.flush(&mut found),
            Ready::Again => {}
            Ready::Closed => return Ok(()),
        }
        for input in found.drain(..) {
            if sender.send(input).is_err() {
                return Ok(());
            }
        }
    }
}
