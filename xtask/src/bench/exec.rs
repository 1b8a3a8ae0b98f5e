//! What the supervisor of `toolsmith_host::exec` costs: starting and ending processes beside the standard library's way.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use toolsmith_host::exec::{Request, run as run_supervised};
use toolsmith_tool::CancelToken;

use super::{
    report::Report,
    sample::{Sample, describe},
};

/// Name in the report.
const SUBJECT: &str = "Processes, with a supervisor each";
const STANDARD: &str = "the standard library";
const ROUNDS: usize = 200;
/// Memory of a typical session; a fork copies its page tables.
const BALLAST_BYTES: usize = 64 << 20;

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (plain, supervised) = start_and_wait(&runtime)?;
    println!("exec: start `true` and wait for it, {ROUNDS} rounds, median (middle half)");
    println!("  standard library        {}", describe(&plain));
    println!("  supervised              {}   {:.2} ×", describe(&supervised), supervised.ratio(&plain));
    report.compare(SUBJECT, "start `true` and wait for it", &supervised, (STANDARD, &plain), None);
    let ballast = vec![1_u8; BALLAST_BYTES];
    let (plain, supervised) = start_and_wait(&runtime)?;
    std::hint::black_box(&ballast);
    println!("  the same from a program that holds {} MB", BALLAST_BYTES >> 20);
    println!("  standard library        {}", describe(&plain));
    println!("  supervised              {}   {:.2} ×", describe(&supervised), supervised.ratio(&plain));
    let what = format!("the same from a program that holds {} MB", BALLAST_BYTES >> 20);
    report.compare(SUBJECT, what, &supervised, (STANDARD, &plain), None);
    println!("exec: cancel to all gone, a tree that ignores SIGTERM, no grace");
    let gone = cancel_to_gone(&runtime)?;
    println!("  supervised              {}", describe(&gone));
    report.figure(
        SUBJECT,
        "cancel to all gone, a tree that ignores SIGTERM, no grace",
        describe(&gone),
        None,
    );
    Ok(())
}

fn start_and_wait(runtime: &tokio::runtime::Runtime) -> Result<(Sample, Sample)> {
    let (mut plain, mut supervised) = (Sample::default(), Sample::default());
    let request = Request::new("true");
    for _ in 0..ROUNDS {
        let start = Instant::now();
        #[expect(clippy::disallowed_methods, reason = "the standard library is what is measured here")]
        let mut child = Command::new("true")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        child.wait()?;
        plain.push(start.elapsed());

        let start = Instant::now();
        runtime.block_on(run_supervised(&request, &CancelToken::new(), |_| {}))?;
        supervised.push(start.elapsed());
    }
    Ok((plain, supervised))
}

fn cancel_to_gone(runtime: &tokio::runtime::Runtime) -> Result<Sample> {
    let mut sample = Sample::default();
    let script = "trap '' TERM; setsid sleep 1000 & (setsid sh -c 'sleep 1000' &); echo up; sleep 1000";
    let request = Request::new("sh").args(["-c", script]).grace(Duration::ZERO);
    for _ in 0..ROUNDS / 10 {
        let cancel = CancelToken::new();
        let mut cancelled = None;
        runtime.block_on(run_supervised(&request, &cancel, |_| {
            cancelled.get_or_insert_with(Instant::now);
            cancel.cancel("bench");
        }))?;
        sample.push(cancelled.context("the tree never came up")?.elapsed());
    }
    Ok(sample)
}
