//! The built-in tools, a file or folder each.

mod resolve;

pub use resolve::{RESOLVE, ResolveTool};
