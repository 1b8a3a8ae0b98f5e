//! Pruning of old tool output, which happens before anything is summarised.

use toolsmith_llm::{Message, content_tokens};
use toolsmith_session::LiveEntry;

/// Tokens of the newest output that always stay.
const PROTECTED: u64 = 40_000;
/// Smaller savings are not worth it, because changing the context discards the provider's cache.
const WORTHWHILE: u64 = 20_000;
/// Tools whose output is always kept.
const NEVER: [&str; 2] = ["read", "skill"];
/// Text that replaces the output.
const NOTICE_TOKENS: u64 = 10;

/// Output that can be omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prune {
    /// Entries of the results.
    pub(super) entry_ids: Vec<String>,
    /// Number of tokens saved.
    pub(super) saved: u64,
}

/// Finds old output to omit, if it is worth it.
pub(super) fn find(entries: &[LiveEntry]) -> Option<Prune> {
    let mut newer = 0;
    let mut prune = Prune::default();
    for entry in entries.iter().rev() {
        let Some(Message::ToolResult(result)) = &entry.message else { continue };
        let tokens = content_tokens(&result.content);
        let is_protected = newer < PROTECTED || NEVER.contains(&result.tool_name.as_str());
        newer += tokens;
        if !is_protected && tokens > NOTICE_TOKENS {
            prune.saved += tokens - NOTICE_TOKENS;
            prune.entry_ids.push(entry.id.clone());
        }
    }
    (prune.saved >= WORTHWHILE).then_some(prune)
}

#[cfg(test)]
#[path = "prune_tests.rs"]
mod tests;
