//! Noticing that nobody reads standard output any more, without writing to it.

use std::{io, os::fd::AsFd as _, thread};

use rustix::event::{PollFd, PollFlags, poll};
use tokio::sync::oneshot;

/// Waits until the reader of standard output is gone, as `head` is after its last line. Never ends where that cannot happen
/// or be seen: for files, and where no thread can be started.
pub async fn output_closed() {
    let (sender, receiver) = oneshot::channel();
    // The thread has nothing to clean up and ends with the program.
    let started = thread::Builder::new().name("output".to_owned()).spawn(move || {
        if wait().is_ok() {
            let _ = sender.send(());
        }
    });
    if started.is_err() || receiver.await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn wait() -> io::Result<()> {
    let output = io::stdout();
    loop {
        // Asked for nothing: errors and hang-ups are told anyway.
        let mut watched = [PollFd::from_borrowed_fd(output.as_fd(), PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let [watched] = watched;
        let events = watched.revents();
        if events.contains(PollFlags::NVAL) {
            return Err(io::ErrorKind::NotConnected.into());
        }
        if events.intersects(PollFlags::ERR | PollFlags::HUP) {
            return Ok(());
        }
    }
}
