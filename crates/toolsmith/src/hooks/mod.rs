//! Discovery of hooks (CONTRACT 11.1, 11.2): which there are, where they come from, and which of them may run. Hooks of the
//! user run. Those of a project need a trusted folder and a confirmation by hash: trust is not by content, and a hook that
//! changes has to be confirmed again.

mod confirming;
mod entries;
mod files;
mod fingerprint;
mod folders;
mod found;
mod of_plugin;
mod protection;
mod references;

pub use confirming::hook_confirmations;
pub use folders::hook_from_file;
pub use found::{FoundHook, FoundHooks, HookOptions, HookStatus, discover_hooks};
pub(crate) use of_plugin::{HookPart, hooks_of_plugin};
pub(crate) use protection::protect_hooks;
