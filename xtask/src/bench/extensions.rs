//! Extensions: what idle ones add to a start and to a turn, and what a listener to `context` costs.

use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use toolsmith::{Home, Session, SessionSource, TrustDecision};
use toolsmith_agent::{ApprovalMode, session::EntryKind};
use toolsmith_llm::{InputMessage, Message, Script, ScriptedProvider};
use toolsmith_tool::ContentBlock;

use super::{
    report::{Report, kept},
    sample::{Sample, describe, verdict},
};

/// Name in the report.
const SUBJECT: &str = "Extensions";
const IDLE: usize = 10;
const TURNS: usize = 200;
const MESSAGES: usize = 1000;
const ROUNDS: usize = 15;
/// Budgets in milliseconds.
const START: f64 = 5.0;
const TURN: f64 = 0.2;
const CONTEXT: f64 = 5.0;

const MODULE: &str = r#"export default (pi) => {
  pi.registerCommand("idle-NUMBER", { description: "Does nothing", handler: async () => {} });
};
"#;

const LISTENER: &str = r#"export default (pi) => {
  pi.on("context", (event) => ({ messages: event.messages.filter((message) => message.customType !== "hidden") }));
};
"#;

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(measure(report))
}

async fn measure(report: &mut Report) -> Result<()> {
    let (with, without) = (Project::new(IDLE)?, Project::new(0)?);
    let (mut many, mut none) = (Sample::default(), Sample::default());
    for round in 0..=ROUNDS {
        for (project, sample) in [(&with, &mut many), (&without, &mut none)] {
            let start = Instant::now();
            let session = project.session(json!(["Done."])).build().await?;
            let time = start.elapsed();
            session.dispose().await;
            // The first round fills caches.
            if round > 0 {
                sample.push(time);
            }
        }
    }
    let added = more(&many, &none);
    println!("extensions: start with {IDLE} idle ones {}, without {}", describe(&many), describe(&none));
    say(report, &format!("{IDLE} idle extensions add to a start"), added, START);

    let (mut many, mut none) = (Sample::default(), Sample::default());
    for _ in 0..5 {
        for (project, sample) in [(&with, &mut many), (&without, &mut none)] {
            sample.push(project.turns().await?);
        }
    }
    let added = more(&many, &none) / TURNS as f64;
    println!(
        "extensions: {TURNS} turns with {IDLE} idle ones {}, without {}",
        describe(&many),
        describe(&none)
    );
    say(report, &format!("{IDLE} idle extensions add to a turn"), added, TURN);

    let listening = Project::new(0)?;
    fs::write(listening.extensions().join("listener.ts"), LISTENER)?;
    let (mut with, mut none) = (Sample::default(), Sample::default());
    for (project, sample) in [(&listening, &mut with), (&without, &mut none)] {
        for time in project.long_requests().await? {
            sample.push(time);
        }
    }
    println!(
        "extensions: a request of {MESSAGES} messages with a listener {}, without {}",
        describe(&with),
        describe(&none)
    );
    say(report, &format!("a context listener costs with {MESSAGES} messages"), more(&with, &none), CONTEXT);
    Ok(())
}

/// How many milliseconds one takes more than the other.
fn more(one: &Sample, other: &Sample) -> f64 {
    (one.median().as_secs_f64() - other.median().as_secs_f64()).max(0.0) * 1000.0
}

fn say(report: &mut Report, what: &str, figure: f64, budget: f64) {
    println!("  {what}, ms: {}", verdict(figure, budget));
    let value = format!("{figure:.2} ms");
    report.figure(SUBJECT, what.to_owned(), value, Some(kept(figure <= budget, format!("≤ {budget} ms"))));
}

/// A project with extensions, in a temporary directory.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new(extensions: usize) -> Result<Self> {
        let project = Self { folder: tempfile::tempdir()? };
        fs::create_dir_all(project.extensions())?;
        fs::create_dir_all(project.folder.path().join("home"))?;
        for number in 0..extensions {
            let text = MODULE.replace("NUMBER", &number.to_string());
            fs::write(project.extensions().join(format!("idle{number}.ts")), text)?;
        }
        Ok(project)
    }

    fn cwd(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    fn extensions(&self) -> std::path::PathBuf {
        self.cwd().join(".toolsmith/extensions")
    }

    fn session(&self, answers: Value) -> toolsmith::SessionBuilder {
        self.session_with(answers, self.folder.path())
    }

    fn session_with(&self, answers: Value, root: &Path) -> toolsmith::SessionBuilder {
        let script = Script::parse(&answers.to_string()).unwrap_or_default();
        let model = ScriptedProvider::new(script);
        let described = model.model().clone();
        Session::builder(self.cwd())
            .home(Home::at(root.join("home")))
            .trust(TrustDecision::everything())
            .discovery(true)
            .approval_mode(ApprovalMode::Yolo)
            .session(SessionSource::Memory)
            .provider(Arc::new(model), described)
    }

    /// The time of a run with many turns, each with one call.
    async fn turns(&self) -> Result<Duration> {
        let call = json!({ "reply": [{ "call": "ls", "arguments": {} }] });
        let mut answers = vec![call; TURNS];
        answers.push(json!("Done."));
        let session = self.session(Value::Array(answers)).build().await?;
        let start = Instant::now();
        let summary = session.run("Go").await?;
        let time = start.elapsed();
        ensure!(summary.end.is_completed(), "the run ended early: {:?}", summary.end);
        session.dispose().await;
        Ok(time)
    }

    /// The times of runs of one request each, after a long conversation.
    async fn long_requests(&self) -> Result<Vec<Duration>> {
        let answers = vec![json!("Done."); ROUNDS + 1];
        let session = self.session(Value::Array(answers)).build().await?;
        for number in 0..MESSAGES {
            let text = format!("Message {number}: {}", "some words of a usual length ".repeat(8));
            let message = Message::User(InputMessage::new(vec![ContentBlock::text(text)]));
            session.log().append(EntryKind::Message(message)).context("the message was not kept")?;
        }
        let mut times = Vec::new();
        for round in 0..=ROUNDS {
            let start = Instant::now();
            session.run("Go").await?;
            if round > 0 {
                times.push(start.elapsed());
            }
        }
        session.dispose().await;
        Ok(times)
    }
}
