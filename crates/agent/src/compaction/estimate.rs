//! Size of a context in tokens: the provider's count where available, else an estimate.

use std::sync::Arc;

use toolsmith_llm::{Message, StopReason, message_tokens};

/// Size of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// The best estimate: the provider's last count, plus an estimate of what came after.
    pub(super) known: u64,
    /// An estimate of everything, for comparison.
    pub(super) estimated: u64,
}

impl Size {
    /// Measures a context whose messages from `counted_from` on were sent unchanged; earlier counts of the provider are
    /// no longer valid.
    pub(super) fn of(messages: &[Arc<Message>], counted_from: usize) -> Self {
        let mut estimated = 0;
        let mut since = 0;
        let mut counted = None;
        for (at, message) in messages.iter().enumerate() {
            let own = message_tokens(message);
            estimated += own;
            match message.as_ref() {
                Message::Assistant(said)
                    if at >= counted_from
                        && said.usage.prompt_tokens() > 0
                        && !matches!(said.stop_reason, StopReason::Error | StopReason::Aborted) =>
                {
                    counted = Some(said.usage.prompt_tokens().saturating_add(said.usage.output));
                    since = 0;
                }
                _ => since += own,
            }
        }
        Self { known: counted.map_or(estimated, |counted| counted.saturating_add(since)), estimated }
    }
}

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;
