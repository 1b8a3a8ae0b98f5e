//! Who may run what: calls above the mode's tier are asked for, and this program is the one that answers.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use toolsmith::{
    ApprovalMode, ApprovalRequest, Approver, Decision, Session, Tier, ToolSpec, async_trait, llm::Script,
    rust_tool, tool::CancelToken,
};

#[derive(Deserialize, JsonSchema)]
struct Deploy {
    to: String,
}

struct OnlyStaging;

#[async_trait]
impl Approver for OnlyStaging {
    async fn ask(&self, request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        println!("asked: {} {} (tier {:?})", request.tool_name, request.arguments, request.tier);
        match request.arguments["to"].as_str() {
            Some("staging") => Decision::Allow,
            _ => Decision::Deny { note: Some("only staging before noon".to_owned()) },
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = ToolSpec::new("deploy", "Deploys the site").approval(Tier::Exec);
    let deploy =
        rust_tool(spec, |args: Deploy, _context| async move { Ok(format!("deployed to {}", args.to)) });
    let script = Script::parse(
        r#"[
            { "reply": [{ "call": "deploy", "arguments": { "to": "production" } }] },
            { "reply": ["The answer was: {{lastToolResult}}\n", { "call": "deploy", "arguments": { "to": "staging" } }] },
            { "reply": "Then: {{lastToolResult}}" }
        ]"#,
    )?;
    // Modes: `AlwaysAsk`, `Write` (the default: reading and writing files is free), `Yolo`. Without an approver, what
    // would have to be asked is refused.
    let session = Session::builder(std::env::current_dir()?)
        .script(script)
        .tool(deploy)
        .approval_mode(ApprovalMode::Write)
        .approver(Arc::new(OnlyStaging))
        .build()
        .await?;
    session.run("Deploy it").await?;
    for message in session.log().messages() {
        if let toolsmith::llm::Message::ToolResult(result) = message {
            println!("model was told: {}", result.joined_text());
        }
    }
    session.dispose().await;
    Ok(())
}
