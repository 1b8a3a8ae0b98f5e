//! The composer: the multi-line prompt with history, completion, undo, a kill ring, and pasted text and images as tokens.

mod attachments;
mod buffer;
pub mod completion;
mod history;
mod keys;
mod layout;
mod prompt;

pub use attachments::{Attachment, Image};
pub use buffer::Buffer;
pub use history::{History, load as load_history};
pub use layout::Layout;
pub use prompt::{Composer, ComposerEvent, Submission};

#[cfg(test)]
#[path = "composer_tests.rs"]
mod tests;
