//! A compaction as turn hooks see it: planned, decided about, reported.

use serde_json::{Value, json};
use toolsmith_llm::Message;
use toolsmith_tool::{CompactionTrigger, SessionView};

use super::policy::CompactionPolicy;
use crate::{extensions::message_to_extension, session::SessionLog};

/// A planned compaction.
#[derive(Debug)]
#[non_exhaustive]
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
    pub(super) session: &'a SessionLog,
    pub(super) policy: &'a CompactionPolicy,
}

impl CompactionPlan<'_> {
    /// Returns the event that extensions receive.
    pub fn to_json(&self) -> Value {
        let messages = |list: &[Message]| list.iter().map(message_to_extension).collect::<Vec<_>>();
        json!({
            "type": "session_before_compact",
            "preparation": {
                "firstKeptEntryId": self.first_kept_entry_id,
                "messagesToSummarize": messages(self.history),
                "turnPrefixMessages": messages(self.turn_prefix),
                "isSplitTurn": !self.turn_prefix.is_empty(),
                "tokensBefore": self.tokens_before,
                "previousSummary": self.previous_summary,
                "fileOps": self.files,
                "settings": {
                    "enabled": self.policy.enabled,
                    "reserveTokens": self.policy.reserve_tokens,
                },
            },
            "branchEntries": self.session.branch(None),
            "customInstructions": self.instructions,
            "reason": self.trigger.map_or("manual", CompactionTrigger::as_str),
            "willRetry": self.will_retry,
        })
    }
}

/// Decision of a turn hook about a compaction.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
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
#[non_exhaustive]
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
