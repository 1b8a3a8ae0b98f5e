//! Preview first: a tool stages a change, the program looks at the exact difference, applies it, and takes it back.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::fs;

use toolsmith::{AgentEvent, PendingChoice, Session, llm::Script};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let project = tempfile::tempdir()?;
    let file = project.path().join("app.ts");
    fs::write(&file, "console.log(\"hello\");\nconsole.log(1 + 1);\n")?;

    let script = Script::parse(
        r#"[{ "reply": [{ "call": "ast_edit", "arguments": {
            "ops": [{ "pat": "console.log($A)", "out": "logger.info($A)" }], "paths": ["."]
        } }] }]"#,
    )?;
    let session = Session::builder(project.path()).script(script).build().await?;
    let mut events = session.subscribe();
    session.prompt("Use our logger")?;
    while let Some(event) = events.next().await {
        // Left alone, the model would now be made to say apply or discard. Here a person decides.
        if let AgentEvent::ToolExecutionEnd { .. } = event.as_ref() {
            session.abort("a person decides");
            break;
        }
    }
    session.wait_for_idle().await;

    for action in session.pending_actions() {
        println!("staged by {}: {}", action.source_tool_name, action.label);
    }
    for preview in session.view_pending(PendingChoice::Top).await? {
        print!("{}", preview.diff_text());
    }
    println!("on disk: {:?}", fs::read_to_string(&file)?.lines().next());

    let applied = session.apply_pending(PendingChoice::Top, None, "looks right").await?;
    println!("{}", applied.joined_text());
    println!("on disk: {:?}", fs::read_to_string(&file)?.lines().next());

    session.undo(None).await?;
    println!("undone:  {:?}", fs::read_to_string(&file)?.lines().next());
    session.dispose().await;
    Ok(())
}
