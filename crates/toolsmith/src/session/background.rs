//! What other threads read and load while the rest of a session is built.

use std::{path::Path, sync::Arc};

use tokio::task::{JoinHandle, JoinSet};
use toolsmith_agent::SystemPrompt;
use toolsmith_host::location::Protected;
use toolsmith_js::Engine;

use super::library::Library;
use crate::{
    built_in::protect_loaded,
    discovery::{Discovered, DiscoveryOptions},
    home::Home,
    live_tools::LiveTools,
    loading::{LoadScope, LoadedTools, load_custom_tools},
    warning::Warning,
};

/// Reads what the system prompt is made of.
pub(super) fn start_system_prompt(cwd: &Path, home: &Home) -> JoinHandle<SystemPrompt> {
    let (cwd, home) = (cwd.to_path_buf(), home.clone());
    tokio::task::spawn_blocking(move || {
        SystemPrompt::for_user(&cwd, Some(home.user()), Some(home.toolsmith()))
    })
}

/// Finds skills and commands. The disk may be slow, and a session may be built on the program's only thread.
pub(super) async fn find_library(searched: Option<Arc<DiscoveryOptions>>) -> Library {
    let Some(options) = searched else { return Library::default() };
    tokio::task::spawn_blocking(move || Library::find(&options)).await.unwrap_or_default()
}

/// Modules that are being loaded. Dropping it stops that.
pub(super) struct LoadingTools {
    engine: Engine,
    task: JoinSet<(LoadedTools, LiveTools)>,
}

impl LoadingTools {
    /// Starts to load what was found. `taken` are the names of built-in tools.
    pub(super) fn start(
        engine: &Engine,
        discovered: Discovered,
        search: Option<DiscoveryOptions>,
        taken: Vec<&'static str>,
        disabled: Vec<String>,
        protected: Arc<Protected>,
    ) -> Self {
        let mut task = JoinSet::new();
        let own = engine.clone();
        task.spawn(async move {
            let loaded = load_custom_tools(discovered, &taken, &disabled, &own, LoadScope::Call).await;
            protect_loaded(&protected, &loaded);
            let live = LiveTools::new(own, search, &loaded, &taken, &disabled, LoadScope::Call);
            (loaded, live)
        });
        Self { engine: engine.clone(), task }
    }

    /// Waits for the tools.
    pub(super) async fn finish(mut self) -> (LoadedTools, LiveTools) {
        let reason = match self.task.join_next().await {
            Some(Ok(loaded)) => return loaded,
            Some(Err(error)) => error.to_string(),
            None => "nothing was started".to_owned(),
        };
        let warning = Warning::new(format!("no module was loaded: {reason}"));
        let loaded = LoadedTools { warnings: vec![warning], ..LoadedTools::default() };
        let live = LiveTools::new(self.engine, None, &loaded, &[], &[], LoadScope::Call);
        (loaded, live)
    }
}
