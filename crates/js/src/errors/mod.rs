//! Errors in a tool's code, mapped to the author's own files.

mod code_frame;
mod load_error;
#[cfg(feature = "engine")]
mod load_failure;
#[cfg(feature = "engine")]
mod thrown;

pub use code_frame::code_frame;
pub use load_error::{LoadError, Location};
#[cfg(feature = "engine")]
pub(crate) use load_failure::LoadFailure;
#[cfg(feature = "engine")]
pub(crate) use thrown::{SourceLookup, Thrown};
