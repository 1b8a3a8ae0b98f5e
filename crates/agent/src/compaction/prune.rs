//! Old output of tools that the model can do without: it is left out before anything is summed up.

use toolsmith_llm::Message;

use super::estimate::content_tokens;
use crate::session::LiveEntry;

/// Tokens of the newest output that stay in any case.
const PROTECTED: u64 = 40_000;
/// Less than this is not worth what a changed context costs: the provider's cache of it is lost.
const WORTHWHILE: u64 = 20_000;
/// Tools whose output is what the work is about.
const NEVER: [&str; 2] = ["read", "skill"];
/// What stands in place of the output.
const NOTICE_TOKENS: u64 = 10;

/// What can be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prune {
    /// The entries of the results.
    pub(super) entry_ids: Vec<String>,
    /// How many tokens that saves.
    pub(super) saved: u64,
}

/// Finds old output to leave out, if it is worth it.
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
