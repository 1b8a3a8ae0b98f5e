//! What plugs into the agent loop: compaction, retries, rules, reminders, deferred tools, budgets, telemetry, extensions and the
//! hooks of users.
//!
//! Each is a [`TurnHook`](toolsmith_agent::TurnHook), a [`Gate`](toolsmith_agent::Gate) or a
//! [`CallMonitor`](toolsmith_agent::CallMonitor), so an agent works without it. They are independent of each other, except that
//! compaction retries its own requests. The crate `toolsmith` adds them to a session in their order.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//! use toolsmith_agent::Agent;
//! use toolsmith_llm::{ErrorClass, Script, ScriptedProvider, Turn};
//! use toolsmith_middleware::{Retry, RetryPolicy};
//!
//! let provider = ScriptedProvider::new(Script::new([
//!     Turn::new().error(ErrorClass::Overloaded, "busy"),
//!     Turn::new().text("Hello."),
//! ]));
//! let model = provider.model().clone();
//! let retry = Retry::new(RetryPolicy::default()).with_chance(|| 0.0);
//! let agent = Agent::builder().model(Arc::new(provider), model).hook(Arc::new(retry)).build()?;
//! # tokio::time::pause();
//! assert_eq!(agent.run("Hi").await?.text, "Hello.");
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

pub mod budget;
mod compaction;
mod deferral;
mod extensions;
pub mod front_matter;
pub mod hooks;
mod nested_context;
mod retry;
pub mod rules;
mod telemetry;
mod todo_reminders;

pub use compaction::{CompactError, Compacted, CompactionPolicy, Compactor, SummaryError, summarize_branch};
pub use deferral::{DeferredTools, TOOL_SEARCH};
pub use extensions::{
    ExtensionGate, ExtensionHook, ExtensionLimits, Extensions, WeakExtensions, custom_message,
    message_from_extension, message_to_extension,
};
pub use nested_context::NestedContext;
pub use retry::{Retry, RetryPolicy};
pub use telemetry::Telemetry;
pub use todo_reminders::TodoReminders;
