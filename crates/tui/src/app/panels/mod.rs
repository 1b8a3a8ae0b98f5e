//! Panels of the interface itself: pickers, the tree, and reviews.

mod choice;
mod pending;
mod sessions;
mod tree;
mod undo;

pub(super) use choice::ChoicePanel;
pub(super) use pending::PendingPanel;
pub(super) use sessions::SessionsPanel;
pub(super) use tree::TreePanel;
pub(super) use undo::UndoPanel;
