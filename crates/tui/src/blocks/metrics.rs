//! The figures of a call in one line: only what is worth seeing, or all that is known.

use toolsmith_text::{size_text, time_text};
use toolsmith_tool::CallMetrics;

/// CPU time that is worth seeing, in microseconds.
const CPU: u64 = 500_000;
/// Memory that is worth seeing.
const MEMORY: u64 = 32 << 20;
/// Bytes read or written that are worth seeing.
const BYTES: u64 = 1 << 20;
/// Result tokens that are worth seeing.
const TOKENS: u64 = 5_000;

/// Formats the figures of a call. Without `everything`, small ones are left out, and there is no line if all are small.
pub fn metrics_text(metrics: &CallMetrics, everything: bool) -> Option<String> {
    let worth = |value: Option<u64>, least: u64| value.filter(|value| everything || *value >= least);
    let counted =
        |count: u64, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let parts: Vec<String> = [
        worth(metrics.cpu_us, CPU).map(|time| format!("{} CPU", time_text(time))),
        worth(metrics.peak_memory_bytes, MEMORY).map(size_text),
        worth(metrics.read_bytes, BYTES).map(|bytes| format!("{} read", size_text(bytes))),
        worth(metrics.written_bytes, BYTES).map(|bytes| format!("{} written", size_text(bytes))),
        worth(metrics.requests, 1).map(|count| counted(count, "request", "requests")),
        // One process is what `bash` is for.
        worth(metrics.processes, 2).map(|count| counted(count, "process", "processes")),
        worth(Some(metrics.result_tokens), TOKENS).map(|count| format!("~{count} tokens")),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| format!("{} · {}", time_text(metrics.wall_us), parts.join(" · ")))
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
