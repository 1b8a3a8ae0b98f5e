//! `todo_write`: what the model means to do, in phases, and the reminder when it stops before that is done.
//!
//! The list is in the results the tool gave, so it is the one of the branch: resuming, going back in the tree and compaction
//! need nothing of their own.

mod list;
mod operation;
mod reminder;
mod state;
mod tool;

pub use list::{Phase as TodoPhase, Status as TodoStatus, Task as TodoTask};
pub use reminder::TodoReminders;
pub use state::Todos;
pub use tool::{TODO_WRITE, TodoTool};

#[cfg(test)]
mod todo_tests;
