//! Settings of retries and compaction.

use std::time::Duration;

use serde::Deserialize;
use toolsmith_middleware::{CompactionPolicy, RetryPolicy};

use super::units::read_duration;

/// Retry settings.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct RetrySettings {
    /// Retry failed requests.
    pub enabled: bool,
    /// Maximum number of retries.
    pub max_attempts: u64,
    /// First delay.
    #[serde(deserialize_with = "read_duration")]
    pub base_delay: Duration,
    /// Maximum delay.
    #[serde(deserialize_with = "read_duration")]
    pub max_delay: Duration,
}

impl RetrySettings {
    /// Converts to the agent's type.
    pub fn policy(&self) -> RetryPolicy {
        RetryPolicy::default()
            .enabled(self.enabled)
            .max_attempts(u32::try_from(self.max_attempts).unwrap_or(u32::MAX))
            .delays(self.base_delay, self.max_delay)
    }
}

/// Compaction settings.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct CompactionSettings {
    /// Compact automatically.
    pub enabled: bool,
    /// Tokens kept free.
    pub reserve_tokens: u64,
    /// Tokens of the newest messages that stay unchanged.
    pub keep_recent_tokens: u64,
    /// Threshold as a percentage of the window.
    #[serde(default)]
    pub threshold_percent: Option<u64>,
    /// Threshold in tokens.
    #[serde(default)]
    pub threshold_tokens: Option<u64>,
}

impl CompactionSettings {
    /// Converts to the agent's type.
    pub fn policy(&self) -> CompactionPolicy {
        CompactionPolicy::default()
            .enabled(self.enabled)
            .tokens(self.reserve_tokens, self.keep_recent_tokens)
            .threshold_percent(self.threshold_percent)
            .threshold_tokens(self.threshold_tokens)
    }
}
