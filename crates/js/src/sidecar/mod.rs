//! The sidecar: a module that needs what the embedded engine lacks runs in Bun or Node, as a process of its own. It has
//! the same kernel and is told the same commands; lines of JSON go both ways.

mod message;
mod pipes;
mod runtime;
mod thread;

pub(crate) use runtime::SidecarRuntime;
pub(crate) use thread::run;
