//! A conversation that is kept: one session ends, another goes on where it was.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use toolsmith::{
    Home, Session, SessionSource,
    llm::{Message, Script},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    // Conversations are kept in the user's home; this example has one of its own.
    let home = Home::at(folder.path().join("home"));
    let project = folder.path().join("project");
    std::fs::create_dir(&project)?;

    let first = Session::builder(&project)
        .home(home.clone())
        .script(Script::parse(r#"["Noted."]"#)?)
        .session(SessionSource::New)
        .build()
        .await?;
    first.run("My favourite tree is the oak.").await?;
    let id = first.log().id();
    first.dispose().await;
    drop(first);

    // `SessionSource::Latest` takes the newest of this folder; `Named` an id, the beginning of one, or a path.
    let second = Session::builder(&project)
        .home(home)
        .script(Script::parse(r#"["The oak, you said."]"#)?)
        .session(SessionSource::Named(id.clone()))
        .build()
        .await?;
    println!("the same conversation: {}", second.log().id() == id);
    second.run("Which tree do I like?").await?;
    for message in second.log().messages() {
        let who = if matches!(message, Message::Assistant(_)) { "model" } else { "you" };
        println!("{who:<5} {}", message.joined_text());
    }
    second.dispose().await;
    Ok(())
}
