//! Values that cross between the program and a module's engine, beside Bun, which parses and writes the same JSON without
//! leaving its process.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolsmith_js::Limits;
use toolsmith_tool::{Tool, ToolCall, ToolContext};

use super::{
    engine::load_tool,
    peers,
    report::Report,
    sample::{Sample, describe, verdict},
};

/// Sizes in bytes, rounds, and budgets as ratios to Bun.
const SIZES: [(usize, usize, Option<f64>); 3] =
    [(100, 5000, None), (10_000, 500, Some(4.0)), (1_000_000, 20, Some(3.0))];

/// Returns its arguments as details.
const ECHO: &str = "return { content: [], details: params };";
/// Returns details of the requested length, which it made before.
const GIVE: &str = "globalThis.made ??= {}; \
     const make = (length) => ({ list: Array.from({ length }, (_, id) => ({ id, name: `item number ${id}` })) }); \
     return { content: [], details: (globalThis.made[params.length] ??= make(params.length)) };";

pub(super) fn run(
    subject: &'static str,
    runtime: &Runtime,
    folder: &Path,
    bun: &Path,
    report: &mut Report,
) -> Result<()> {
    println!("engine: values there and back, and results alone (bun: in one process, no crossing)");
    let (_engine, echo) = runtime.block_on(load_tool(folder, "echo", ECHO, Limits::default()))?;
    let (_other, give) = runtime.block_on(load_tool(folder, "give", GIVE, Limits::default()))?;
    for (size, rounds, budget) in SIZES {
        let theirs = bun_sample(folder, bun, size, rounds)?;
        let cases: [(&str, &dyn Tool, Value); 2] = [
            ("a call with {} bytes there and back", &*echo, arguments(size)),
            ("a call with a result of {} bytes", &*give, json!({ "length": length(size) })),
        ];
        for (what, tool, arguments) in cases {
            let ours = runtime.block_on(sample(tool, &arguments, rounds))?;
            let what = what.replace("{}", &size.to_string());
            let note = match (budget, size) {
                (Some(budget), _) => verdict(ours.ratio(&theirs), budget),
                (None, _) => format!("{} µs", verdict(ours.median().as_secs_f64() * 1e6, 30.0)),
            };
            println!("  {what}: {}, bun {}   {note}", describe(&ours), describe(&theirs));
            report.compare(subject, what, &ours, ("bun, without crossing", &theirs), budget);
        }
    }
    Ok(())
}

/// Calls the echo tool for a profiler.
pub(super) async fn trip(folder: &Path, size: usize, rounds: usize) -> Result<()> {
    let (_engine, tool) = load_tool(folder, "echo", ECHO, Limits::default()).await?;
    sample(&*tool, &arguments(size), rounds).await?;
    Ok(())
}

async fn sample(tool: &dyn Tool, arguments: &Value, rounds: usize) -> Result<Sample> {
    let mut sample = Sample::default();
    for _ in 0..rounds {
        let call = ToolCall::new("id", arguments.clone());
        let start = Instant::now();
        let result = tool.execute(call, ToolContext::detached()).await?;
        sample.push(start.elapsed());
        // Freeing a large result is not part of the crossing.
        drop(result);
    }
    Ok(sample)
}

fn bun_sample(folder: &Path, bun: &Path, size: usize, rounds: usize) -> Result<Sample> {
    let output = peers::start(bun, folder)
        .args(["run", "run.ts", "none", "0", "trip", &size.to_string(), &rounds.to_string()])
        .output()?;
    let times: Vec<f64> = serde_json::from_slice(&output.stdout).context("bun printed no times")?;
    if times.is_empty() {
        bail!("bun measured nothing: {}", String::from_utf8_lossy(&output.stderr));
    }
    let mut sample = Sample::default();
    times.into_iter().for_each(|time| sample.push(Duration::from_secs_f64(time / 1000.0)));
    Ok(sample)
}

/// Returns the number of small objects with about `size` bytes in total.
fn length(size: usize) -> usize {
    (size / 40).max(1)
}

fn arguments(size: usize) -> Value {
    let list: Vec<Value> =
        (0..length(size)).map(|id| json!({ "id": id, "name": format!("item number {id}") })).collect();
    json!({ "list": list })
}
