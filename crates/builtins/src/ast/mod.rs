//! `ast_grep` and `ast_edit`: structural code search and rewriting (CONTRACT 8.7).

mod edit_tool;
mod grep_tool;
mod pattern;
mod report;
mod rewrite;
mod scan;
mod scope;

pub use edit_tool::AstEditTool;
pub use grep_tool::AstGrepTool;
