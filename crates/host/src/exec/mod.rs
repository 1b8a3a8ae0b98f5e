//! Processes: the one place that starts them and the one that ends them (CONTRACT 3.2).
//!
//! On Unix every process gets a supervisor: a small process between it and this program that adopts whatever the process
//! leaves behind (double forks, new sessions, changed groups). On Windows it gets a job object. Ending a process therefore ends
//! all of it, also when this program itself is killed.
//!
//! [`run`] is for commands with an end; [`spawn`] gives a handle to a process that is talked to.

mod error;
mod process;
mod request;
mod run;
mod script;
mod search;
mod shell;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
#[cfg(any(windows, test))]
mod windows_command_line;
#[cfg(any(windows, test))]
mod windows_lookup;

pub use error::ExecError;
pub use process::{Exit, InputPipe, OutputPipe, Process, ProcessUsage, spawn};
pub use request::{Destination, Request, Stdin};
pub use run::{Chunk, Outcome, Stream, run};
pub use script::interpreter;
pub use search::{PathRule, find_program, guard_programs, program_path};
pub use shell::{Shell, ShellKind, plain_shell, shell, shells};
pub use system::{Detacher, Signaller};
pub use system::{edit_on_terminal, on_own_descriptors, program_file, run_on_terminal};
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;
