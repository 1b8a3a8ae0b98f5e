//! Whether and when a failed request is made again.

use std::time::Duration;

use toolsmith_llm::LlmError;

/// How much shorter chance may make a wait, so that many clients do not come back at once.
const JITTER: f64 = 0.25;

/// How often a request is made again, and after how long.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Whether it is made again at all.
    pub enabled: bool,
    /// How often, until the model gave a whole answer.
    pub max_attempts: u32,
    /// The first wait; each one after is twice as long.
    pub base_delay: Duration,
    /// The longest wait. When the provider asks for more, the run fails at once.
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

/// What is done about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Ask again after this long.
    Wait(Duration),
    /// The provider asks for a wait that is too long.
    TooLong(Duration),
    /// It would fail again, or has failed often enough.
    GiveUp,
}

impl RetryPolicy {
    /// Sets whether it is made again at all.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Sets how often.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Sets the first and the longest wait.
    #[must_use]
    pub fn delays(mut self, base: Duration, max: Duration) -> Self {
        (self.base_delay, self.max_delay) = (base, max);
        self
    }

    /// What is done before the retry of this number, counted from one. `chance` is from 0 to 1.
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
        // What the provider asks for is never made shorter.
        Plan::Wait(own.mul_f64(1.0 - JITTER * chance.clamp(0.0, 1.0)).max(asked))
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
