//! What a tool may use: memory, stack, and time for everything but the call itself, whose deadline is the caller's.

use std::time::Duration;

/// Limits of one runtime. The defaults are generous for tools and short for accidents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of JavaScript memory.
    pub memory: usize,
    /// Bytes of JavaScript stack.
    pub stack: usize,
    /// For importing a module and running its factory.
    pub load: Duration,
    /// For drawing a call or result.
    pub render: Duration,
    /// For `onSession`, `approval` and `formatApprovalDetails`.
    pub hook: Duration,
    /// How long a cancelled call may take to end by itself.
    pub grace: Duration,
    /// How long a stopped runtime may take to let go of its thread before the thread is abandoned.
    pub stop: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 256 << 20,
            stack: 1 << 20,
            load: Duration::from_secs(10),
            render: Duration::from_millis(100),
            hook: Duration::from_secs(5),
            grace: Duration::from_millis(500),
            // Whoever cancels has control back within 50 ms, and waking up is part of that.
            stop: Duration::from_millis(40),
        }
    }
}

impl Limits {
    /// The default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the bytes of JavaScript memory.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Sets the time for importing a module and running its factory.
    #[must_use]
    pub fn load(mut self, time: Duration) -> Self {
        self.load = time;
        self
    }

    /// Sets the time for drawing a call or result.
    #[must_use]
    pub fn render(mut self, time: Duration) -> Self {
        self.render = time;
        self
    }

    /// Sets the time for `onSession`, `approval` and `formatApprovalDetails`.
    #[must_use]
    pub fn hook(mut self, time: Duration) -> Self {
        self.hook = time;
        self
    }

    /// Sets how long a cancelled call may take to end by itself.
    #[must_use]
    pub fn grace(mut self, time: Duration) -> Self {
        self.grace = time;
        self
    }
}
