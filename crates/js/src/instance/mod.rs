//! An instance: one runtime on one thread, and the handle to it.

mod byte_streams;
mod command;
mod frames;
mod handle;
mod kernel;
mod operations;
mod pending;
mod spin;
mod state;
mod thread;
mod timers;
mod view;

pub(crate) use command::{CallFailure, CallKind, Command, Drawn, LoadReply};
pub(crate) use handle::{Instance, InstanceOptions, Runner, StartedLoad};
pub(crate) use operations::{HostError, Settled, Work, unless_cancelled};
pub(crate) use pending::PendingCallback;
pub(crate) use state::{SharedState, ThreadState};
pub(crate) use view::CustomComponent;
