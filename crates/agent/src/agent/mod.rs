//! The agent as its clients see it: built once, then prompted, steered, stopped and observed.

mod builder;
mod handle;
mod occupied;
mod session_events;
mod state;
mod totals;
mod view;

pub use builder::{AgentBuilder, AgentLimits, BuildError};
pub use handle::{Agent, ContinueError, Prompt, PromptError, RunSummary};
pub use occupied::Occupied;
pub use totals::Totals;

pub(crate) use state::Core;
