//! POSIX by the functions of Windows, as Node maps them.

pub mod errors;
pub(super) mod files;
mod interfaces;
pub(super) mod machine;
pub(super) mod removal;
pub(super) mod sockets;
