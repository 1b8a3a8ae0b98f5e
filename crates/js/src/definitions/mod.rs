//! The definition cache: what modules declare, kept between runs, so that a command loads only the modules it uses
//! (CONTRACT 13). An entry is used only while everything the module was loaded from is unchanged.
//!
//! Not cached are modules that read their surroundings while loading, such as the environment or other files, that
//! declare `cache: false`, that fail to load, or that run in Bun or Node, where reads cannot be seen. For those the
//! cache keeps which engine they need.

mod ahead;
mod cache;
mod entry;
mod inputs;

pub use ahead::PreparedDefinitions;
pub use cache::{CacheSummary, CachedProject, clear_definitions, list_definitions};
pub(crate) use cache::{Definitions, ReadEntries, Session as CacheSession, program_id};
pub(crate) use entry::{CachedModule, Outcome, Remembered, changed_tools, has_tool};
pub(crate) use inputs::{Checked, Inputs, Observed};
