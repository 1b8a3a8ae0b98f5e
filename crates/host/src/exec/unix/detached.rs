//! Programs that may outlive this one. They do if this program exits, or drops their handle. If it is killed they end with
//! it, like every other program it started: nobody is left to answer for them.

#![expect(unsafe_code, reason = "std has no function that is called at exit")]

use std::{
    collections::BTreeSet,
    os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd},
    sync::{Arc, Mutex, MutexGuard, Once, PoisonError},
};

use super::{message::RELEASED, system};

/// Sockets to the supervisors of these programs.
static RUNNING: Mutex<BTreeSet<RawFd>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<RawFd>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets a program outlive its handle, and this program if that exits, from any thread and at once.
#[derive(Clone, Debug)]
pub struct Detacher(Arc<Mutex<Connection>>);

#[derive(Debug)]
enum Connection {
    /// The program ends with its handle.
    Held(RawFd),
    Detached {
        _registered: Detached,
    },
    Closed,
}

impl Detacher {
    pub(super) fn new(socket: impl AsFd) -> Self {
        Self(Arc::new(Mutex::new(Connection::Held(socket.as_fd().as_raw_fd()))))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Detaches the program. Nothing happens if its handle is gone.
    pub fn detach(&self) {
        let mut connection = self.connection();
        if let Connection::Held(socket) = *connection {
            *connection = Connection::Detached { _registered: Detached::new(socket) };
        }
    }

    /// Called before the socket is closed.
    pub(super) fn close(&self) {
        *self.connection() = Connection::Closed;
    }
}

/// A program that may outlive this one. Dropped before its socket is closed.
#[derive(Debug)]
struct Detached(RawFd);

impl Detached {
    /// Registers the program at the other end of a socket.
    fn new(socket: RawFd) -> Self {
        static AT_EXIT: Once = Once::new();
        AT_EXIT.call_once(|| {
            // SAFETY: the function is in this program, which is there until it has exited.
            let _ = unsafe { libc::atexit(release_all) };
        });
        running().insert(socket);
        Self(socket)
    }
}

impl Drop for Detached {
    fn drop(&mut self) {
        // Without the lock another thread's exit could send to a socket of the same number.
        let mut running = running();
        running.remove(&self.0);
        release(self.0);
    }
}

/// Called at exit, also by `std::process::exit`, which drops nothing.
extern "C" fn release_all() {
    running().iter().for_each(|socket| release(*socket));
}

/// Tells a supervisor that a closed socket means nothing.
fn release(socket: RawFd) {
    // SAFETY: sockets are open while they are registered, which the lock keeps as it is.
    let socket = unsafe { BorrowedFd::borrow_raw(socket) };
    // Fails if the supervisor has ended, and the program with it.
    let _ = rustix::net::send(socket, &[RELEASED], system::SEND_FLAGS);
}
