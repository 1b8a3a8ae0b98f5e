//! Errors in a tool's code, mapped to the author's own files.

mod code_frame;
mod load_error;
mod thrown;

pub use code_frame::code_frame;
pub(crate) use load_error::LoadFailure;
pub use load_error::{LoadError, Location};
pub(crate) use thrown::{SourceLookup, Thrown};
