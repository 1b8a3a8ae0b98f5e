//! What a process uses is counted in the meter of the call that starts it.

use toolsmith_host::exec::{ExecError, Request, Stdin, run, spawn};
use toolsmith_tool::{CancelToken, Figure, Meter, MeterLimits};

use crate::outcomes::sh;

/// Bytes that `tail` has to hold.
const HELD: u64 = 64 << 20;

fn meter() -> Meter {
    let meter = Meter::new();
    meter.knows(&Figure::ALL);
    meter
}

#[tokio::test]
async fn c13_a_command_is_counted_with_its_cpu_time_and_what_passed_its_pipes() {
    let meter = meter();
    let script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; wc -c; echo err >&2";
    let request = sh(script).stdin(Stdin::Bytes(vec![b'x'; 1000])).meter(&meter);
    let done = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    let metrics = meter.read();
    let printed = done.stdout.text().len() + done.stderr.text().len();
    assert_eq!((metrics.processes, metrics.written_bytes), (Some(1), Some(1000)));
    assert_eq!(metrics.read_bytes, Some(printed as u64));
    assert!(metrics.cpu_us.unwrap() > 0, "{metrics:?}");
    assert!(metrics.peak_memory_bytes.unwrap() > 0, "{metrics:?}");
}

#[tokio::test]
async fn c13_memory_and_cpu_of_descendants_count_if_they_were_waited_for() {
    let (small, large) = (meter(), meter());
    run(&sh("true").meter(&small), &CancelToken::new(), |_| {}).await.unwrap();
    let script = format!("head -c {HELD} /dev/zero | tail -c {HELD} | wc -c");
    run(&sh(&script).meter(&large), &CancelToken::new(), |_| {}).await.unwrap();
    let peak = |meter: &Meter| meter.read().peak_memory_bytes.unwrap();
    assert!(peak(&large) >= HELD, "{large:?}");
    assert!(peak(&small) < HELD, "{small:?}");
}

#[tokio::test]
async fn c13_a_program_that_could_not_be_started_is_not_counted() {
    let meter = meter();
    let request = Request::new("no-such-program-anywhere").meter(&meter);
    assert!(matches!(spawn(&request), Err(ExecError::NotInPath { .. })));
    assert_eq!(meter.read().processes, Some(0));
}

#[tokio::test]
async fn c13_a_killed_tree_reports_what_it_used() {
    let meter = meter();
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let request =
        sh("trap '' TERM; echo up; while :; do :; done").meter(&meter).grace(std::time::Duration::ZERO);
    let done = run(&request, &cancel, move |_| stop.force("enough")).await.unwrap();
    assert!(done.killed);
    assert!(meter.read().cpu_us.is_some() && meter.read().peak_memory_bytes.unwrap() > 0, "{meter:?}");
}

#[tokio::test]
async fn c13_a_process_beyond_the_limit_is_not_started() {
    let mut limits = MeterLimits::default();
    limits.processes = Some(0);
    let meter = Meter::limited(limits, |_| {});
    let refused = run(&sh("echo never").meter(&meter), &CancelToken::new(), |_| {}).await.unwrap_err();
    assert_eq!(refused.to_string(), "\"sh\" was not started: the call has reached its limit of processes");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn c13_a_process_that_holds_more_than_its_limit_is_noticed_while_it_runs() {
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let mut limits = MeterLimits::default();
    limits.memory = Some(HELD / 2);
    let meter = Meter::limited(limits, move |figure| {
        assert_eq!(figure, Figure::Memory);
        stop.cancel("too much memory");
    });
    let script = format!("{{ head -c {HELD} /dev/zero; sleep 1000; }} | tail -c {HELD} >/dev/null");
    let done = run(&sh(&script).meter(&meter), &cancel, |_| {}).await.unwrap();
    assert!(done.killed);
}
