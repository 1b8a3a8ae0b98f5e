//! Processes: the one place that starts them and the one that ends them (CONTRACT 3.2).
//!
//! Every process gets a supervisor: a small process between it and this program that adopts whatever the process leaves
//! behind (double forks, new sessions, changed groups). Ending a process therefore ends all of it, and when this
//! program itself is killed, the supervisor ends what it held.
//!
//! [`run`] is for commands with an end; [`spawn`] gives a handle to a process that is talked to.

mod error;
mod process;
mod request;
mod run;
mod script;
mod terminal;
#[cfg(unix)]
mod unix;

pub use error::ExecError;
pub use process::{Exit, InputPipe, OutputPipe, Process, ProcessUsage, spawn};
pub use request::{Destination, Request, Stdin};
pub use run::{Chunk, Outcome, Stream, run};
pub use script::interpreter;
pub use system::{Detacher, Signaller};
pub use terminal::run_on_terminal;
#[cfg(unix)]
use unix as system;
