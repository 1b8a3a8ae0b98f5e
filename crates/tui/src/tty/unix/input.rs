//! Waiting for bytes of the terminal.

use std::{
    io,
    os::fd::{AsFd as _, OwnedFd},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::ioctl_fionbio,
};

/// Reason why the reader woke up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Ready {
    /// Bytes were read: this many.
    Bytes(usize),
    /// The terminal is gone.
    Closed,
    /// The time is over.
    Timeout,
    /// It was woken, or has to look again.
    Again,
}

/// Wakes the reader.
#[derive(Debug)]
pub(in super::super) struct Wake(OwnedFd);

impl Wake {
    pub(in super::super) fn wake(&self) {
        // A full pipe wakes the reader too.
        let _ = rustix::io::write(&self.0, b"w");
    }
}

/// The reader's side.
#[derive(Debug)]
pub(in super::super) struct Waiting(OwnedFd);

/// Creates both sides.
pub(in super::super) fn waiting() -> io::Result<(Waiting, Wake)> {
    let (woken, wake) = io::pipe()?;
    let (woken, wake) = (OwnedFd::from(woken), OwnedFd::from(wake));
    for end in [&woken, &wake] {
        ioctl_fionbio(end, true)?;
    }
    Ok((Waiting(woken), Wake(wake)))
}

impl Waiting {
    /// Waits for bytes, at most for `timeout`, and reads them.
    pub(in super::super) fn read(
        &mut self,
        bytes: &mut [u8],
        timeout: Option<Duration>,
    ) -> io::Result<Ready> {
        let stdin = io::stdin();
        let timeout = timeout.and_then(|time| Timespec::try_from(time).ok());
        let mut files =
            [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN), PollFd::new(&self.0, PollFlags::IN)];
        let ready = match poll(&mut files, timeout.as_ref()) {
            Err(rustix::io::Errno::INTR) => return Ok(Ready::Again),
            other => other?,
        };
        if files[1].revents().contains(PollFlags::IN) {
            let _ = rustix::io::read(&self.0, &mut [0_u8; 64]);
            return Ok(Ready::Again);
        }
        if ready == 0 {
            return Ok(Ready::Timeout);
        }
        match rustix::io::read(stdin.as_fd(), bytes) {
            Ok(0) => Ok(Ready::Closed),
            Ok(count) => Ok(Ready::Bytes(count)),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Ok(Ready::Again),
            Err(error) => Err(error.into()),
        }
    }
}
