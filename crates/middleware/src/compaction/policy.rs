//! Compaction policy: threshold and amount kept.

use toolsmith_llm::Model;

use super::estimate::Size;

/// Minimum share of the window that is kept free, in percent.
const FREE_PERCENT: u64 = 15;

/// Compaction policy: threshold and amount kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactionPolicy {
    /// Compacts automatically.
    pub enabled: bool,
    /// Tokens kept free for the response and for writing a summary.
    pub reserve_tokens: u64,
    /// Tokens of the newest messages that stay unchanged.
    pub keep_recent_tokens: u64,
    /// Threshold as a percentage of the window, 1 to 99.
    pub threshold_percent: Option<u64>,
    /// Threshold in tokens. Takes precedence over the percentage; 0 is ignored.
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
    /// Enables or disables automatic compaction.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Sets the free tokens and the tokens of the newest messages that stay unchanged.
    #[must_use]
    pub fn tokens(mut self, reserve: u64, keep_recent: u64) -> Self {
        (self.reserve_tokens, self.keep_recent_tokens) = (reserve, keep_recent);
        self
    }

    /// Sets the threshold as a percentage of the window.
    #[must_use]
    pub fn threshold_percent(mut self, percent: Option<u64>) -> Self {
        self.threshold_percent = percent;
        self
    }

    /// Sets the threshold in tokens.
    #[must_use]
    pub fn threshold_tokens(mut self, tokens: Option<u64>) -> Self {
        self.threshold_tokens = tokens;
        self
    }

    /// Returns the maximum context size for a window of this size.
    pub(super) fn threshold(&self, window: u64) -> u64 {
        if let Some(tokens) = self.threshold_tokens.filter(|tokens| *tokens > 0) {
            return tokens.clamp(1, window.saturating_sub(1).max(1));
        }
        if let Some(percent) = self.threshold_percent.filter(|percent| (1..=99).contains(percent)) {
            return percent_of(window, percent);
        }
        // A reserve as large as the window of a small model would leave no room.
        let reserve = self.reserve_tokens.min(window / 2);
        window.saturating_sub(percent_of(window, FREE_PERCENT).max(reserve))
    }

    /// Returns the estimated tokens of the newest messages to keep, at most `at_most`: keeping everything would compact
    /// nothing.
    pub(super) fn keep(&self, size: Size, at_most: u64) -> u64 {
        let keep = self.keep_recent_tokens.min(at_most);
        // If the provider counts more than the estimate, the same applies to what is kept.
        if size.known > size.estimated { keep.saturating_mul(size.estimated) / size.known } else { keep }
    }
}

/// Returns the context window of the model.
pub(super) fn window(model: &Model) -> u64 {
    match model.context_window {
        // Unknown: a window of zero is not meaningful.
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
