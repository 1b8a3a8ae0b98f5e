//! Staged actions and those who decide about them: the model by `resolve`, people by the functions of [`Resolver`]
//! (CONTRACT 8.3, 8.5, 8.6).

mod apply_tool;
mod decision_notes;
mod gated_files;
mod outcome;
mod pending_view;
mod question;
mod resolve_tool;
mod resolver;
mod review;
mod tool_choice;
mod undo_tool;

pub use apply_tool::ApplyTool;
pub use pending_view::PendingView;
pub use resolve_tool::{RESOLVE, ResolveTool};
pub use resolver::{PendingChoice, Resolver};
pub use review::{Proposal, ReviewDecision, ReviewRequest, Reviewer};
pub use tool_choice::ResolveToolChoice;
pub use undo_tool::UndoTool;

/// Answer of `resolve` if nothing is pending.
pub(crate) const NOTHING_PENDING: &str = "No pending action to resolve. Nothing to apply or discard.";
