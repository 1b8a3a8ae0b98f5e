//! Several calls of one turn.

use std::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::sync::Barrier;
use toolsmith_agent::{CallEnd, CallRequest};
use toolsmith_testkit::agent::{Probe, dispatching, embedded, spec};
use toolsmith_tool::{CancelToken, Concurrency, Stop, ToolContext, ToolResult};

fn call(id: &str, name: &str) -> CallRequest {
    CallRequest::new(id, name, format!("{{\"text\":\"{id}\"}}"))
}

#[tokio::test]
async fn c4_8_shared_calls_run_side_by_side() {
    // Each waits for all: one after the other they would wait for ever.
    let barrier = Arc::new(Barrier::new(8));
    let probe = Probe::new(spec("meet"), move |call, _| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            Ok(ToolResult::text(call.id))
        }
    });
    let calls = (0..8).map(|at| call(&at.to_string(), "meet")).collect();
    let outcomes = dispatching([probe]).build().run_batch(calls).await;
    let order: Vec<String> = outcomes.iter().map(|outcome| outcome.result.joined_text()).collect();
    assert_eq!(order, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[tokio::test]
async fn c4_8_results_keep_the_order_asked_whoever_ends_first() {
    let probe = Probe::new(spec("later"), |call, _| async move {
        let steps = 10 - call.id.parse::<usize>().unwrap();
        for _ in 0..steps {
            tokio::task::yield_now().await;
        }
        Ok(ToolResult::text(call.id))
    });
    let calls = (0..10).map(|at| call(&at.to_string(), "later")).collect();
    let outcomes = dispatching([probe]).build().run_batch(calls).await;
    assert!(outcomes.iter().enumerate().all(|(at, outcome)| outcome.id == at.to_string()));
}

#[tokio::test]
async fn c4_8_an_exclusive_call_is_alone() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let running = Arc::new(AtomicUsize::new(0));
    let probe = |name: &'static str, concurrency| {
        let (log, running) = (Arc::clone(&log), Arc::clone(&running));
        Probe::new(spec(name).concurrency(concurrency), move |call, _| {
            let (log, running) = (Arc::clone(&log), Arc::clone(&running));
            async move {
                let beside = running.fetch_add(1, Ordering::SeqCst);
                if name == "alone" {
                    assert_eq!(beside, 0);
                }
                for _ in 0..20 {
                    tokio::task::yield_now().await;
                    if name == "alone" {
                        assert_eq!(running.load(Ordering::SeqCst), 1);
                    }
                }
                log.lock().unwrap().push(call.id);
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(ToolResult::text("ok"))
            }
        })
    };
    let tools = [probe("alone", Concurrency::Exclusive), probe("beside", Concurrency::Shared)];
    let calls = vec![
        call("a", "beside"),
        call("b", "beside"),
        call("X", "alone"),
        call("Y", "alone"),
        call("c", "beside"),
    ];
    let outcomes = dispatching(tools).build().run_batch(calls).await;
    assert!(outcomes.iter().all(|outcome| !outcome.is_error()), "{outcomes:?}");
    assert_eq!(log.lock().unwrap()[2..], ["X", "Y", "c"]);
}

#[tokio::test]
async fn a_call_id_used_twice_runs_once() {
    let outcomes = dispatching([Probe::echo("echo")])
        .build()
        .run_batch(vec![call("same", "echo"), call("same", "echo"), call("other", "echo")])
        .await;
    assert_eq!(outcomes.len(), 3);
    assert_eq!(outcomes[1].end, CallEnd::DuplicateId);
    assert!(outcomes[1].result.joined_text().contains("\"same\" belongs to an earlier call"));
    assert!(!outcomes[0].is_error() && !outcomes[2].is_error());
}

#[tokio::test]
async fn a_hundred_calls_never_run_more_at_once_than_allowed() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let probe = Probe::new(spec("count"), {
        let most = Arc::clone(&most);
        move |_, _| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(ToolResult::text("ok"))
            }
        }
    });
    let calls = (0..100).map(|at| call(&at.to_string(), "count")).collect();
    let outcomes = dispatching([probe]).max_parallel(4).build().run_batch(calls).await;
    assert_eq!(outcomes.iter().filter(|outcome| !outcome.is_error()).count(), 100);
    assert!(most.load(Ordering::SeqCst) <= 4);
}

#[tokio::test]
async fn c4_6_what_had_not_started_when_the_run_was_cancelled_never_does() {
    let cancel = CancelToken::new();
    let probe = Probe::new(spec("first").concurrency(Concurrency::Exclusive), {
        let cancel = cancel.clone();
        move |_, _| {
            cancel.cancel("enough");
            async { Ok(ToolResult::text("done anyway")) }
        }
    });
    let context = || ToolContext::detached().with_cancel(cancel.child());
    let calls = vec![call("1", "first").context(context()), call("2", "echo").context(context())];
    let outcomes = dispatching([probe, Probe::echo("echo")]).build().run_batch(calls).await;
    assert_eq!(outcomes[0].result.joined_text(), "done anyway");
    assert_eq!(outcomes[1].end, CallEnd::Stopped(Stop::NotStarted));
    assert_eq!(outcomes[1].result.joined_text(), "cancelled before it started (enough)");
}

#[tokio::test]
async fn c4_8_tools_that_compute_do_so_on_several_cores() {
    // Each blocks its thread until all have begun; on one thread the first would wait for ever.
    let begun = Arc::new((Mutex::new(0), Condvar::new()));
    let probe = Probe::new(spec("compute"), move |call, _| {
        let begun = Arc::clone(&begun);
        async move {
            let (count, all) = &*begun;
            *count.lock().unwrap() += 1;
            all.notify_all();
            let (count, timeout) = all
                .wait_timeout_while(count.lock().unwrap(), Duration::from_secs(30), |count| *count < 4)
                .unwrap();
            assert!(!timeout.timed_out(), "only {count} ran at once");
            Ok(ToolResult::text(call.id))
        }
    });
    let calls = (0..4).map(|at| call(&at.to_string(), "compute")).collect();
    let outcomes = embedded([probe]).build().run_batch(calls).await;
    assert!(outcomes.iter().all(|outcome| !outcome.is_error()), "{outcomes:?}");
}
