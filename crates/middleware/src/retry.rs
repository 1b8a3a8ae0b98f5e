//! Retries after transient errors (CONTRACT 7.1: `auto_retry_start`, `auto_retry_end`). A turn whose tools ran is never repeated:
//! tools run only after a complete response, which is not an error.

use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use toolsmith_agent::{AfterError, RunEnd, TurnContext, TurnHook};
use toolsmith_llm::{AssistantMessage, LlmError};
use toolsmith_tool::{RetryEnd, RetryStart, SessionEvent};

const CANCELLED: &str = "Retry cancelled";

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
enum Plan {
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
    fn plan(&self, error: &LlmError, attempt: u32, chance: f64) -> Plan {
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

/// Retries after transient errors. Every series of `auto_retry_start` in a run is followed by one `auto_retry_end`: at
/// the next complete response, or at the end.
pub struct Retry {
    policy: RetryPolicy,
    enabled: AtomicBool,
    chance: Box<dyn Fn() -> f64 + Send + Sync>,
    /// Number of retries of the current request.
    attempts: Mutex<u32>,
    /// Number of retries that are waiting now.
    waiting: AtomicUsize,
}

impl Retry {
    /// Creates a hook with this policy.
    pub fn new(policy: RetryPolicy) -> Self {
        Self {
            enabled: AtomicBool::new(policy.enabled),
            policy,
            chance: Box::new(chance),
            attempts: Mutex::new(0),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Sets the source of randomness: a number from 0 to 1 for each delay.
    #[must_use]
    pub fn with_chance(mut self, chance: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        self.chance = Box::new(chance);
        self
    }

    /// Enables or disables retries, from the next error on.
    pub fn set_enabled(&self, enabled: bool) {
        self.enabled.store(enabled, Ordering::Relaxed);
    }

    /// Returns whether retries are enabled.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    /// Returns whether a failed request is waiting for a retry.
    pub fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Sets the count; returns the old one.
    fn count(&self, attempts: u32) -> u32 {
        std::mem::replace(&mut *self.attempts.lock().unwrap_or_else(PoisonError::into_inner), attempts)
    }

    /// Waits; returns whether to retry. `attempts` is the number of retries since the last complete response.
    pub(crate) async fn wait(&self, error: &LlmError, attempts: &mut u32, context: &TurnContext) -> bool {
        if !self.is_enabled() {
            return false;
        }
        let attempt = attempts.saturating_add(1);
        let delay = match self.policy.plan(error, attempt, (self.chance)()) {
            Plan::Wait(delay) => delay,
            Plan::TooLong(wait) => {
                context.notice(format!(
                    "The provider asks to wait {} s, longer than retry.max_delay ({} s), so the request is not \
                     retried.",
                    wait.as_secs(),
                    self.policy.max_delay.as_secs()
                ));
                return false;
            }
            Plan::GiveUp => return false,
        };
        *attempts = attempt;
        let start = RetryStart {
            attempt,
            max_attempts: self.policy.max_attempts,
            delay_ms: milliseconds(delay),
            error_message: error.to_string(),
        };
        let waiting = Waiting::new(&self.waiting);
        context.announce(SessionEvent::AutoRetryStart(start)).await;
        let is_over = tokio::select! {
            biased;
            () = context.cancel().cancelled() => false,
            () = tokio::time::sleep(delay) => true,
        };
        drop(waiting);
        if !is_over {
            Self::end(attempts, Some(CANCELLED.to_owned()), context).await;
        }
        is_over
    }

    /// Emits the end of a series, if one has started.
    pub(crate) async fn end(attempts: &mut u32, final_error: Option<String>, context: &TurnContext) {
        let attempt = std::mem::take(attempts);
        if attempt > 0 {
            let end = RetryEnd { success: final_error.is_none(), attempt, final_error };
            context.announce(SessionEvent::AutoRetryEnd(end)).await;
        }
    }
}

/// Counts as long as it lives, even if the wait is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[async_trait]
impl TurnHook for Retry {
    async fn run_started(&self, _context: &TurnContext) {
        self.count(0);
    }

    async fn after_answer(&self, _message: &AssistantMessage, context: &TurnContext) {
        Self::end(&mut self.count(0), None, context).await;
    }

    async fn on_error(&self, error: &LlmError, _attempt: usize, context: &TurnContext) -> AfterError {
        // The loop's own count includes errors that this hook does not handle.
        let mut attempts = self.count(0);
        let again = self.wait(error, &mut attempts, context).await;
        self.count(attempts);
        // Without a retry, the end of the run ends the series.
        if again { AfterError::Again } else { AfterError::End }
    }

    async fn run_ended(&self, end: &RunEnd, _messages: &[toolsmith_llm::Message], context: &TurnContext) {
        let why = match end {
            RunEnd::Aborted { .. } => CANCELLED,
            end => end.message().unwrap_or_default(),
        };
        Self::end(&mut self.count(0), Some(why.to_owned()), context).await;
    }
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry").field("policy", &self.policy).finish_non_exhaustive()
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn chance() -> f64 {
    getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX))
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
