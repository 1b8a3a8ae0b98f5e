//! A compaction as turn hooks see it: planned, decided about, reported. The compactor itself is a hook of another crate.

use serde_json::Value;
use toolsmith_llm::Message;
use toolsmith_session::SessionLog;
use toolsmith_tool::CompactionTrigger;

/// A planned compaction.
#[derive(Debug)]
pub struct CompactionPlan<'a> {
    /// Messages that the summary replaces.
    pub history: &'a [Message],
    /// Start of a turn whose rest is kept.
    pub turn_prefix: &'a [Message],
    /// Summary of the previous compaction.
    pub previous_summary: Option<&'a str>,
    /// First entry that is kept; empty if none is.
    pub first_kept_entry_id: &'a str,
    /// Size of the context.
    pub tokens_before: u64,
    /// Instructions for the summary.
    pub instructions: Option<&'a str>,
    /// Its trigger; `None` on request.
    pub trigger: Option<CompactionTrigger>,
    /// The interrupted turn will be sent again.
    pub will_retry: bool,
    /// Files that were read and changed.
    pub files: &'a Value,
    /// The session that is compacted.
    pub session: &'a SessionLog,
    /// Sessions are compacted automatically.
    pub automatic: bool,
    /// Tokens kept free for the response and for writing a summary.
    pub reserve_tokens: u64,
}

/// Decision of a turn hook about a compaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CompactionDecision {
    /// The model summarises.
    #[default]
    Proceed,
    /// The session is not compacted.
    Cancel,
    /// This summary is used.
    Replace {
        /// The summary.
        summary: String,
        /// First entry that is kept; the planned one if `None`.
        first_kept_entry_id: Option<String>,
        /// Details stored with it.
        details: Option<Value>,
    },
}

/// Outcome of a compaction.
#[derive(Clone, Debug, PartialEq)]
pub enum CompactionReport {
    /// The session was compacted.
    Done {
        /// The entry as stored.
        entry: Value,
        /// A hook provided the summary.
        from_extension: bool,
        /// Its trigger; `None` on request.
        trigger: Option<CompactionTrigger>,
        /// The interrupted turn will be sent again.
        will_retry: bool,
    },
    /// It failed or was cancelled.
    Failed {
        /// Error message.
        error: String,
        /// It was cancelled.
        aborted: bool,
        /// Its trigger; `None` on request.
        trigger: Option<CompactionTrigger>,
    },
}
