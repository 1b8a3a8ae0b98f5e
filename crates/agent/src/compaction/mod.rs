//! Keeping a conversation within what the model can read: old output is left out, and what is older still is summed up.

mod estimate;
mod summary;
mod transcript;

pub use summary::{SummaryError, summarize_branch};
