//! The smallest session: one prompt, one answer.
//!
//! A script plays the model here, so that this runs without a key. In place of `.script(…)` write
//! `.model("anthropic/claude-sonnet-4-5")`, or nothing to take what the environment has a key for.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use toolsmith::{Session, llm::Script};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let script = Script::parse(r#"["You said: {{lastUser}}"]"#)?;
    let session = Session::builder(std::env::current_dir()?).script(script).build().await?;

    let answer = session.run("Good morning").await?;
    println!("{}", answer.text);
    println!("completed: {}, turns: {}", answer.end.is_completed(), answer.totals.turns);

    session.dispose().await;
    Ok(())
}
