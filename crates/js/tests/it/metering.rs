//! What a JavaScript tool uses is counted for the call that uses it.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    sync::Arc,
    thread,
};

use serde_json::{Value, json};
use toolsmith_js::{EngineKind, Limits};
use toolsmith_testkit::has_program;
use toolsmith_tool::{
    CallMetrics, CancelToken, Figure, Meter, MeterLimits, Tool, ToolCall, ToolContext, ToolError, ToolResult,
};

use crate::project::{Project, tool_source};

const DONE: &str = "return { content: [{ type: 'text', text: 'done' }] };";

async fn metered(
    tool: &Arc<dyn Tool>,
    arguments: Value,
    meter: &Meter,
) -> (Result<ToolResult, ToolError>, CallMetrics) {
    let context = ToolContext::detached().with_meter(meter.clone());
    let outcome = tool.execute(ToolCall::new("call-1", arguments), context).await;
    (outcome, meter.read())
}

async fn metrics_of(body: &str, arguments: Value) -> CallMetrics {
    let project = Project::new(&[("t.ts", &tool_source(&format!("{body}\n{DONE}")))]);
    let (outcome, metrics) = metered(&project.tool("t.ts").await, arguments, &Meter::new()).await;
    outcome.unwrap_or_else(|error| panic!("{error}"));
    metrics
}

/// Answers every request with ten bytes.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: close\r\n\r\n0123456789");
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_a_call_that_does_nothing_has_all_figures_and_they_are_zero_or_small() {
    let metrics = metrics_of("", json!({})).await;
    let counts = (metrics.read_bytes, metrics.written_bytes, metrics.requests, metrics.processes);
    assert_eq!(counts, (Some(0), Some(0), Some(0), Some(0)));
    assert!(metrics.cpu_us.is_some() && metrics.peak_memory_bytes.unwrap() > 0, "{metrics:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_bytes_of_files_are_counted_by_every_way_to_read_and_write_them() {
    let body = "const fs = await import('node:fs');
        fs.writeFileSync('a', 'x'.repeat(1000));
        await fs.promises.writeFile('b', 'y'.repeat(200));
        fs.copyFileSync('a', 'c');
        fs.readFileSync('a');
        await fs.promises.readFile('b', 'utf8');
        const fd = fs.openSync('c', 'r'); fs.readSync(fd, Buffer.alloc(50), 0, 50, 0); fs.closeSync(fd);";
    let metrics = metrics_of(body, json!({})).await;
    assert_eq!(metrics.written_bytes, Some(1000 + 200 + 1000));
    assert_eq!(metrics.read_bytes, Some(1000 + 1000 + 200 + 50));
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_requests_and_processes_are_counted_with_their_bytes() {
    let body = "await (await fetch(params.url, { method: 'POST', body: 'abc' })).text();
        await pi.exec('cat', [], { stdin: '12345' });
        const { spawnSync } = await import('node:child_process');
        spawnSync('printf', ['four']);";
    let metrics = metrics_of(body, json!({ "url": server() })).await;
    assert_eq!((metrics.requests, metrics.processes), (Some(1), Some(2)));
    assert_eq!((metrics.read_bytes, metrics.written_bytes), (Some(10 + 5 + 4), Some(3 + 5)));
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_memory_is_the_peak_of_the_call_and_not_of_an_earlier_one() {
    let body = "if (params.hold) globalThis.gone = new Uint8Array(32 << 20).fill(1).length;";
    let project = Project::new(&[("t.ts", &tool_source(&format!("{body}\n{DONE}")))]);
    let tool = project.tool("t.ts").await;
    let peak = |metrics: CallMetrics| metrics.peak_memory_bytes.unwrap();
    let large = peak(metered(&tool, json!({ "hold": true }), &Meter::new()).await.1);
    let small = peak(metered(&tool, json!({}), &Meter::new()).await.1);
    assert!(large >= 32 << 20, "{large}");
    assert!(small < 32 << 20, "{small}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_cpu_time_of_two_calls_at_once_belongs_to_the_one_that_computes() {
    // The first waits while the second computes, in the same module.
    let body = "const wait = () => new Promise((resolve) => setTimeout(resolve, 1));
        if (params.computes) { for (let round = 0; round < 30; round++) { let sum = 0;
            for (let i = 0; i < 100000; i++) sum += i; await wait(); } globalThis.over = true; }
        else while (!globalThis.over) await wait();";
    let project = Project::new(&[("t.ts", &tool_source(&format!("{body}\n{DONE}")))]);
    let tool = project.tool("t.ts").await;
    let (waits, computes) = (Meter::new(), Meter::new());
    let (one, other) = tokio::join!(
        metered(&tool, json!({}), &waits),
        metered(&tool, json!({ "computes": true }), &computes)
    );
    one.0.unwrap();
    other.0.unwrap();
    let (waited, computed) = (one.1.cpu_us.unwrap(), other.1.cpu_us.unwrap());
    assert!(computed > 4 * waited, "{computed} against {waited}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_a_call_that_was_killed_in_a_loop_has_its_cpu_time_or_none() {
    let body = "onUpdate({ content: [{ type: 'text', text: 'up' }] }); for (;;) {}";
    let limits = Limits::default().grace(std::time::Duration::from_millis(20));
    let project = Project::with_limits(limits, &[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let (cancel, meter) = (CancelToken::new(), Meter::new());
    let stop = cancel.clone();
    let context = ToolContext::detached()
        .with_meter(meter.clone())
        .with_cancel(cancel)
        .with_updates(toolsmith_tool::UpdateSink::new(move |_| stop.cancel("enough")));
    let outcome = tool.execute(ToolCall::new("call-1", json!({})), context).await;
    assert!(matches!(outcome, Err(ToolError::Stopped { .. })), "{outcome:?}");
    // Not known if the thread did not end in time; never zero.
    assert_ne!(meter.read().cpu_us, Some(0), "{meter:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_a_call_cannot_take_more_memory_than_its_budget_and_the_next_one_can() {
    let body = "const held = new Uint8Array((params.mb ?? 1) << 20).fill(1); globalThis.size = held.length;";
    let project = Project::new(&[("t.ts", &tool_source(&format!("{body}\n{DONE}")))]);
    let tool = project.tool("t.ts").await;
    let mut limits = MeterLimits::default();
    limits.memory = Some(24 << 20);
    let (exceeded, told) = std::sync::mpsc::channel();
    let meter = Meter::limited(limits, move |figure| exceeded.send(figure).unwrap());
    let (outcome, metrics) = metered(&tool, json!({ "mb": 64 }), &meter).await;
    assert_eq!(told.try_recv(), Ok(Figure::Memory));
    assert_eq!(outcome.unwrap_err().to_string(), "The tool exceeded its memory limit of 24 MB");
    assert!(metrics.peak_memory_bytes.unwrap() <= 24 << 20, "{metrics:?}");
    metered(&tool, json!({ "mb": 64 }), &Meter::new()).await.0.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_what_a_sidecar_uses_is_not_known_and_not_zero() {
    if !has_program("node") {
        return;
    }
    let body = format!("await pi.exec('true', []); {DONE}");
    let project = Project::with_options(Limits::default(), &[("t.ts", &tool_source(&body))], |options| {
        options.engine(EngineKind::Node)
    });
    let (outcome, metrics) = metered(&project.tool("t.ts").await, json!({}), &Meter::new()).await;
    outcome.unwrap();
    assert_eq!(metrics, CallMetrics::default());
}
