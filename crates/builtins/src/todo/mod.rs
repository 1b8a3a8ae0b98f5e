//! `todo_write`: the model's plan in phases, and the reminder if it stops before the plan is done.
//!
//! The list is stored in the tool's results, so it belongs to the branch: resume, tree navigation and compaction need
//! nothing extra.

mod list;
mod operation;
mod state;
mod tool;

pub use list::{Phase as TodoPhase, Status as TodoStatus, Task as TodoTask};
pub use state::Todos;
pub use tool::{TODO_WRITE, TodoTool};

#[cfg(test)]
mod todo_tests;
