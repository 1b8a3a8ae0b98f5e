//! The messages between this program, its launcher and the supervisors.
//!
//! A request is a [`HEADER`] sent along with descriptors, then a body: the limits, the two counts, and the strings, each
//! ended by a NUL byte. A supervisor answers on a socket of its own, with [`ANSWER`] bytes each time.

use std::{ffi::OsStr, io, os::unix::ffi::OsStrExt};

/// Bytes of a header: the length of the body, and which standard streams come with it.
pub(super) const HEADER: usize = 8;
/// Bytes of an answer: its kind, two numbers, and what was used.
pub(super) const ANSWER: usize = 25;
/// Descriptors that come with every request: the supervisor's socket and the working directory.
pub(super) const ALWAYS: usize = 2;
/// Most descriptors of a request: those and three standard streams.
pub(super) const MOST: usize = ALWAYS + 3;
/// Longest body. The kernel takes less; without a limit the length would not fit its field.
const LONGEST: usize = 64 << 20;

/// The launcher's only answer: it is ready.
pub(super) const READY: u8 = b'L';

/// To the supervisor: the program was asked to exit. From then on the supervisor waits for all its descendants.
pub(super) const ENDING: u8 = b'E';
/// To the supervisor: the program outlives its handle or this program, so a closed socket means nothing.
pub(super) const RELEASED: u8 = b'R';
/// To the supervisor: kill everything, released or not.
pub(super) const KILL: u8 = b'K';

/// From the supervisor: the program runs; its process id, and the supervisor's.
pub(super) const STARTED: u8 = b'P';
/// From the supervisor: the program was not started; the error number.
pub(super) const FAILED: u8 = b'F';
/// From the supervisor: everything it waited for has ended; the status of the program.
pub(super) const EXITED: u8 = b'X';

/// Number of resource limits, each of which has a number below it.
#[cfg(target_os = "linux")]
pub(super) const LIMITS: u8 = 16;
#[cfg(target_os = "macos")]
pub(super) const LIMITS: u8 = 9;

/// Bytes before the strings: the limits and two counts.
pub(super) const BEFORE_STRINGS: usize = LIMITS as usize * 16 + 8;

/// Use of processes that ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Used {
    /// CPU time in microseconds, summed.
    pub(super) cpu_us: u64,
    /// Peak memory in bytes of the largest process.
    pub(super) memory: u64,
}

/// Encodes an answer.
pub(super) fn answer(kind: u8, first: u32, second: u32, used: Used) -> [u8; ANSWER] {
    let mut answer = [kind; ANSWER];
    let (first, second) = (first.to_ne_bytes(), second.to_ne_bytes());
    let (cpu, memory) = (used.cpu_us.to_ne_bytes(), used.memory.to_ne_bytes());
    let bytes = first.into_iter().chain(second).chain(cpu).chain(memory);
    for (place, byte) in answer.iter_mut().skip(1).zip(bytes) {
        *place = byte;
    }
    answer
}

/// Decodes an answer.
pub(super) fn read_answer(answer: [u8; ANSWER]) -> (u8, u32, u32, Used) {
    let [kind, a, b, c, d, e, f, g, h, used @ ..] = answer;
    let [a2, b2, c2, d2, e2, f2, g2, h2, memory @ ..] = used;
    let cpu_us = u64::from_ne_bytes([a2, b2, c2, d2, e2, f2, g2, h2]);
    let used = Used { cpu_us, memory: u64::from_ne_bytes(memory) };
    (kind, u32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes([e, f, g, h]), used)
}

/// A request being written.
#[derive(Debug)]
pub(super) struct Body(Vec<u8>);

impl Body {
    /// Begins with the limits of this program, which the launcher may have been started without.
    pub(super) fn new(limits: &[(u64, u64)], strings: (usize, usize)) -> io::Result<Self> {
        let mut body = Vec::with_capacity(4096);
        for (soft, hard) in limits {
            body.extend(soft.to_ne_bytes());
            body.extend(hard.to_ne_bytes());
        }
        for count in [strings.0, strings.1] {
            body.extend(u32::try_from(count).map_err(|_| too_long())?.to_ne_bytes());
        }
        Ok(Self(body))
    }

    /// Adds a string of one or more parts. Strings contain no NUL byte: requests are checked first.
    pub(super) fn push(&mut self, parts: &[&OsStr]) {
        for part in parts {
            self.0.extend_from_slice(part.as_bytes());
        }
        self.0.push(0);
    }

    /// Returns header and body.
    pub(super) fn finish(self, streams: u32) -> io::Result<([u8; HEADER], Vec<u8>)> {
        let length = u32::try_from(self.0.len()).ok().filter(|length| *length as usize <= LONGEST);
        let ([a, b, c, d], [e, f, g, h]) =
            (length.ok_or_else(too_long)?.to_ne_bytes(), streams.to_ne_bytes());
        Ok(([a, b, c, d, e, f, g, h], self.0))
    }
}

fn too_long() -> io::Error {
    io::Error::from_raw_os_error(libc::E2BIG)
}
