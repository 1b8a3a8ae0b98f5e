//! Processes on Windows. Each program is created suspended, put into a *job object* of its own, and then started: whatever it
//! starts in turn is in the job too and cannot leave it. The job is killed as a whole, also by the system when this program
//! dies, because the last handle to the job closes with it.
//!
//! | file | subject |
//! |---|---|
//! | `start.rs` | finding the program, its pipes, environment and command line, and creating the process |
//! | `job.rs` | the job object: its processes, their use, killing and releasing them |
//! | `control.rs` | this program's end: waiting, asking to exit, signals, detaching |
//! | `console_stop.rs` | asking console programs to exit, by this program executed again |
//! | `terminal.rs` | programs on the terminal |
//!
//! A program gets a hidden console of its own, so that it can neither write to the terminal past the host's filter nor read what
//! is typed (CONTRACT 9.1).

mod console_stop;
mod control;
mod job;
mod start;
mod terminal;

pub(super) use control::Control;
pub use control::{Detacher, Signaller};
pub(super) use start::{Input, Output, start};
pub(super) use terminal::{DEFAULT_PATH, has_folder, named, plain_shell, script_interpreter, shells};
pub use terminal::{edit_on_terminal, on_own_descriptors, program_file, run_on_terminal};
