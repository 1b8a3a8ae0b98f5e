//! A tool written in TypeScript, loaded by its path. It runs in an engine inside this program: no Node, no Bun.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use toolsmith::{BuiltIns, Session, llm::Script};

const TOOL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tools/csv_summary.ts");

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let project = tempfile::tempdir()?;
    std::fs::write(project.path().join("oaks.csv"), "name,height\nold,21\nyoung,3\nfallen,\n")?;

    let script = Script::parse(
        r#"[
            { "reply": [{ "call": "csv_summary", "arguments": { "file": "oaks.csv" } }] },
            { "reply": "In the file:\n{{lastToolResult}}" }
        ]"#,
    )?;
    let session = Session::builder(project.path())
        .script(script)
        .built_ins(BuiltIns::None)
        .tool_path(TOOL)
        .build()
        .await?;

    // A module that does not load is no error of the session: it is told here.
    for error in &session.loaded().errors {
        println!("refused: {error}");
    }
    for tool in session.tools().iter().filter(|tool| tool.is_active) {
        println!("tool: {} ({:?}): {}", tool.name, tool.tier, tool.description);
    }
    println!("{}", session.run("What is in oaks.csv?").await?.text);
    session.dispose().await;
    Ok(())
}
