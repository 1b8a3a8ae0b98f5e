//! Errors in a tool's code, mapped to the author's own files.

mod load_error;
#[cfg(feature = "engine")]
mod load_failure;
#[cfg(feature = "engine")]
mod thrown;

pub use load_error::{LoadError, Location, code_frame};
#[cfg(feature = "engine")]
pub(crate) use load_failure::LoadFailure;
#[cfg(feature = "engine")]
pub(crate) use thrown::{SourceLookup, Thrown};
