//! Extensions in the loop (CONTRACT 10): their handlers run in load order, each within a deadline. A module that fails
//! three times in a row is suspended.
//!
//! [`Extensions`] holds the modules and calls their handlers. [`ExtensionHook`] takes part in turns, and
//! [`ExtensionGate`] looks at every call and result.

mod compaction_event;
mod context_event;
mod exchange;
mod gate;
mod hook;
mod messages;
mod pump;
mod runner;

pub use gate::ExtensionGate;
pub use hook::ExtensionHook;
pub use messages::{custom_message, message_from_extension, message_to_extension};
pub use runner::{ExtensionLimits, Extensions, WeakExtensions};
