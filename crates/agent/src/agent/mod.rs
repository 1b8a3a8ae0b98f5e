//! The agent as its clients see it: built once, then prompted, steered, stopped and observed.

#[expect(clippy::module_inception, reason = "the file is named after its type")]
mod agent;
mod builder;
mod default_views;
mod occupied;
mod session_events;
mod state;

pub use agent::{Agent, ContinueError, Prompt, PromptError, RunSummary, WeakAgent};
pub use builder::{AgentBuilder, AgentLimits, BuildError};
pub use default_views::model_json;
pub use occupied::Occupied;
pub use state::Totals;

pub(crate) use state::Core;
