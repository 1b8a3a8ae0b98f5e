//! The handle of a session.

use std::{path::PathBuf, sync::Arc};

use toolsmith_agent::{
    Agent, Prompt, PromptError, Resolver, RunSummary, Subscription,
    session::{CurrentSession, Session as KeptSession, Sessions},
};
use toolsmith_js::{Engine, EngineStats};
use toolsmith_tool::{SessionEvent, Ui, UiSlot, UnknownTools};

use super::{builder::SessionBuilder, models::Models, recovery::Recovery, tool_info::ToolInfo};
use crate::loading::LoadedTools;

/// A session: talk to it, listen to it, stop it. Clones are the same session.
///
/// ```
/// # #[tokio::main(flavor = "multi_thread", worker_threads = 2)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use toolsmith::Session;
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("hello.json"), r#"["Hello."]"#)?;
/// # let script = format!("script:{}", folder.path().join("hello.json").display());
/// // "script:FILE" plays a file; "anthropic/claude-sonnet-4-5" and the like ask a model.
/// let session = Session::builder(folder.path()).model(script).build().await?;
/// let answer = session.run("Hi").await?;
/// assert_eq!(answer.text, "Hello.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    pub(super) agent: Agent,
    pub(super) engine: Engine,
    pub(super) ui: UiSlot,
    pub(super) loaded: Arc<LoadedTools>,
    pub(super) resolver: Resolver,
    pub(super) current: CurrentSession,
    pub(super) sessions: Sessions,
    pub(super) models: Models,
    pub(super) cwd: PathBuf,
    pub(super) recovery: Recovery,
}

impl Session {
    /// Starts to set up a session that works in `cwd`.
    pub fn builder(cwd: impl Into<PathBuf>) -> SessionBuilder {
        SessionBuilder::new(cwd)
    }

    /// Starts a run in the background.
    ///
    /// # Errors
    /// When a run is on its way, or there is nothing in the prompt.
    pub fn prompt(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        self.agent.prompt(prompt)
    }

    /// Starts a run and waits for its end.
    ///
    /// # Errors
    /// When a run is on its way, or there is nothing in the prompt.
    pub async fn run(&self, prompt: impl Into<Prompt>) -> Result<Arc<RunSummary>, PromptError> {
        self.agent.run(prompt).await
    }

    /// Says something before the next request of the run.
    ///
    /// # Errors
    /// When there is nothing in it.
    pub fn steer(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        self.agent.steer(prompt)
    }

    /// Says something when the agent would stop.
    ///
    /// # Errors
    /// When there is nothing in it.
    pub fn follow_up(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        self.agent.follow_up(prompt)
    }

    /// Asks the run to stop.
    pub fn abort(&self, reason: &str) {
        self.agent.abort(reason);
    }

    /// Stops the run at once: tools that have not ended are ended.
    pub fn abort_by_force(&self, reason: &str) {
        self.agent.abort_by_force(reason);
    }

    /// Waits until no run is on its way.
    pub async fn wait_for_idle(&self) -> Option<Arc<RunSummary>> {
        self.agent.wait_for_idle().await
    }

    /// Hears everything that happens from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.agent.subscribe()
    }

    /// The agent itself: model, queues, dispatch, totals.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// What was found and loaded, and what was refused and why.
    pub fn loaded(&self) -> &LoadedTools {
        &self.loaded
    }

    /// Every tool of this session, whether or not the model is offered it now.
    pub fn tools(&self) -> Vec<ToolInfo> {
        self.agent.dispatcher().registry().read(|registry| {
            registry
                .iter()
                .map(|found| ToolInfo::new(found, registry.is_active(&found.tool.spec().name)))
                .collect()
        })
    }

    /// Offers the model exactly these tools from the next request on.
    ///
    /// # Errors
    /// When a name is not known; then nothing changes.
    pub fn set_active_tools(&self, names: &[String]) -> Result<(), UnknownTools> {
        self.agent.dispatcher().registry().write(|registry| registry.set_active(names))
    }

    /// Who decides about staged actions; [`Session::pending_actions`] and those beside it are the short way.
    pub fn pending(&self) -> &Resolver {
        &self.resolver
    }

    /// The conversation as it is kept: its file, its tree, exports.
    pub fn conversation(&self) -> KeptSession {
        self.current.get()
    }

    /// Lets tools reach a person from now on (CONTRACT 3.3).
    pub fn set_ui(&self, ui: Arc<dyn Ui>) {
        self.ui.set(Arc::clone(&ui));
        self.engine.set_ui_context(ui);
    }

    /// Ends the session: stops the run, drops what is staged, tells the tools (CONTRACT 7.1, 8.6), and frees the
    /// conversation's file, so that it can be gone on with at once.
    pub async fn dispose(&self) {
        self.agent.abort_by_force("the session ends");
        self.agent.wait_for_idle().await;
        self.drop_pending("the session ended").await;
        self.agent.announce(SessionEvent::Shutdown).await;
        let kept = self.conversation();
        // The disk may be slow, and a session may end on the program's only thread.
        if let Ok(Err(error)) = tokio::task::spawn_blocking(move || kept.close()).await {
            tracing::warn!(%error, "The conversation may not be whole on the disk");
        }
    }

    /// How the engine of custom tools is doing.
    pub fn engine_stats(&self) -> EngineStats {
        self.engine.stats()
    }
}
