//! What Windows offers to the rest of this crate. `unix` has the same functions; processes and locations have system
//! modules of their own.

pub(crate) mod files;
pub(crate) mod program;
pub(crate) mod security;
pub(crate) mod wide;
