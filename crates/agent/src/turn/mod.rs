//! The loop: ask the model, run what it calls, and again, until it has said everything.

mod answer;
mod calls;
mod context;
mod hook;
mod run;

pub use context::TurnContext;
pub use hook::{AfterError, Interrupt, Interruption, RequestPlan, TurnHook};
pub(crate) use run::run;
