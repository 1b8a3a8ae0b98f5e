//! Limits of a tool: memory, stack, and deadlines for everything but the call itself, whose deadline is set by the
//! caller.

use std::time::Duration;

/// Limits of one runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// JavaScript memory in bytes.
    pub memory: usize,
    /// JavaScript stack in bytes.
    pub stack: usize,
    /// Deadline for importing a module and running its factory.
    pub load: Duration,
    /// Deadline for rendering a call or result.
    pub render: Duration,
    /// Deadline for `onSession`, `approval` and `formatApprovalDetails`.
    pub hook: Duration,
    /// Grace time of a cancelled call.
    pub grace: Duration,
    /// Time a stopped runtime has to release its thread before the thread is abandoned.
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
            // Control returns to the canceller within 50 ms, including the time to wake up.
            stop: Duration::from_millis(40),
        }
    }
}

impl Limits {
    /// Creates the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the JavaScript memory in bytes.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Sets the deadline for importing a module and running its factory.
    #[must_use]
    pub fn load(mut self, time: Duration) -> Self {
        self.load = time;
        self
    }

    /// Sets the deadline for rendering a call or result.
    #[must_use]
    pub fn render(mut self, time: Duration) -> Self {
        self.render = time;
        self
    }

    /// Sets the deadline for `onSession`, `approval` and `formatApprovalDetails`.
    #[must_use]
    pub fn hook(mut self, time: Duration) -> Self {
        self.hook = time;
        self
    }

    /// Sets the grace time of a cancelled call.
    #[must_use]
    pub fn grace(mut self, time: Duration) -> Self {
        self.grace = time;
        self
    }
}
