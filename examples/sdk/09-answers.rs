//! Tools ask, a program answers: an interface without a screen.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use toolsmith::{
    BuiltIns, Session, Ui, async_trait,
    llm::Script,
    tool::{DialogOptions, NoticeLevel},
};

const TOOL: &str = r#"
export default (pi) => ({
  name: "release",
  description: "Prepares a release",
  approval: "read",
  parameters: pi.zod.object({}),
  async execute() {
    const bump = await pi.ui.select("Which part?", ["major", "minor", "patch"]);
    const sure = await pi.ui.confirm("Release", `Bump the ${bump} version?`);
    pi.ui.notify(sure ? "releasing" : "left as it is");
    return { content: [{ type: "text", text: `${bump}: ${sure}` }] };
  },
});
"#;

/// Takes the last entry of every list, and says yes. What is not answered here has the headless answer.
struct Agreeable;

#[async_trait]
impl Ui for Agreeable {
    async fn select(&self, title: &str, options: &[String], _dialog: DialogOptions) -> Option<String> {
        println!("select  {title} {options:?}");
        options.last().cloned()
    }

    async fn confirm(&self, title: &str, message: &str, _dialog: DialogOptions) -> bool {
        println!("confirm {title}: {message}");
        true
    }

    fn notify(&self, message: &str, _level: NoticeLevel) {
        println!("notify  {message}");
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let project = tempfile::tempdir()?;
    let module = project.path().join("release.ts");
    std::fs::write(&module, TOOL)?;
    let turn = r#"{ "reply": [{ "call": "release" }] }, { "reply": "{{lastToolResult}}" }"#;
    let session = Session::builder(project.path())
        .script(Script::parse(&format!("[{turn}, {turn}]"))?)
        .built_ins(BuiltIns::None)
        .tool_path(&module)
        .build()
        .await?;
    println!("headless: {}", session.run("Release").await?.text);
    // Every tool that is loaded sees the interface from now on.
    session.set_ui(Arc::new(Agreeable));
    println!("answered: {}", session.run("Release").await?.text);
    session.dispose().await;
    Ok(())
}
