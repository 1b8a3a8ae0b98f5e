//! Whole processes: their time and memory.

use std::{
    fs,
    io::Read,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

/// Exit code of `toolsmith call` with an undecided preview.
const PREVIEWED: i32 = 3;
/// Sampling interval. Allocations in the last moments are missed.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Runs it to its end, and expects a text in its output.
pub(crate) fn timed(command: &mut Command, expected: &str) -> Result<Duration> {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    let elapsed = start.elapsed();
    check(&output, expected)?;
    Ok(elapsed)
}

fn check(output: &Output, expected: &str) -> Result<()> {
    let printed = String::from_utf8_lossy(&output.stdout);
    let ended_well = output.status.success() || output.status.code() == Some(PREVIEWED);
    let said = || format!("{}\n{printed}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    ensure!(ended_well, "a measured program failed: {}", said());
    ensure!(printed.contains(expected), "a measured program did not print {expected:?}: {}", said());
    Ok(())
}

/// Resource usage of a process.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// Peak resident memory in bytes.
    pub(crate) peak: usize,
    /// CPU time of all threads, to the precision of clock ticks.
    pub(crate) processor: Duration,
}

/// Runs it to its end and samples it. Children are not counted.
pub(crate) fn watched(command: &mut Command, expected: &str) -> Result<Usage> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let mut usage = Usage::default();
    let status = loop {
        if let Some(peak) = memory(&child, "VmHWM:") {
            usage.peak = usage.peak.max(peak);
        }
        if let Some(processor) = processor(&child) {
            usage.processor = processor;
        }
        if let Some(status) = child.try_wait()? {
            break status;
        }
        thread::sleep(LOOK_EVERY);
    };
    let read = |bytes: thread::JoinHandle<Vec<u8>>| bytes.join().unwrap_or_default();
    check(&Output { status, stdout: read(stdout), stderr: read(stderr) }, expected)?;
    Ok(usage)
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // Output so far, shown if the program fails.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Returns a memory field of the process in bytes.
pub(crate) fn memory(child: &Child, field: &str) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    Some(line.split_whitespace().next()?.parse::<usize>().ok()? * 1024)
}

fn processor(child: &Child) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // The name in parentheses may contain anything; the state follows it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks()? + ticks()?) * 10))
}

/// Stops a waiting process, as a user would.
pub(crate) fn end(mut child: Child) -> Result<()> {
    child.kill().context("a measured program could not be ended")?;
    child.wait()?;
    Ok(())
}

/// Converts bytes to megabytes.
pub(crate) fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
