//! The session handle.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use toolsmith_agent::{
    Agent, Prompt, PromptError, Resolver, RunSummary, Subscription,
    session::{CurrentSession, SessionLog, Sessions},
};
use toolsmith_builtins::{TodoPhase, Todos};
use toolsmith_js::{Engine, EngineStats};
use toolsmith_mcp::{McpError, Servers};
use toolsmith_middleware::Telemetry;
use toolsmith_tool::{Extension, SessionEvent, Ui, UiSlot, UnknownTools};

use super::{
    builder::SessionBuilder, description::ToolInfo, extensions::SessionExtensions, hooks::SessionHooks,
    library::Library, models::Models, recovery::Recovery, reload::Reload,
};
use crate::{
    home::Home,
    loading::LoadedTools,
    mcp::{McpPrompt, McpTools, attach_resources, expand_command, prompts},
};

/// A session, which can be prompted, observed and stopped. Clones are the same session.
///
/// ```
/// # #[tokio::main(flavor = "multi_thread", worker_threads = 2)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use toolsmith::Session;
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("hello.json"), r#"["Hello."]"#)?;
/// # let script = format!("script:{}", folder.path().join("hello.json").display());
/// // "script:FILE" plays a script; "anthropic/claude-sonnet-4-5" selects a model.
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
    pub(super) reload: Reload,
    pub(super) resolver: Resolver,
    pub(super) current: CurrentSession,
    pub(super) sessions: Sessions,
    pub(super) models: Models,
    pub(super) cwd: PathBuf,
    pub(super) home: Home,
    pub(super) library: Library,
    pub(super) recovery: Recovery,
    pub(super) extensions: SessionExtensions,
    pub(super) todos: Todos,
    pub(super) mcp: Option<McpTools>,
    pub(super) hooks: SessionHooks,
    pub(super) telemetry: Option<Telemetry>,
}

impl Session {
    /// Creates a builder for a session in `cwd`.
    pub fn builder(cwd: impl Into<PathBuf>) -> SessionBuilder {
        SessionBuilder::new(cwd)
    }

    /// Starts a run in the background.
    ///
    /// # Errors
    /// Fails if a run is in progress or the prompt is empty.
    pub fn prompt(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        self.agent.prompt(prompt)
    }

    /// Starts a run and waits for its end.
    ///
    /// # Errors
    /// Fails if a run is in progress or the prompt is empty.
    pub async fn run(&self, prompt: impl Into<Prompt>) -> Result<Arc<RunSummary>, PromptError> {
        self.agent.run(prompt).await
    }

    /// Queues a message for the next request of the run.
    ///
    /// # Errors
    /// Fails if the message is empty.
    pub fn steer(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        self.agent.steer(prompt)
    }

    /// Queues a message for the time when the agent would stop.
    ///
    /// # Errors
    /// Fails if the message is empty.
    pub fn follow_up(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        self.agent.follow_up(prompt)
    }

    /// Requests that the run stops.
    pub fn abort(&self, reason: &str) {
        self.agent.abort(reason);
    }

    /// Stops the run immediately, killing tools that have not stopped.
    pub fn force_stop(&self, reason: &str) {
        self.agent.force_stop(reason);
    }

    /// Waits until no run is in progress.
    pub async fn wait_for_idle(&self) -> Option<Arc<RunSummary>> {
        self.agent.wait_for_idle().await
    }

    /// Waits until no run is in progress and extensions have handled the end of the last one; they may start another.
    pub async fn wait_until_settled(&self) -> Option<Arc<RunSummary>> {
        self.agent.wait_until_settled().await
    }

    /// Returns the extensions in load order.
    pub fn extensions(&self) -> Vec<Arc<dyn Extension>> {
        self.extensions.modules.list()
    }

    /// Subscribes to all events from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.agent.subscribe()
    }

    /// Returns the agent: model, queues, dispatcher, totals.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Returns what is loaded, and the load errors. A reload replaces it.
    pub fn loaded(&self) -> Arc<LoadedTools> {
        self.reload.loaded()
    }

    /// Returns all tools of this session, active or not.
    pub fn tools(&self) -> Vec<ToolInfo> {
        self.agent.dispatcher().registry().read(|registry| {
            registry
                .iter()
                .map(|found| {
                    let name = &found.tool.spec().name;
                    ToolInfo::new(found, registry.is_active(name), self.reload.stale(name))
                })
                .collect()
        })
    }

    /// Sets the active tools from the next request on.
    ///
    /// # Errors
    /// Fails without changes if a name is unknown.
    pub fn set_active_tools(&self, names: &[String]) -> Result<(), UnknownTools> {
        self.agent.dispatcher().registry().write(|registry| registry.set_active(names))
    }

    /// Returns the resolver of pending actions; [`Session::pending_actions`] and related methods are shortcuts.
    pub fn pending(&self) -> &Resolver {
        &self.resolver
    }

    /// Returns the stored session: its file, its tree, exports.
    pub fn log(&self) -> SessionLog {
        self.current.get()
    }

    /// Returns the directory in which tools work. A session that was created elsewhere names another one.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Returns the todo list at the current position.
    pub fn todos(&self) -> Vec<TodoPhase> {
        self.todos.phases(&self.current)
    }

    /// Sets the UI for tools from now on (CONTRACT 3.3).
    pub fn set_ui(&self, ui: Arc<dyn Ui>) {
        self.ui.set(Arc::clone(&ui));
        self.engine.set_ui_context(ui);
    }

    /// Ends the session: stops the run, drops pending actions, notifies the tools (CONTRACT 7.1, 8.6), and closes the
    /// file, so that the session can be continued at once.
    pub async fn dispose(&self) {
        self.reload.stop();
        self.agent.force_stop("the session ended");
        self.agent.wait_for_idle().await;
        // No module that may no longer run receives the end.
        self.reload.refresh_trust().await;
        self.drop_pending("the session ended").await;
        self.end_hooks().await;
        self.agent.announce(SessionEvent::Shutdown).await;
        let end = serde_json::json!({ "type": "session_shutdown", "reason": "quit" });
        self.extensions.modules.shutdown(end, &self.agent.tool_context()).await;
        self.engine.set_session_actions(None);
        if let Some(mcp) = &self.mcp {
            mcp.servers().close().await;
        }
        let kept = self.log();
        // The disk may be slow, and a session may end on the program's only thread.
        if let Ok(Err(error)) = tokio::task::spawn_blocking(move || kept.close()).await {
            tracing::warn!(%error, "The session may not be completely on disk");
        }
        if let Some(telemetry) = &self.telemetry {
            telemetry.flush().await;
        }
    }

    /// Returns the MCP servers of this session; `None` if none are configured.
    pub fn mcp(&self) -> Option<&Servers> {
        self.mcp.as_ref().map(McpTools::servers)
    }

    /// Returns the prompts of MCP servers, which are commands: `/NAME ARGUMENTS`.
    pub fn mcp_prompts(&self) -> Vec<McpPrompt> {
        self.mcp().map(prompts).unwrap_or_default()
    }

    /// Replaces a prompt that is the command of an MCP server (`/mcp__SERVER__PROMPT`) by the server's messages, and adds
    /// the content of resources that a prompt mentions as `@SERVER:URI`.
    ///
    /// # Errors
    /// Fails if arguments of the command are missing, or the server refuses.
    pub async fn expand_prompt(&self, prompt: Prompt) -> Result<Prompt, McpError> {
        let Some(servers) = self.mcp() else { return Ok(prompt) };
        if let [block] = prompt.content.as_slice()
            && let Some(text) = block.as_text()
            && let Some(expanded) = expand_command(servers, text).await?
        {
            return Ok(expanded);
        }
        attach_resources(servers, prompt).await
    }

    /// Returns what was wrong with tools of MCP servers.
    pub fn mcp_problems(&self) -> Vec<String> {
        self.mcp.as_ref().map(McpTools::problems).unwrap_or_default()
    }

    /// Returns the state of the engine of custom tools.
    pub fn engine_stats(&self) -> EngineStats {
        self.engine.stats()
    }
}
