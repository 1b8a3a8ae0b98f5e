//! Tools for other agents: the SDK's side of `toolsmith mcp serve`. Every call takes the path of a model's call.

mod approver;
mod session;
mod tools;

pub use tools::{ServeApproval, ServingError, ServingOptions, ServingTools};
