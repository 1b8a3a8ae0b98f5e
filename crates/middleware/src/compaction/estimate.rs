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
            match counted_by(message).filter(|_| at >= counted_from) {
                Some(sum) => {
                    counted = Some(sum);
                    since = 0;
                }
                None => since += own,
            }
        }
        Self { known: counted.map_or(estimated, |counted| counted.saturating_add(since)), estimated }
    }

    /// Returns `known` of the same context. Reads only what came after the provider's last count, which is checked on
    /// every turn.
    pub(super) fn known(messages: &[Arc<Message>], counted_from: usize) -> u64 {
        let mut since: u64 = 0;
        for (at, message) in messages.iter().enumerate().rev() {
            if let Some(counted) = counted_by(message).filter(|_| at >= counted_from) {
                return counted.saturating_add(since);
            }
            since = since.saturating_add(message_tokens(message));
        }
        since
    }
}

/// Returns the provider's count of the context up to a message, if the message has one.
fn counted_by(message: &Message) -> Option<u64> {
    match message {
        Message::Assistant(said)
            if said.usage.prompt_tokens() > 0
                && !matches!(said.stop_reason, StopReason::Error | StopReason::Aborted) =>
        {
            Some(said.usage.prompt_tokens().saturating_add(said.usage.output))
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;
