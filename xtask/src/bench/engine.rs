//! The engine compared with Bun: cold starts, loading, calls, stopping, memory, and a soak.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use tokio::runtime::Runtime;
use toolsmith_js::{Engine, EngineOptions, Limits};
use toolsmith_tool::{CancelToken, Tool, ToolCall, ToolContext, UpdateSink};

use super::{
    crossing,
    modules::{self, Modules},
    peers,
    process::timed,
    report::{Report, kept},
    sample::{Sample, describe, verdict},
};

/// Name in the report.
const SUBJECT: &str = "The engine";

/// Task of this program as a child process of the benchmark: load one tool and call it.
pub(crate) const CHILD: &str = "bench-engine-child";

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let Modules { folder, bun } = modules::prepare()?;
    cold_starts(&folder, &bun, report)?;
    loading(&folder, &bun, report)?;
    memory(&folder)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    crossing::run(SUBJECT, &runtime, &folder, &bun, report)?;
    stopping(&runtime, &folder, report)?;
    parallel(&runtime, &folder, report)?;
    soak(&runtime, &folder)
}

/// The child process: does one thing and prints what the parent expects.
pub(crate) fn child(arguments: &[&str]) -> Result<()> {
    // As the commands do: one worker, and argument validation is prepared while the module loads.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let folder = std::env::current_dir()?;
    runtime.block_on(async {
        let engine = Engine::new(EngineOptions::new(&folder));
        let paths = |kind: &str, count: &str| -> Result<Vec<PathBuf>> {
            Ok((0..count.parse()?)
                .map(|index: usize| folder.join(kind).join(format!("t{index}.ts")))
                .collect())
        };
        match arguments {
            ["call", kind] => {
                let _ = std::thread::spawn(toolsmith_tool::ArgumentSchema::warm_up);
                let module = engine.load(&paths(kind, "1")?).await.remove(0);
                let Some(loaded) = module.tools.first() else { bail!("{:?}", module.errors) };
                let mut registry = toolsmith_tool::Registry::new();
                registry.register(Arc::clone(&loaded.tool), toolsmith_tool::Origin::built_in())?;
                let registered = registry.get(&loaded.tool.spec().name).context("it was just registered")?;
                let prepared = registered.arguments.prepare_text("t", "{\"n\": 1}")?;
                let call = ToolCall::new("id", prepared.arguments);
                println!("{}", loaded.tool.execute(call, ToolContext::detached()).await?.joined_text());
            }
            ["load", kind, count] => {
                let modules = engine.load(&paths(kind, count)?).await;
                println!("{}", modules.iter().map(|module| module.tools.len()).sum::<usize>());
            }
            ["scan", kind, count] => {
                let modules = engine.scan(&paths(kind, count)?).await;
                println!("{}", modules.iter().map(|module| module.tools.len()).sum::<usize>());
            }
            ["memory", kind, count] => {
                let before = resident();
                let modules = engine.load(&paths(kind, count)?).await;
                let each = |bytes: usize| bytes as f64 / modules.len() as f64 / 1e6;
                println!(
                    "{:.2} MB resident each, {:.2} MB of it JavaScript's",
                    each(resident() - before),
                    each(engine.stats().memory)
                );
            }
            ["trip", size, rounds] => crossing::trip(&folder, size.parse()?, rounds.parse()?).await?,
            _ => bail!("not for people"),
        }
        // The parent measures the whole process, including its exit.
        #[expect(clippy::exit, reason = "as a command ends when its output is written")]
        std::process::exit(0)
    })
}

fn cold_starts(folder: &Path, bun: &Path, report: &mut Report) -> Result<()> {
    println!("engine: one tool loaded and called once, whole process, 40 rounds");
    let own = std::env::current_exe()?;
    for (kind, budget) in [("typebox", 0.30), ("zod", 0.40)] {
        let (mut ours, mut theirs) = (Sample::default(), Sample::default());
        for _ in 0..40 {
            ours.push(timed(peers::start(&own, folder).args([CHILD, "call", kind]), "Found 3")?);
            theirs.push(timed(
                peers::start(bun, folder).args(["run", "run.ts", kind, "1", "call"]),
                "Found 3",
            )?);
        }
        println!("  {kind:<8} toolsmith {}", describe(&ours));
        println!("  {kind:<8} bun       {}   {}", describe(&theirs), verdict(ours.ratio(&theirs), budget));
        let what = format!("load and call a {kind} tool, whole process");
        report.compare(SUBJECT, what, &ours, ("bun", &theirs), Some(budget));
    }
    Ok(())
}

fn loading(folder: &Path, bun: &Path, report: &mut Report) -> Result<()> {
    println!(
        "engine: modules loaded and described, whole process, 10 rounds (budget for a scan of 100: 0.5 ×)"
    );
    let own = std::env::current_exe()?;
    for kind in ["typebox", "zod"] {
        for count in ["1", "10", "100"] {
            let (mut load, mut scan, mut theirs) = (Sample::default(), Sample::default(), Sample::default());
            for _ in 0..10 {
                load.push(timed(peers::start(&own, folder).args([CHILD, "load", kind, count]), count)?);
                scan.push(timed(peers::start(&own, folder).args([CHILD, "scan", kind, count]), count)?);
                theirs.push(timed(
                    peers::start(bun, folder).args(["run", "run.ts", kind, count, "count"]),
                    count,
                )?);
            }
            let note = verdict(scan.ratio(&theirs), 0.5);
            let budget = (count == "100").then_some(0.5);
            let what = format!("load and describe {count} {kind} modules");
            report.compare(SUBJECT, what, &scan, ("bun", &theirs), budget);
            println!(
                "  {kind:<8} {count:>3}: own runtimes {}, scan {}, bun {}   {note}",
                describe(&load),
                describe(&scan),
                describe(&theirs)
            );
        }
    }
    Ok(())
}

pub(super) async fn load_tool(
    folder: &Path,
    name: &str,
    body: &str,
    limits: Limits,
) -> Result<(Engine, Arc<dyn Tool>)> {
    let path = folder.join(format!("{name}.ts"));
    fs::write(
        &path,
        format!(
            "export default (pi) => ({{ name: \"{name}\", description: \"d\", parameters: {{ type: \"object\" }}, async execute(id, params, onUpdate, ctx, signal) {{ {body} }} }});"
        ),
    )?;
    let engine = Engine::new(EngineOptions::new(folder).limits(limits));
    let module = engine.load(&[path]).await.remove(0);
    let Some(loaded) = module.tools.first() else { bail!("{:?}", module.errors) };
    let tool = Arc::clone(&loaded.tool);
    Ok((engine, tool))
}

fn stopping(runtime: &Runtime, folder: &Path, report: &mut Report) -> Result<()> {
    println!(
        "engine: cancel to control back, no grace, 15 rounds, budget 50 ms; then until the thread is back"
    );
    let cases = [
        ("empty loop", "for (;;) {}"),
        ("loop that catches", "for (;;) { try { for (;;) {} } catch {} finally { continue; } }"),
        ("promise chain", "for (;;) await null;"),
        ("pending promise", "await new Promise(() => {});"),
        ("backtracking regex", "/^(a+)+$/.test(\"a\".repeat(40) + \"b\");"),
        (
            "JSON.parse loop",
            "const big = JSON.stringify(Array.from({ length: 20000 }, (_, i) => i)); for (;;) JSON.parse(big);",
        ),
        ("split loop", "const text = \"x,\".repeat(300000); for (;;) text.split(\",\");"),
        ("process", "await pi.exec(\"sleep\", [\"1000\"]);"),
        ("indexOf loop, no allocation", "const a = new Array(1e6).fill(0); for (;;) a.indexOf(1);"),
    ];
    for (name, body) in cases {
        let mut sample = Sample::default();
        let mut back = Sample::default();
        for _ in 0..15 {
            runtime.block_on(async {
                let body = format!("onUpdate({{ content: [] }}); {body}");
                let (engine, tool) =
                    load_tool(folder, "hostile", &body, Limits::default().grace(Duration::ZERO)).await?;
                let cancel = CancelToken::new();
                let stop = cancel.clone();
                let (send, started) = tokio::sync::oneshot::channel();
                let mut send = Some(send);
                let updates = UpdateSink::new(move |_| {
                    let _ = send.take().map(|send| send.send(()));
                });
                let ctx = ToolContext::detached().with_cancel(cancel).with_updates(updates);
                let running =
                    tokio::spawn(async move { tool.execute(ToolCall::new("id", json!({})), ctx).await });
                started.await?;
                // Well inside its loop.
                tokio::time::sleep(Duration::from_millis(20)).await;
                let start = Instant::now();
                stop.cancel("bench");
                let _ = running.await?;
                sample.push(start.elapsed());
                while engine.stats().threads > 0 && start.elapsed() < Duration::from_secs(2) {
                    tokio::task::yield_now().await;
                }
                back.push(start.elapsed());
                anyhow::Ok(())
            })?;
        }
        report.figure(
            SUBJECT,
            format!("cancel to control back: {name}"),
            describe(&sample),
            Some(kept(sample.median() <= Duration::from_millis(50), "≤ 50 ms")),
        );
        let within = verdict(sample.median().as_secs_f64() * 1000.0, 50.0);
        println!("  {name:<28} {}   {within}   thread back {}", describe(&sample), describe(&back));
    }
    Ok(())
}

fn parallel(runtime: &Runtime, folder: &Path, report: &mut Report) -> Result<()> {
    let body = "const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); return { content: [{ type: \"text\", text: String(fib(27)) }] };";
    let (one, two) = runtime.block_on(async {
        anyhow::Ok((
            load_tool(folder, "fib_a", body, Limits::default()).await?,
            load_tool(folder, "fib_b", body, Limits::default()).await?,
        ))
    })?;
    let (mut alone, mut both) = (Sample::default(), Sample::default());
    let (mut native_alone, mut native_both) = (Sample::default(), Sample::default());
    for _ in 0..15 {
        runtime.block_on(async {
            let call = || ToolCall::new("id", json!({}));
            let start = Instant::now();
            one.1.execute(call(), ToolContext::detached()).await?;
            two.1.execute(call(), ToolContext::detached()).await?;
            alone.push(start.elapsed());
            let start = Instant::now();
            let (a, b) = tokio::join!(
                one.1.execute(call(), ToolContext::detached()),
                two.1.execute(call(), ToolContext::detached())
            );
            a?;
            b?;
            both.push(start.elapsed());
            anyhow::Ok(())
        })?;
        let start = Instant::now();
        compute();
        compute();
        native_alone.push(start.elapsed());
        let start = Instant::now();
        let other = std::thread::spawn(compute);
        compute();
        let _ = other.join();
        native_both.push(start.elapsed());
    }
    println!(
        "engine: two computing tools, one after the other {} and at once {}",
        describe(&alone),
        describe(&both)
    );
    let gain = alone.ratio(&both);
    let native = native_alone.ratio(&native_both);
    report.figure(
        SUBJECT,
        "two computing tools at once, as against one after the other",
        format!("{gain:.2} × (two threads of plain Rust: {native:.2} ×)"),
        Some(kept(gain >= 1.8, "≥ 1.8 ×")),
    );
    println!(
        "  {:.2} × (budget ≥ 1.8); two threads of plain Rust on this machine: {:.2} ×",
        alone.ratio(&both),
        native_alone.ratio(&native_both)
    );
    Ok(())
}

/// Plain Rust computation of about the same duration as the tools above.
fn compute() -> u64 {
    fn fib(n: u64) -> u64 {
        if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
    }
    std::hint::black_box(fib(std::hint::black_box(36)))
}

/// Returns the resident memory of this process in bytes.
fn resident() -> usize {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn memory(folder: &Path) -> Result<()> {
    println!("engine: memory per runtime");
    let own = std::env::current_exe()?;
    for kind in ["typebox", "zod"] {
        for count in ["1", "10", "100"] {
            let output = peers::start(&own, folder).args([CHILD, "memory", kind, count]).output()?;
            println!("  {kind:<8} {count:>3}: {}", String::from_utf8_lossy(&output.stdout).trim());
        }
    }
    Ok(())
}

fn soak(runtime: &Runtime, folder: &Path) -> Result<()> {
    println!("engine: soak, 10,000 calls with a forced stop after every 20th");
    let body = "if (params.loop) { onUpdate({ content: [] }); for (;;) {} } return { content: [{ type: \"text\", text: String(params.n) }] };";
    let limits = Limits::default().grace(Duration::ZERO);
    let (engine, tool) = runtime.block_on(load_tool(folder, "soak", body, limits))?;
    let threads = || fs::read_dir("/proc/self/task").map(Iterator::count).unwrap_or(0);
    let report = |calls: usize| {
        println!(
            "  after {calls:>5} calls: {:>6.1} MB resident, {} threads, {:?}",
            resident() as f64 / 1e6,
            threads(),
            engine.stats()
        );
    };
    let start = Instant::now();
    for n in 1..=10_000_usize {
        runtime.block_on(async {
            let result =
                tool.execute(ToolCall::new("id", json!({ "n": n })), ToolContext::detached()).await?;
            ensure!(result.joined_text() == n.to_string(), "call {n} gave {:?}", result.joined_text());
            if n.is_multiple_of(20) {
                let cancel = CancelToken::new();
                let stop = cancel.clone();
                let ctx = ToolContext::detached()
                    .with_cancel(cancel)
                    .with_updates(UpdateSink::new(move |_| stop.cancel("soak")));
                let _ = tool.execute(ToolCall::new("id", json!({ "loop": true })), ctx).await;
            }
            anyhow::Ok(())
        })?;
        if n == 100 || n.is_multiple_of(2500) {
            report(n);
        }
    }
    println!("  in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}
