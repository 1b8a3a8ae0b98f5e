//! The built-in tools, a file or folder each.

mod ast;
mod resolve;

pub use ast::{AstEditTool, AstGrepTool};
pub use resolve::{RESOLVE, ResolveTool};
