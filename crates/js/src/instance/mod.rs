//! An instance: one runtime on one thread, and the handle to it.

mod byte_streams;
mod command;
mod component;
mod cpu_shares;
mod frames;
#[expect(clippy::module_inception, reason = "the file is named after its type")]
mod instance;
mod kernel;
mod operations;
mod pending;
mod plain_data;
mod spin;
mod state;
mod thread;
mod timers;

pub(crate) use command::{Answer, CallFailure, CallKind, Command, Drawn, LoadReply};
pub(crate) use component::{JsComponent, answer};
pub(crate) use frames::Frames;
pub(crate) use instance::{Instance, InstanceOptions, Runner, StartedLoad};
pub(crate) use operations::{HostError, Settled, Work, unless_cancelled};
pub(crate) use pending::PendingCallback;
pub(crate) use plain_data::{FromEngine, from_engine, text_from_engine};
pub(crate) use state::{SharedState, ThreadState};
