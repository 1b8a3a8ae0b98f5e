//! One path for every call of every tool (CONTRACT 5.1), whoever makes it: found, prepared, let through the gates,
//! approved, run under a deadline, checked, cut to length.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//! use toolsmith_agent::{CallRequest, Dispatcher};
//! use toolsmith_tool::{
//!     Origin, Registry, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
//! };
//!
//! struct Hello(ToolSpec);
//!
//! #[async_trait]
//! impl Tool for Hello {
//!     fn spec(&self) -> &ToolSpec {
//!         &self.0
//!     }
//!     async fn execute(&self, _call: ToolCall, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
//!         Ok(ToolResult::text("hello"))
//!     }
//! }
//!
//! let mut registry = Registry::new();
//! registry.register(Arc::new(Hello(ToolSpec::new("hello", "Greets").approval(Tier::Read))), Origin::built_in())?;
//! let dispatcher = Dispatcher::builder(registry).build();
//!
//! let outcome = dispatcher.call(CallRequest::new("1", "hello", "{}")).await;
//! assert_eq!(outcome.result.joined_text(), "hello");
//! let outcome = dispatcher.call(CallRequest::new("2", "helo", "{}")).await;
//! assert_eq!(outcome.result.joined_text(), "Tool helo not found. Did you mean hello?");
//! # Ok(())
//! # }
//! ```

mod approving;
mod batch;
mod call;
mod check;
mod cut;
mod deadline;
mod dispatcher;
mod execute;
mod gate;
mod gating;
mod monitor;
mod recording;
mod registry;

pub use approving::is_refused_unasked;
pub use call::{Arguments, CallEnd, CallEvent, CallOutcome, CallRequest};
pub(crate) use check::check_image;
pub use cut::OutputCut;
pub use deadline::CallDeadline;
pub use dispatcher::{Dispatcher, DispatcherBuilder};
pub use execute::Deadlines;
pub(crate) use execute::run_to_end;
pub use gate::{Gate, GateApproval, GateVerdict, GatedCall, Passage};
pub use monitor::{CallLimit, CallLimits, CallMonitor};
pub use recording::{LOAD_RECORDING, RECORDING, RecordCalls, RecordedCall, RecordedEnd};
pub use registry::{RegistryRefresh, SharedRegistry};
