//! The loop: ask the model, run what it calls, and again, until it has said everything.

mod answer;
mod calls;
mod hook;
mod run;

pub use hook::{AfterError, RequestPlan, TurnHook};
pub(crate) use run::run;
