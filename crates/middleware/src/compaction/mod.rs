//! Compaction: keeps the context within the model's window by omitting old output and summarising older messages.

mod compact;
mod compactor;
mod cut;
mod estimate;
mod files;
mod policy;
mod prune;
mod summary;
mod transcript;

pub use compact::{CompactError, Compacted};
pub use compactor::Compactor;
pub use policy::CompactionPolicy;
pub use summary::{SummaryError, summarize_branch};
