//! The loop: request, run the calls, repeat, until the model is done.

mod answer;
mod calls;
mod compaction;
mod context;
mod hook;
mod run;

pub use compaction::{CompactionDecision, CompactionPlan, CompactionReport};
pub use context::TurnContext;
pub use hook::{AfterError, InputSource, Interrupt, Interruption, RequestPlan, RunStart, TurnHook};
pub(crate) use run::run;
