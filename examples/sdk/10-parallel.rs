//! Calls of one answer run side by side; results keep the order the model asked in; an exclusive tool runs alone.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Barrier;
use toolsmith::{
    AgentEvent, Session, Tier, ToolSpec,
    llm::{Message, Script},
    rust_tool,
    tool::Concurrency,
};

#[derive(Deserialize, JsonSchema)]
struct Meet {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Nobody passes the barrier before three are there, so this only ends when the calls run at the same time.
    let barrier = Arc::new(Barrier::new(3));
    let meet = rust_tool(ToolSpec::new("meet", "Meets").approval(Tier::Read), move |args: Meet, _context| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            Ok(format!("{} met the others", args.name))
        }
    });
    let spec = ToolSpec::new("count", "Counts").approval(Tier::Read).concurrency(Concurrency::Exclusive);
    let count = rust_tool(spec, |_: Nothing, _context| async { Ok("counted when all had met") });

    let script = Script::parse(
        r#"[
            { "reply": [
                { "call": "meet", "arguments": { "name": "Ada" } },
                { "call": "meet", "arguments": { "name": "Alan" } },
                { "call": "meet", "arguments": { "name": "Grace" } },
                { "call": "count" }
            ] },
            "Done."
        ]"#,
    )?;
    let session =
        Session::builder(std::env::current_dir()?).script(script).tool(meet).tool(count).build().await?;
    let mut events = session.subscribe();
    session.run("Have a meeting").await?;
    while let Some(event) = events.try_next() {
        match event.as_ref() {
            AgentEvent::ToolExecutionStart { tool_name, args, .. } => println!("start {tool_name} {args}"),
            AgentEvent::MessageEnd { message: Message::ToolResult(result) } => {
                println!("told  {}", result.joined_text())
            }
            _ => {}
        }
    }
    session.dispose().await;
    Ok(())
}
