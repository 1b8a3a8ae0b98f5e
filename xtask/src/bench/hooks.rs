//! Hooks: what none of them costs, and what one adds to a call beside the start of its process.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde_json::json;
use toolsmith_agent::{ApprovalMode, ApprovalSettings, CallRequest, Dispatcher};
use toolsmith_host::exec::{Request, Stdin, run as run_process};
use toolsmith_middleware::hooks::{Handler, Hook, HookEvent, HookGate, Hooks, HooksOptions};
use toolsmith_tool::{
    CancelToken, Origin, Registry, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use super::{
    report::{Report, kept},
    sample::{Sample, describe, verdict},
};

/// Name in the report.
const SUBJECT: &str = "Hooks";
const CALLS: u32 = 2000;
const ROUNDS: usize = 100;
/// Budgets in milliseconds.
const WITHOUT: f64 = 0.01;
const ONE: f64 = 1.0;

/// Answers at once.
struct Nothing(ToolSpec);

#[async_trait]
impl Tool for Nothing {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    async fn execute(&self, _call: ToolCall, _context: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::text("done"))
    }
}

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(measure(report))
}

fn dispatcher(hooks: Option<Vec<Arc<Hook>>>) -> Result<Dispatcher> {
    let mut registry = Registry::new();
    registry.register(Arc::new(Nothing(ToolSpec::new("nothing", "Does nothing"))), Origin::built_in())?;
    let mut builder = Dispatcher::builder(registry).approval(ApprovalSettings::new(ApprovalMode::Yolo));
    if let Some(hooks) = hooks {
        let hooks = Hooks::new(hooks, HooksOptions::new(std::env::temp_dir()));
        builder = builder.gate(Arc::new(HookGate::new(hooks)));
    }
    Ok(builder.build())
}

async fn measure(report: &mut Report) -> Result<()> {
    let (bare, empty) = (dispatcher(None)?, dispatcher(Some(Vec::new()))?);
    let (mut without, mut with) = (Sample::default(), Sample::default());
    for round in 0..=ROUNDS / 10 {
        for (dispatcher, sample) in [(&bare, &mut without), (&empty, &mut with)] {
            let time = calls(dispatcher, CALLS).await?;
            // The first round fills caches.
            if round > 0 {
                sample.push(time);
            }
        }
    }
    println!("hooks: a call with no hooks {}, without the gate {}", describe(&with), describe(&without));
    say(report, "no hooks add to a call", more(&with, &without), WITHOUT);

    let program = "true".to_owned();
    let handler = Handler::Program { program: program.clone(), args: Vec::new() };
    let hook = Hook::new(HookEvent::PreToolUse, handler, "bench");
    let hooked = dispatcher(Some(vec![Arc::new(hook)]))?;
    let request = Request::new(program).stdin(Stdin::Bytes(b"{}\n".to_vec()));
    let (mut process, mut call) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run_process(&request, &CancelToken::new(), |_| {}).await?;
        process.push(start.elapsed());
        call.push(calls(&hooked, 1).await?);
    }
    println!("hooks: a call with one hook {}, its process alone {}", describe(&call), describe(&process));
    say(report, "one hook adds to a call beside its process", more(&call, &process), ONE);
    Ok(())
}

/// The time of one call.
async fn calls(dispatcher: &Dispatcher, count: u32) -> Result<Duration> {
    let start = Instant::now();
    for _ in 0..count {
        let outcome = dispatcher.call(CallRequest::new("1", "nothing", json!({}))).await;
        ensure!(!outcome.is_error(), "the call failed: {}", outcome.result.joined_text());
    }
    Ok(start.elapsed() / count)
}

/// How many milliseconds one takes more than the other.
fn more(one: &Sample, other: &Sample) -> f64 {
    (one.median().as_secs_f64() - other.median().as_secs_f64()).max(0.0) * 1000.0
}

fn say(report: &mut Report, what: &str, figure: f64, budget: f64) {
    println!("  {what}, ms: {}", verdict(figure, budget));
    let value = format!("{figure:.3} ms");
    report.figure(SUBJECT, what.to_owned(), value, Some(kept(figure <= budget, format!("≤ {budget} ms"))));
}
