//! The launcher: takes requests and forks a supervisor for each. It is this program started again, or a fork of it.
//!
//! It is small, so a fork of it takes little time however much memory the program has, and it inherits no descriptors.

#![expect(unsafe_code, reason = "forks and takes descriptors by calls that std does not wrap")]

use std::{ffi::c_int, os::fd::RawFd};

use super::{
    message::{ALWAYS, FAILED, HEADER, MOST, READY, Used, answer},
    raw, supervisor, system,
};

/// Number under which the launcher keeps its socket. Below it are the null device's.
pub(super) const SOCKET: RawFd = 3;

/// Bytes for the descriptors of a message, more than any system needs, aligned as their header.
#[repr(align(16))]
struct Ancillary([u8; 256]);

/// One request: the supervisor's socket, the working directory, standard streams, and the body.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) control: RawFd,
    pub(super) directory: RawFd,
    /// Standard streams; the null device where the request has none.
    pub(super) streams: [RawFd; 3],
    pub(super) body: *mut u8,
    pub(super) length: usize,
}

impl Job {
    pub(super) fn release(&self) {
        for fd in [self.control, self.directory].into_iter().chain(self.streams) {
            if fd > SOCKET {
                raw::close(fd);
            }
        }
        raw::unmap(self.body, self.length);
    }
}

/// Runs until the other end of `socket` is closed.
pub(super) fn run(socket: RawFd) -> ! {
    raw::block_signals();
    // SAFETY: touch no memory. Ended supervisors need no one to wait for them. A session of its own keeps signals
    // to the program's group away, so that supervisors outlive the program and can end what it started. The folder of
    // the program must not stay in use after it.
    unsafe {
        libc::chdir(c"/".as_ptr());
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        libc::setsid();
    }
    let (socket, null) = (raw::copy_above(socket, SOCKET + 1), raw::copy_above(raw::open_null(), SOCKET + 1));
    let placed = (0..SOCKET).all(|stream| raw::replace(null, stream)) && raw::replace(socket, SOCKET);
    if !placed {
        raw::exit(1);
    }
    system::close_from(SOCKET + 1);
    raw::set_close_on_exec(SOCKET);
    raw::send(SOCKET, &[READY]);
    loop {
        let Some(job) = receive() else { raw::exit(0) };
        // SAFETY: the child calls only what is allowed after a fork.
        match unsafe { libc::fork() } {
            0 => supervisor::run(&job),
            -1 => {
                raw::send(job.control, &answer(FAILED, raw::last_error().cast_unsigned(), 0, Used::default()))
            }
            _ => {}
        }
        job.release();
    }
}

/// Takes the next request; `None` when there will be none, or one that cannot be understood.
fn receive() -> Option<Job> {
    raw::wait_readable(SOCKET, None);
    let mut header = [0; HEADER];
    let mut descriptors = [-1; MOST];
    let (count, bytes) = receive_descriptors(&mut header, &mut descriptors)?;
    if !raw::read_all(SOCKET, header.get_mut(bytes..)?) {
        return None;
    }
    let [a, b, c, d, e, f, g, h] = header;
    let (length, wanted) = (u32::from_ne_bytes([a, b, c, d]) as usize, u32::from_ne_bytes([e, f, g, h]));
    let (fixed, given) = descriptors.split_at(ALWAYS);
    let &[control, directory] = fixed else { return None };
    let mut given = given.iter().take(count.checked_sub(ALWAYS)?);
    let mut streams = [0, 1, 2];
    for (place, stream) in streams.iter_mut().enumerate() {
        if wanted & (1 << place) != 0 {
            *stream = *given.next()?;
        }
    }
    let body = raw::map(length);
    if body.is_null() {
        return None;
    }
    // SAFETY: the mapping has this length and nobody else has it.
    let whole = raw::read_all(SOCKET, unsafe { std::slice::from_raw_parts_mut(body, length) });
    whole.then_some(Job { control, directory, streams, body, length })
}

/// Reads the start of a message with its descriptors; how many there were, and how many bytes.
fn receive_descriptors(header: &mut [u8; HEADER], descriptors: &mut [RawFd; MOST]) -> Option<(usize, usize)> {
    let mut ancillary = Ancillary([0; 256]);
    let mut part = libc::iovec { iov_base: header.as_mut_ptr().cast(), iov_len: HEADER };
    // SAFETY: all pointers are to this stack, with their lengths; descriptors are read only where the kernel says that
    // it wrote some.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = ancillary.0.as_mut_ptr().cast();
        message.msg_controllen = ancillary.0.len() as _;
        let bytes = loop {
            match libc::recvmsg(SOCKET, &raw mut message, system::RECEIVE_FLAGS) {
                -1 if raw::last_error() == libc::EINTR => {}
                bytes => break usize::try_from(bytes).ok().filter(|bytes| *bytes > 0)?,
            }
        };
        let first = libc::CMSG_FIRSTHDR(&raw const message);
        if first.is_null() || (*first).cmsg_type != libc::SCM_RIGHTS {
            return None;
        }
        let data = libc::CMSG_DATA(first).cast::<c_int>();
        let offset = data.addr() - first.addr();
        let count = ((*first).cmsg_len as usize).saturating_sub(offset) / size_of::<c_int>();
        for (index, descriptor) in descriptors.iter_mut().enumerate().take(count) {
            *descriptor = data.add(index).read_unaligned();
            raw::set_close_on_exec(*descriptor);
        }
        Some((count.min(MOST), bytes))
    }
}
