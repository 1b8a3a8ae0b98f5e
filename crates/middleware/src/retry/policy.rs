//! Retry policy.

use std::time::Duration;

use toolsmith_llm::LlmError;

/// Maximum random reduction of a delay, so that many clients do not return at once.
const JITTER: f64 = 0.25;

/// Number of retries and their delays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Enables retries.
    pub enabled: bool,
    /// Maximum number of retries until a complete response.
    pub max_attempts: u32,
    /// First delay; each further one is twice as long.
    pub base_delay: Duration,
    /// Maximum delay. If the provider asks for more, the run fails at once.
    pub max_delay: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            max_attempts: 5,
            base_delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(300),
        }
    }
}

/// Decision about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Retry after this delay.
    Wait(Duration),
    /// The provider asks for a delay that is too long.
    TooLong(Duration),
    /// It would fail again, or has failed too often.
    GiveUp,
}

impl RetryPolicy {
    /// Enables or disables retries.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Sets the maximum number of retries.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Sets the first and the maximum delay.
    #[must_use]
    pub fn delays(mut self, base: Duration, max: Duration) -> Self {
        (self.base_delay, self.max_delay) = (base, max);
        self
    }

    /// Decides about the retry with this number, starting at one. `chance` is from 0 to 1.
    pub(super) fn plan(&self, error: &LlmError, attempt: u32, chance: f64) -> Plan {
        if !error.is_retryable() || attempt > self.max_attempts {
            return Plan::GiveUp;
        }
        let asked = error.retry_after.unwrap_or_default();
        if asked > self.max_delay {
            return Plan::TooLong(asked);
        }
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let own = self.base_delay.saturating_mul(doubled).min(self.max_delay);
        // A delay requested by the provider is never shortened.
        Plan::Wait(own.mul_f64(1.0 - JITTER * chance.clamp(0.0, 1.0)).max(asked))
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
