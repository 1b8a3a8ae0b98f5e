//! Staged actions and those who decide about them: the model by `resolve`, people by the functions of [`Resolver`]
//! (CONTRACT 8.3, 8.5, 8.6).

mod lean;
mod news;
mod outcome;
mod question;
mod resolver;
mod view;

pub use lean::LeanToResolve;
pub(crate) use question::approval_lines;
pub(crate) use resolver::apply_change_set;
pub use resolver::{PendingChoice, Resolver};
pub use view::PendingView;

/// What `resolve` says when there is nothing to decide.
pub(crate) const NOTHING_PENDING: &str = "No pending action to resolve. Nothing to apply or discard.";
