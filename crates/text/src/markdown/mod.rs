//! Markdown as rows: the only renderer, used for messages and for the `Markdown` component of tools.
//!
//! `tree` parses, `layout` draws at a width, `table` lays out tables, `stream` splits a growing text into finished blocks
//! and a tail, and `roles` describes rows by role for components that bring their own theme.

mod layout;
mod roles;
mod stream;
mod table;
mod tree;

pub use layout::{MarkdownOptions, markdown_rows};
pub use roles::{highlight_json, markdown_json};
pub use stream::MarkdownStream;

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
