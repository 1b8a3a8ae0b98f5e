//! The built-in tools (`read`, `write`, `edit`, `bash`, `grep`, `find`, `ls`, `ast_grep`, `ast_edit`, `todo_write`) and
//! their access to files.
//!
//! This crate knows neither the agent loop nor models: a tool is a `dyn Tool`. `resolve` and `tool_search` need the
//! loop: they are in `toolsmith-agent` and `toolsmith-middleware`.
#![warn(missing_docs)]

#[cfg(feature = "ast")]
mod ast;
mod bash;
mod edit;
mod files;
mod find;
mod grep;
mod ls;
mod read;
mod registration;
mod todo;
mod walk;
mod write;

#[cfg(feature = "ast")]
pub use ast::{AstEditTool, AstGrepTool};
pub use files::{Saving, Workspace};
pub use read::{OpenedName, ReadNames};
pub(crate) use registration::{arguments, metered, path_argument};
pub use registration::{
    built_in_tools, built_in_tools_saving, built_in_tools_with_rules, register_built_in_tools,
};
pub use todo::{TODO_WRITE, TodoPhase, TodoStatus, TodoTask, TodoTool, Todos};
