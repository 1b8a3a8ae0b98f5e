//! A session: an agent with its tools, settings and model, and one handle to control it.

mod builder;
mod handle;
mod model_choice;
mod models;
mod operations;
mod previews;
mod recovery;
mod tool_info;

pub use builder::{BuiltIns, Keeping, SessionBuilder, SessionError};
pub use handle::Session;
pub use model_choice::{ModelChoice, ModelError, providers};
pub use operations::{OperationError, WentOver};
pub use tool_info::ToolInfo;
