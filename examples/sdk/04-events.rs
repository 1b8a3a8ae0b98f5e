//! One stream of events tells everything a front end shows: words as they come, calls, progress, results.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use schemars::JsonSchema;
use serde::Deserialize;
use toolsmith::{
    AgentEvent, Session, Tier, ToolResult, ToolSpec,
    llm::{Script, StreamEvent},
    rust_tool,
};

#[derive(Deserialize, JsonSchema)]
struct Climb {
    steps: u32,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = ToolSpec::new("climb", "Climbs a ladder").approval(Tier::Read);
    let tool = rust_tool(spec, |args: Climb, context| async move {
        for step in 1..=args.steps {
            context.updates.send(ToolResult::text(format!("on step {step}")));
        }
        Ok("at the top")
    });
    let script = Script::parse(
        r#"{ "chunk": 6, "turns": [
            { "reply": ["Going up.", { "call": "climb", "arguments": { "steps": 2 } }] },
            { "reply": "I am {{lastToolResult}}." }
        ] }"#,
    )?;
    let session = Session::builder(std::env::current_dir()?).script(script).tool(tool).build().await?;

    // Nothing is lost from here on, however slowly it is read.
    let mut events = session.subscribe();
    session.prompt("Fetch the apple")?;
    while let Some(event) = events.next().await {
        match event.as_ref() {
            AgentEvent::MessageUpdate { assistant_message_event: StreamEvent::TextDelta { delta, .. } } => {
                println!("text    {delta:?}");
            }
            AgentEvent::ToolExecutionStart { tool_name, args, .. } => println!("start   {tool_name} {args}"),
            AgentEvent::ToolExecutionUpdate { partial_result, .. } => {
                println!("update  {}", partial_result.joined_text());
            }
            AgentEvent::ToolExecutionEnd { result, is_error, .. } => {
                println!("end     {} (error: {is_error})", result.joined_text());
            }
            AgentEvent::AgentEnd { end, .. } => {
                println!("done    {end:?}");
                break;
            }
            // There are more, and there will be more: a reader skips what it does not know.
            _ => {}
        }
    }
    session.dispose().await;
    Ok(())
}
