//! A tool written in Rust: a struct of arguments, and a function.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use schemars::JsonSchema;
use serde::Deserialize;
use toolsmith::{Session, Tier, ToolSpec, llm::Script, rust_tool};

/// The fields are the arguments; their doc comments are what the model is told of them.
#[derive(Deserialize, JsonSchema)]
struct Convert {
    /// Degrees Celsius.
    celsius: f64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = ToolSpec::new("to_fahrenheit", "Converts a temperature").approval(Tier::Read);
    let tool = rust_tool(spec, |args: Convert, _context| async move {
        if args.celsius < -273.15 {
            // The model reads this and can try again.
            return Err("That is below absolute zero.".into());
        }
        Ok(format!("{:.1} °F", args.celsius * 1.8 + 32.0))
    });
    println!("schema: {}", tool.spec().parameters);

    // The second call has a number in a string, as models sometimes write: it is repaired.
    let script = Script::parse(
        r#"[
            { "reply": [{ "call": "to_fahrenheit", "arguments": { "celsius": -300 } }] },
            { "expect": { "lastToolResultContains": "absolute zero" },
              "reply": [{ "call": "to_fahrenheit", "arguments": { "celsius": "21.5" } }] },
            { "reply": "It is {{lastToolResult}}." }
        ]"#,
    )?;
    let session = Session::builder(std::env::current_dir()?).script(script).tool(tool).build().await?;
    println!("{}", session.run("How warm is 21.5 °C for an American?").await?.text);
    session.dispose().await;
    Ok(())
}
