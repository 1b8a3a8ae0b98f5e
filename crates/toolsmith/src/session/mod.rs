//! A session: an agent with its tools, settings and model, and one handle to control it.

mod background;
mod builder;
mod description;
mod extensions;
mod hooks;
mod library;
mod model_choice;
mod models;
mod operations;
mod previews;
mod recovery;
mod reload;
#[expect(clippy::module_inception, reason = "the file is named after its type")]
mod session;
mod trust;

pub use builder::{BuiltIns, SessionBuildError, SessionBuilder, SessionSource};
pub use description::{ContextPart, ToolInfo};
pub use extensions::{
    Command, CommandError, CommandInfo, CommandOutcome, ExtensionResources, RESERVED_COMMANDS, RESERVED_KEYS,
    SessionMode, ShortcutInfo, USER_BASH, UserBashResult, WeakSession,
};
pub use model_choice::{ModelChoice, ModelError, providers};
pub use operations::{AbandonedBranch, OperationError, SessionSwitched};
pub use session::Session;
