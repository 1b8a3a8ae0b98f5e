//! Monitors, which see every call of a dispatcher: budgets limit calls, telemetry reports them.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use tokio::task::JoinHandle;
use toolsmith_tool::{CancelToken, Figure, Meter, MeterLimits};

use super::call::CallOutcome;

/// Sees every call that reaches its tool. Methods must not block.
pub trait CallMonitor: Send + Sync {
    /// Called after approval, before the tool runs. Returns the limits of the call.
    ///
    /// # Errors
    /// Returns the text for the model if the call must not run.
    fn starting(&self, _tool: &str) -> Result<CallLimits, String> {
        Ok(CallLimits::default())
    }

    /// Called at the end of every call, also of one that did not run. `started` is the time it was requested. The result may
    /// be replaced.
    fn ended(&self, _outcome: &mut CallOutcome, _started: SystemTime) {}
}

/// A limit, and the message for a call that exceeds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimit<T> {
    /// The most that is allowed.
    pub most: T,
    /// The reason that the call is stopped with.
    pub message: String,
}

impl<T> CallLimit<T> {
    /// Creates a limit.
    pub fn new(most: T, message: impl Into<String>) -> Self {
        Self { most, message: message.into() }
    }
}

/// Limits that stop a call while it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimits {
    /// Time, which progress does not extend.
    pub time: Option<CallLimit<Duration>>,
    /// Bytes of memory.
    pub memory: Option<CallLimit<u64>>,
    /// Number of processes.
    pub processes: Option<CallLimit<u64>>,
}

impl CallLimits {
    /// Adds the limits of another monitor; the tighter ones apply.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            time: tighter(self.time, other.time),
            memory: tighter(self.memory, other.memory),
            processes: tighter(self.processes, other.processes),
        }
    }
}

fn tighter<T: PartialOrd>(one: Option<CallLimit<T>>, other: Option<CallLimit<T>>) -> Option<CallLimit<T>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.most < one.most { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// Watches the limits of one call while it runs.
#[derive(Debug)]
pub(super) struct LimitWatch {
    exceeded: Arc<OnceLock<String>>,
    timer: Option<JoinHandle<()>>,
}

impl LimitWatch {
    /// Starts to watch. The call is cancelled through `cancel`. Returns its meter.
    pub(super) fn start(limits: CallLimits, cancel: &CancelToken) -> (Self, Meter) {
        let exceeded = Arc::new(OnceLock::new());
        if limits == CallLimits::default() {
            return (Self { exceeded, timer: None }, Meter::new());
        }
        let timer = limits.time.map(|limit| {
            let (exceeded, cancel) = (Arc::clone(&exceeded), cancel.clone());
            tokio::spawn(async move {
                tokio::time::sleep(limit.most).await;
                stop(&exceeded, &cancel, &limit.message);
            })
        });
        let mut watched = MeterLimits::default();
        watched.memory = limits.memory.as_ref().map(|limit| limit.most);
        watched.processes = limits.processes.as_ref().map(|limit| limit.most);
        let (told, cancel) = (Arc::clone(&exceeded), cancel.clone());
        let meter = Meter::limited(watched, move |figure| {
            let limit = match figure {
                Figure::Memory => limits.memory.as_ref(),
                Figure::Processes => limits.processes.as_ref(),
                _ => None,
            };
            if let Some(limit) = limit {
                stop(&told, &cancel, &limit.message);
            }
        });
        (Self { exceeded, timer }, meter)
    }

    /// Returns the message of the first limit that was exceeded.
    pub(super) fn exceeded(&self) -> Option<&str> {
        self.exceeded.get().map(String::as_str)
    }
}

impl Drop for LimitWatch {
    fn drop(&mut self) {
        if let Some(timer) = &self.timer {
            timer.abort();
        }
    }
}

fn stop(exceeded: &OnceLock<String>, cancel: &CancelToken, message: &str) {
    if exceeded.set(message.to_owned()).is_ok() {
        cancel.cancel(message);
    }
}
