//! `toolsmith demo`: an offline tour. Everything is real except the model, which plays a script.

mod narrator;
mod stage;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use anyhow::{Context as _, Result};
use toolsmith::{BuiltIns, Session, SessionSource, settings::Settings};
use toolsmith_llm::{Script, ScriptedProvider};

use self::{narrator::Narrator, stage::Stage};
use crate::{arguments::Shared, failure::Problem, interrupts, runtime};

/// The script of the model.
const SCRIPT: &str = include_str!("../../../demo/script.json");
/// The same without the tool that needs git, which many systems do not have.
const SCRIPT_WITHOUT_GIT: &str = include_str!("../../../demo/script_without_git.json");
const PROMPT: &str = "Have a look at this project and tidy up its notes.";

/// Arguments of `demo`.
#[derive(Debug, Default, clap::Args)]
#[command(
    after_help = "Examples:\n  toolsmith demo\n  toolsmith demo --keep tour\n  toolsmith replay --cwd tour/acorn --tool tour/tools FILE"
)]
pub(crate) struct DemoArguments {
    /// New directory for the project, the tools and a recorded session of the demo.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

pub(crate) fn run(shared: &Shared, own: &DemoArguments) -> Result<ExitCode> {
    runtime::block_on(async {
        let stage = Stage::set(own.keep.as_deref()).await?;
        let script = if stage.has_git() { SCRIPT } else { SCRIPT_WITHOUT_GIT };
        let provider = ScriptedProvider::new(Script::parse(script).context("the demo's script")?);
        let model = provider.model().clone();
        let start = Instant::now();
        let mut builder = Session::builder(stage.project())
            .home(stage.home())
            .provider(Arc::new(provider), model)
            .built_ins(BuiltIns::None);
        if stage.is_kept() {
            let mut settings = Settings::default();
            settings.tools.record = true;
            builder = builder.settings(settings).session(SessionSource::New);
        }
        for path in stage.tools() {
            builder = builder.tool_path(path);
        }
        let session = builder.build().await?;
        let loading = start.elapsed();
        if let Some(error) = session.loaded().errors.first() {
            return Err(Problem::failed(format!("a tool of the demo failed to load: {error}")).into());
        }

        let stopper = session.clone();
        let came = interrupts::listen(
            move |reason, force| {
                if force { stopper.force_stop(reason) } else { stopper.abort(reason) }
            },
        );
        let mut events = session.subscribe();
        let mut narrator = Narrator::new(&session, shared.json);
        narrator.begin(PROMPT, loading, stage.has_git())?;
        session.prompt(PROMPT)?;
        let end = loop {
            let Some(event) = events.next().await else { break None };
            narrator.hear(&event).await?;
            if let toolsmith_agent::AgentEvent::AgentEnd { end, .. } = event.as_ref() {
                break Some(end.clone());
            }
        };
        let file = session.log().file().map(Path::to_path_buf);
        session.dispose().await;
        if let Some(code) = came.exit_code() {
            return Ok(ExitCode::from(code));
        }
        match end {
            Some(end) if end.is_completed() => {
                let kept = file.filter(|_| stage.is_kept());
                narrator.end(&stage, start.elapsed(), kept.as_deref())?;
                Ok(ExitCode::SUCCESS)
            }
            end => {
                let why = end.and_then(|end| end.message().map(str::to_owned));
                Err(Problem::failed(why.unwrap_or_else(|| "the demo ended early".to_owned())).into())
            }
        }
    })
}
