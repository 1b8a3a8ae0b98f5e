//! The sidecar: a module that needs what the embedded engine lacks runs in Bun or Node, in its own process. It has the
//! same kernel and receives the same commands, as JSON lines.

mod message;
mod pipes;
mod runtime;
mod thread;

pub(crate) use runtime::SidecarRuntime;
pub(crate) use thread::run;
