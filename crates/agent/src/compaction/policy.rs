//! When a conversation is compacted, and how much of it is kept.

use toolsmith_llm::Model;

use super::estimate::Size;

/// What a context keeps free at least: this part of the window, in percent.
const FREE_PERCENT: u64 = 15;

/// When a conversation is compacted, and how much of it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactionPolicy {
    /// Whether it is compacted without being asked to.
    pub enabled: bool,
    /// Tokens that are kept free for the answer, and that a summary is written in.
    pub reserve_tokens: u64,
    /// Tokens of the newest messages that stay as they are.
    pub keep_recent_tokens: u64,
    /// Compacts past this part of the window; 1 to 99 percent count.
    pub threshold_percent: Option<u64>,
    /// Compacts past so many tokens. Counts before the percentage; 0 counts for nothing.
    pub threshold_tokens: Option<u64>,
}

impl Default for CompactionPolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            reserve_tokens: 16_384,
            keep_recent_tokens: 20_000,
            threshold_percent: None,
            threshold_tokens: None,
        }
    }
}

impl CompactionPolicy {
    /// Sets whether it is compacted without being asked to.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Sets how many tokens are kept free, and how many of the newest messages stay as they are.
    #[must_use]
    pub fn tokens(mut self, reserve: u64, keep_recent: u64) -> Self {
        (self.reserve_tokens, self.keep_recent_tokens) = (reserve, keep_recent);
        self
    }

    /// Compacts past this part of the window, in percent.
    #[must_use]
    pub fn threshold_percent(mut self, percent: Option<u64>) -> Self {
        self.threshold_percent = percent;
        self
    }

    /// Compacts past so many tokens.
    #[must_use]
    pub fn threshold_tokens(mut self, tokens: Option<u64>) -> Self {
        self.threshold_tokens = tokens;
        self
    }

    /// The most tokens a context may have in a window of this size.
    pub(super) fn threshold(&self, window: u64) -> u64 {
        if let Some(tokens) = self.threshold_tokens.filter(|tokens| *tokens > 0) {
            return tokens.clamp(1, window.saturating_sub(1).max(1));
        }
        if let Some(percent) = self.threshold_percent.filter(|percent| (1..=99).contains(percent)) {
            return percent_of(window, percent);
        }
        // A reserve as large as the window of a small model would leave nothing to talk in.
        let reserve = self.reserve_tokens.min(window / 2);
        window.saturating_sub(percent_of(window, FREE_PERCENT).max(reserve))
    }

    /// Tokens of the newest messages to keep, as they are estimated. `at_most` is a limit to it: keeping as much as there is
    /// compacts nothing.
    pub(super) fn keep(&self, size: Size, at_most: u64) -> u64 {
        let keep = self.keep_recent_tokens.min(at_most);
        // Where the provider counts more than the estimate, the same is true of what is kept.
        if size.known > size.estimated { keep.saturating_mul(size.estimated) / size.known } else { keep }
    }
}

/// Tokens a model reads at once.
pub(super) fn window(model: &Model) -> u64 {
    match model.context_window {
        // Nobody knows; a model that reads nothing cannot be meant.
        0 => 128_000,
        window => window,
    }
}

fn percent_of(whole: u64, percent: u64) -> u64 {
    whole / 100 * percent + whole % 100 * percent / 100
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
