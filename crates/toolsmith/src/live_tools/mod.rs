//! Custom tools that follow their files: modules are loaded again when something they were loaded from changes, and
//! modules come and go with their files. A module that no longer loads keeps its last working version.

mod change;
mod live;
mod places;

pub(crate) use change::{Change, Look, is_offered_alike};
pub use live::{LiveTools, StaleModule};
