//! Compactions as extensions see them.

use serde_json::{Value, json};
use toolsmith_agent::{CompactionPlan, CompactionReport};
use toolsmith_llm::Message;
use toolsmith_tool::{CompactionTrigger, SessionView as _};

use super::messages::message_to_extension;

/// The event before a compaction.
pub(super) const BEFORE: &str = "session_before_compact";

/// Returns the payload of [`BEFORE`].
pub(super) fn before(plan: &CompactionPlan<'_>) -> Value {
    let messages = |list: &[Message]| list.iter().map(message_to_extension).collect::<Vec<_>>();
    json!({
        "type": BEFORE,
        "preparation": {
            "firstKeptEntryId": plan.first_kept_entry_id,
            "messagesToSummarize": messages(plan.history),
            "turnPrefixMessages": messages(plan.turn_prefix),
            "isSplitTurn": !plan.turn_prefix.is_empty(),
            "tokensBefore": plan.tokens_before,
            "previousSummary": plan.previous_summary,
            "fileOps": plan.files,
            "settings": {
                "enabled": plan.automatic,
                "reserveTokens": plan.reserve_tokens,
            },
        },
        "branchEntries": plan.session.branch(None),
        "customInstructions": plan.instructions,
        "reason": reason(plan.trigger),
        "willRetry": plan.will_retry,
    })
}

/// Returns the event after a compaction and its payload.
pub(super) fn after(report: &CompactionReport) -> (&'static str, Value) {
    match report {
        CompactionReport::Done { entry, from_extension, trigger, will_retry } => (
            "session_compact",
            json!({
                "type": "session_compact",
                "compactionEntry": entry,
                "fromExtension": from_extension,
                "reason": reason(*trigger),
                "willRetry": will_retry,
            }),
        ),
        CompactionReport::Failed { error, aborted, trigger } => (
            "session_compact_failed",
            json!({
                "type": "session_compact_failed",
                "reason": reason(*trigger),
                "errorMessage": error,
                "aborted": aborted,
                "willRetry": false,
                "fromExtension": false,
            }),
        ),
    }
}

fn reason(trigger: Option<CompactionTrigger>) -> &'static str {
    trigger.map_or("manual", CompactionTrigger::as_str)
}
