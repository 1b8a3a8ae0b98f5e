//! How a conversation is kept going: after errors that pass, and when it grows too long.

use std::time::Duration;

use serde::Deserialize;
use toolsmith_agent::{CompactionPolicy, RetryPolicy};

use super::units::read_duration;

/// What is done about errors that pass.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct RetrySettings {
    /// Whether a request that failed is made again.
    pub enabled: bool,
    /// How often.
    pub max_attempts: u64,
    /// The first wait.
    #[serde(deserialize_with = "read_duration")]
    pub base_delay: Duration,
    /// The longest wait.
    #[serde(deserialize_with = "read_duration")]
    pub max_delay: Duration,
}

impl RetrySettings {
    /// The agent's.
    pub fn policy(&self) -> RetryPolicy {
        RetryPolicy::default()
            .enabled(self.enabled)
            .max_attempts(u32::try_from(self.max_attempts).unwrap_or(u32::MAX))
            .delays(self.base_delay, self.max_delay)
    }
}

/// What is done about a conversation that grows too long.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct CompactionSettings {
    /// Whether it is compacted without being asked to.
    pub enabled: bool,
    /// Tokens that are kept free.
    pub reserve_tokens: u64,
    /// Tokens of the newest messages that stay as they are.
    pub keep_recent_tokens: u64,
    /// Compacts past this part of the window.
    #[serde(default)]
    pub threshold_percent: Option<u64>,
    /// Compacts past so many tokens.
    #[serde(default)]
    pub threshold_tokens: Option<u64>,
}

impl CompactionSettings {
    /// The agent's.
    pub fn policy(&self) -> CompactionPolicy {
        CompactionPolicy::default()
            .enabled(self.enabled)
            .tokens(self.reserve_tokens, self.keep_recent_tokens)
            .threshold_percent(self.threshold_percent)
            .threshold_tokens(self.threshold_tokens)
    }
}
