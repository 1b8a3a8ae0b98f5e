//! What Unix systems offer to the rest of this crate. `windows` has the same functions; processes and locations have system
//! modules of their own.

pub(crate) mod files;
pub(crate) mod program;
