//! Meters of a call: counters that the layers below a call add to, and the figures that are read from them at its end.
//!
//! A figure is known only if whoever runs the tool says so. What is counted of a figure that is not known is not reported,
//! because a part would be taken for the whole.

use std::{
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};

/// Figures of one call. A missing figure is not known, which is not the same as zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct CallMetrics {
    /// Wall time in microseconds, without the time a person took to approve the call.
    pub wall_us: u64,
    /// CPU time in microseconds, of the tool and of its processes that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Peak memory in bytes: of the tool's engine or of its largest process, whichever is larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<u64>,
    /// Bytes read from files, connections and processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<u64>,
    /// Bytes written to files, connections and processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    /// Requests sent and connections opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// Processes started by the tool itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// Bytes of the result as the tool returned it.
    pub output_bytes: u64,
    /// Estimated tokens of the result as the model receives it.
    pub result_tokens: u64,
}

/// A figure that is not known for every tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Figure {
    /// CPU time.
    Cpu,
    /// Peak memory.
    Memory,
    /// Bytes read.
    Read,
    /// Bytes written.
    Written,
    /// Number of requests.
    Requests,
    /// Number of processes.
    Processes,
}

impl Figure {
    /// All figures.
    pub const ALL: [Self; 6] =
        [Self::Cpu, Self::Memory, Self::Read, Self::Written, Self::Requests, Self::Processes];

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Limits that a meter watches while a call runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeterLimits {
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Number of processes.
    pub processes: Option<u64>,
}

type OnExceeded = Box<dyn Fn(Figure) + Send + Sync>;

#[derive(Default)]
struct Counters {
    known: AtomicU8,
    cpu_ns: AtomicU64,
    memory: AtomicU64,
    read: AtomicU64,
    written: AtomicU64,
    requests: AtomicU64,
    processes: AtomicU64,
    limits: MeterLimits,
    on_exceeded: Option<OnExceeded>,
}

/// The meter of a call. Clones are the same meter; the default one counts nothing.
#[derive(Clone, Default)]
pub struct Meter {
    counters: Option<Arc<Counters>>,
}

impl Meter {
    /// Creates a meter of which nothing is known yet.
    pub fn new() -> Self {
        Self { counters: Some(Arc::default()) }
    }

    /// Creates a meter with limits. `on_exceeded` is called each time one is found to be exceeded; it must not block.
    pub fn limited(limits: MeterLimits, on_exceeded: impl Fn(Figure) + Send + Sync + 'static) -> Self {
        let counters = Counters { limits, on_exceeded: Some(Box::new(on_exceeded)), ..Counters::default() };
        Self { counters: Some(Arc::new(counters)) }
    }

    /// Declares that everything the call uses of these figures is counted.
    pub fn knows(&self, figures: &[Figure]) {
        if let Some(counters) = &self.counters {
            let bits = figures.iter().fold(0, |bits, figure| bits | figure.bit());
            counters.known.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Declares that a part of this figure was lost, so that it is not reported.
    pub fn forget(&self, figure: Figure) {
        if let Some(counters) = &self.counters {
            counters.known.fetch_and(!figure.bit(), Ordering::Relaxed);
        }
    }

    /// Adds CPU time.
    pub fn add_cpu(&self, time: Duration) {
        self.add(|counters| &counters.cpu_ns, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Records memory in use.
    pub fn note_memory(&self, bytes: u64) {
        let Some(counters) = &self.counters else { return };
        counters.memory.fetch_max(bytes, Ordering::Relaxed);
        counters.check(Figure::Memory, bytes, counters.limits.memory);
    }

    /// Adds bytes that were read.
    pub fn add_read(&self, bytes: usize) {
        self.add(|counters| &counters.read, bytes as u64);
    }

    /// Adds bytes that were written.
    pub fn add_written(&self, bytes: usize) {
        self.add(|counters| &counters.written, bytes as u64);
    }

    /// Adds a request.
    pub fn add_request(&self) {
        self.add(|counters| &counters.requests, 1);
    }

    /// Adds a process; returns whether it may be started.
    pub fn add_process(&self) -> bool {
        let Some(counters) = &self.counters else { return true };
        let count = counters.processes.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let fits = counters.check(Figure::Processes, count, counters.limits.processes);
        if !fits {
            counters.processes.fetch_sub(1, Ordering::Relaxed);
        }
        fits
    }

    /// Reports that a limit was exceeded that somebody else enforced.
    pub fn exceed(&self, figure: Figure) {
        if let Some(on_exceeded) = self.counters.as_ref().and_then(|counters| counters.on_exceeded.as_ref()) {
            on_exceeded(figure);
        }
    }

    /// Takes back a process that could not be started.
    pub fn remove_process(&self) {
        if let Some(counters) = &self.counters {
            counters.processes.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Returns the memory limit of the call.
    pub fn memory_limit(&self) -> Option<u64> {
        self.counters.as_ref().and_then(|counters| counters.limits.memory)
    }

    /// Counts what is read from `source`.
    pub fn reading<R>(&self, source: R) -> MeteredReader<R> {
        MeteredReader { source, meter: self.clone() }
    }

    /// Returns the figures that are known. Wall time and the size of the result are the caller's.
    pub fn read(&self) -> CallMetrics {
        let Some(counters) = &self.counters else { return CallMetrics::default() };
        let known = counters.known.load(Ordering::Relaxed);
        let get = |figure: Figure, counter: &AtomicU64| {
            (known & figure.bit() != 0).then(|| counter.load(Ordering::Relaxed))
        };
        CallMetrics {
            cpu_us: get(Figure::Cpu, &counters.cpu_ns).map(|nanoseconds| nanoseconds / 1000),
            peak_memory_bytes: get(Figure::Memory, &counters.memory),
            read_bytes: get(Figure::Read, &counters.read),
            written_bytes: get(Figure::Written, &counters.written),
            requests: get(Figure::Requests, &counters.requests),
            processes: get(Figure::Processes, &counters.processes),
            ..CallMetrics::default()
        }
    }

    fn add(&self, counter: impl FnOnce(&Counters) -> &AtomicU64, amount: u64) {
        if let Some(counters) = &self.counters {
            // Counters of bytes and nanoseconds do not overflow within the life of a process.
            counter(counters).fetch_add(amount, Ordering::Relaxed);
        }
    }
}

impl Counters {
    fn check(&self, figure: Figure, value: u64, limit: Option<u64>) -> bool {
        let fits = limit.is_none_or(|limit| value <= limit);
        if !fits && let Some(on_exceeded) = &self.on_exceeded {
            on_exceeded(figure);
        }
        fits
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Meter").field(&self.read()).finish()
    }
}

/// A reader whose bytes are counted.
#[derive(Debug)]
pub struct MeteredReader<R> {
    source: R,
    meter: Meter,
}

impl<R: io::Read> io::Read for MeteredReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.meter.add_read(count);
        Ok(count)
    }
}

#[cfg(test)]
#[path = "meter_tests.rs"]
mod tests;
