//! Modules: how the engine finds them and what it is given for them.
//!
//! Names of modules inside the engine are absolute paths for files, `toolsmith:…` for what is built in, and
//! `toolsmith:stand-in/N` for a built-in module as one importer wants to see it.

mod common_js;
mod packages;
mod remote;
mod resolve;
mod store;
mod transform;

pub(crate) use resolve::Target;
pub(crate) use store::ModuleStore;
pub(crate) use transform::{Format, original_position};
