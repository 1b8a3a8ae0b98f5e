//! The blocking part of a built-in tool, with its meters.

use toolsmith_host::{blocking::blocking, cpu_clock::CpuTimer};
use toolsmith_tool::{CancelToken, Figure, Meter, ToolError};

/// Figures that are known of a built-in tool that works in this process. Its memory is not told from the program's.
const KNOWN: [Figure; 5] = [Figure::Cpu, Figure::Read, Figure::Written, Figure::Requests, Figure::Processes];

/// Runs `work` on a blocking thread and counts its CPU time. Threads that it starts count their own.
pub(crate) async fn metered<T: Send + 'static>(
    cancel: &CancelToken,
    meter: &Meter,
    work: impl FnOnce(&CancelToken) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    meter.knows(&KNOWN);
    let meter = meter.clone();
    blocking(cancel, move |cancel| {
        let _timer = CpuTimer::start(&meter);
        work(cancel)
    })
    .await
}
