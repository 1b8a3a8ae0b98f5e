//! What the system lets this program use. Too little of it is refused at the start, by name: later it would end the program in
//! the midst of something.

use std::{fs::File, io};

use thiserror::Error;

use crate::system::program;

/// Bytes of address space needed beside what the program takes by itself: threads reserve much and use little.
const ADDRESS_SPACE: u64 = 256 << 20;

/// Open files needed: standard streams, the runtime, a session, and a tool with a process.
const OPEN_FILES: u64 = 32;

/// Bytes of stack that the program's first thread needs. Other threads have stacks of their own size.
const STACK: u64 = 1 << 20;

/// A limit of the system that is too low to work under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LimitTooLow {
    /// Address space (`ulimit -v`).
    #[error("the limit on address space is {} MB, and at least {} MB are needed (ulimit -v)", .limit >> 20, .needed >> 20)]
    AddressSpace {
        /// The limit in bytes.
        limit: u64,
        /// The required amount in bytes.
        needed: u64,
    },
    /// Open files (`ulimit -n`).
    #[error("the limit on open files is {limit}, and at least {OPEN_FILES} are needed (ulimit -n)")]
    OpenFiles {
        /// The limit.
        limit: u64,
    },
    /// Stack (`ulimit -s`).
    #[error("the limit on the stack is {} KB, and at least {} KB are needed (ulimit -s)", .limit >> 10, STACK >> 10)]
    Stack {
        /// The limit in bytes.
        limit: u64,
    },
}

/// Checks that there is enough to start with.
///
/// # Errors
/// When a limit is too low.
pub fn check() -> Result<(), LimitTooLow> {
    if let Some(limit) = program::open_files_limit().filter(|limit| *limit < OPEN_FILES) {
        return Err(LimitTooLow::OpenFiles { limit });
    }
    if let Some(limit) = program::stack_limit().filter(|limit| *limit < STACK) {
        return Err(LimitTooLow::Stack { limit });
    }
    let Some((limit, used)) = program::address_space() else { return Ok(()) };
    let needed = used.saturating_add(ADDRESS_SPACE);
    if limit < needed { Err(LimitTooLow::AddressSpace { limit, needed }) } else { Ok(()) }
}

/// Fails if `count` more files cannot be open at once. Libraries that set up signals panic otherwise.
///
/// # Errors
/// Fails with the system's error, such as "Too many open files".
pub fn require_open_files(count: usize) -> io::Result<()> {
    (0..count).map(|_| program::open_nothing()).collect::<io::Result<Vec<File>>>().map(drop)
}
