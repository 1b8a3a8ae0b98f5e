//! Compiled code of modules, kept between runs: transforming and compiling a module with large imports takes longer than
//! anything else about loading it.
//!
//! The engine trusts the code it is given, so a file is used only if the user's key sealed it, as the code of this module
//! for this build of the program. Code is used for a file only if its text has the same hash.

mod files;
mod pack;

pub(crate) use files::{CompiledFile, CompiledFiles};
pub(crate) use pack::{CompiledCode, clear};
