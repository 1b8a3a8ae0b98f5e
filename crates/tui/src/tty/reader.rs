//! The thread that reads the terminal. It sleeps until bytes arrive, and wakes up by time only while a sequence is
//! incomplete.

use std::{
    io,
    os::fd::{AsFd as _, OwnedFd},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::ioctl_fionbio,
};
use tokio::sync::mpsc;

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
    /// Wakes the reader.
    wake: OwnedFd,
}

impl InputEvents {
    pub(super) fn start() -> io::Result<Self> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (woken, wake) = io::pipe()?;
        let (woken, wake) = (OwnedFd::from(woken), OwnedFd::from(wake));
        for end in [&woken, &wake] {
            ioctl_fionbio(end, true)?;
        }
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let reading = move || {
            let _ = read_all(&own, &woken, &sender);
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
        // A full pipe wakes the reader too.
        let _ = rustix::io::write(&self.wake, b"w");
    }
}

fn read_all(shared: &Shared, woken: &OwnedFd, sender: &mpsc::UnboundedSender<Input>) -> io::Result<()> {
    let stdin = io::stdin();
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
        let timeout = parser.timeout().and_then(|time| Timespec::try_from(time).ok());
        let mut files =
            [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN), PollFd::new(woken, PollFlags::IN)];
        let ready = match poll(&mut files, timeout.as_ref()) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        if files[1].revents().contains(PollFlags::IN) {
            let _ = rustix::io::read(woken, &mut [0_u8; 64]);
            continue;
        }
        if ready == 0 {
            parser.flush(&mut found);
        } else {
            match rustix::io::read(stdin.as_fd(), &mut bytes[..]) {
                Ok(0) => return Ok(()),
                Ok(count) => parser.push(bytes.get(..count).unwrap_or_default(), &mut found),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        }
        for input in found.drain(..) {
            if sender.send(input).is_err() {
                return Ok(());
            }
        }
    }
}
