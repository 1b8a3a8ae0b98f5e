//! Module resolution and loading for the engine.
//!
//! Module names inside the engine are absolute paths for files, `toolsmith:…` for built-in modules, and
//! `toolsmith:stand-in/N` for a proxy of a built-in module with additional names.

mod common_js;
mod enum_values;
mod named_files;
mod nesting;
mod packages;
mod remote;
mod resolve;
mod script;
mod store;
mod transform;
mod workspace;

pub(crate) use named_files::{later_files, named_files};
pub(crate) use resolve::Target;
pub(crate) use store::ModuleStore;
pub(crate) use transform::{Format, original_position};
