//! Processes on Unix. A *launcher*, started once, forks a *supervisor* for each program, which starts the program and holds
//! everything it starts in turn.
//!
//! | file | runs in | subject |
//! |---|---|---|
//! | `start.rs` | this program | pipes, the request, and the end of the supervisor's socket |
//! | `detached.rs` | this program | programs that may outlive it |
//! | `launcher.rs` | this program | starting the launcher and talking to it |
//! | `message.rs` | all | the messages between them |
//! | `launcher_loop.rs` | the launcher | taking requests, forking supervisors |
//! | `supervisor.rs` | the supervisor | starting the program, waiting for it, killing its descendants |
//! | `terminal.rs` | this program | programs on the terminal |
//! | `raw.rs` | launcher and supervisor | system calls without allocation |
//! | `lineage.rs` | the supervisor | the list of descendants that macOS needs |
//! | `linux.rs`, `macos.rs` | all | descendants and what else differs between the systems |
//!
//! Launcher and supervisor allocate nothing and take no lock, because they may run in a fork of a program with threads.
//!
//! Alternatives that were rejected: killing the process group (a `setsid` escapes); making this program itself the
//! subreaper (it would inherit, and have to reap, orphans of everything else in it); a marker in the environment
//! (lost by `env -i`); forking each supervisor off this program (a fork costs in proportion to this program's memory);
//! executing one for each program (the start of a second program costs as much as the first).

mod detached;
mod launcher;
mod launcher_loop;
// Its tests run everywhere.
#[cfg(any(target_os = "macos", test))]
mod lineage;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod message;
mod raw;
mod signaller;
mod start;
mod supervisor;
mod terminal;

pub use detached::Detacher;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;
pub use signaller::Signaller;
pub(super) use start::{Control, Input, Output, start};
pub(super) use terminal::{DEFAULT_PATH, has_folder, named, plain_shell, script_interpreter, shells};
pub use terminal::{edit_on_terminal, on_own_descriptors, program_file, run_on_terminal};
