//! Tools that misbehave cost their own call: one that never ends, one that eats memory; and a model that never stops.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use toolsmith::{
    AgentLimits, BuiltIns, Session,
    llm::{Message, Script},
    settings::Settings,
};

const TOOLS: &str = r#"
const tool = (name, execute) => ({
  name, description: name, approval: "read", parameters: { type: "object", properties: {} }, execute,
});
export default () => [
  tool("endless", async () => { while (true) {} }),
  tool("greedy", async () => { const all = []; while (true) all.push(new Uint8Array(1 << 20)); }),
  tool("fine", async () => ({ content: [{ type: "text", text: "still here" }] })),
];
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let project = tempfile::tempdir()?;
    let module = project.path().join("tools.js");
    std::fs::write(&module, TOOLS)?;

    let mut settings = Settings::default();
    settings.limits.call = Duration::from_secs(1);
    settings.limits.memory = 32 << 20;
    let script = Script::parse(
        r#"[
            { "reply": [{ "call": "endless" }] },
            { "reply": [{ "call": "greedy" }] },
            { "reply": [{ "call": "fine" }] },
            { "reply": [{ "call": "fine" }] }
        ]"#,
    )?;
    let session = Session::builder(project.path())
        .script(script)
        .settings(settings)
        .limits(AgentLimits::default().max_turns(3))
        .built_ins(BuiltIns::None)
        .tool_path(&module)
        .build()
        .await?;
    let summary = session.run("Go on and on").await?;
    for message in session.log().messages() {
        if let Message::ToolResult(result) = message {
            println!("{}: {}", result.tool_name, result.joined_text());
        }
    }
    println!("the run: {}", summary.end.message().unwrap_or("completed"));
    session.dispose().await;
    Ok(())
}
