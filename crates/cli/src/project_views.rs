//! The session and the agent as tools see them in commands that call a tool without a model: the directory, the settings, and the
//! models that could be used.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::Value;
use toolsmith::settings::Settings;
use toolsmith_agent::model_json;
use toolsmith_llm::Environment;
use toolsmith_tool::{AgentView, SessionView, ToolContext};

use crate::project::Project;

/// Adds both views to the context of a call.
pub(crate) fn with_views(context: ToolContext, project: &Project) -> ToolContext {
    let settings = project.loaded.settings.clone();
    context
        .with_session(Arc::new(CommandSession { cwd: project.cwd.clone(), id: session_id() }))
        .with_agent(Arc::new(CommandAgent { settings, models: OnceLock::new() }))
}

/// Names this run of the command.
fn session_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    format!("call-{now:x}-{:x}", std::process::id())
}

#[derive(Debug)]
struct CommandSession {
    cwd: PathBuf,
    id: String,
}

impl SessionView for CommandSession {
    fn cwd(&self) -> PathBuf {
        self.cwd.clone()
    }
    fn session_id(&self) -> String {
        self.id.clone()
    }
}

#[derive(Debug)]
struct CommandAgent {
    settings: Settings,
    /// Listed when a tool asks first.
    models: OnceLock<Vec<Value>>,
}

impl AgentView for CommandAgent {
    fn models(&self) -> Vec<Value> {
        let list = || {
            let known = toolsmith::providers(&self.settings, Environment::process());
            known.map(|providers| providers.available().iter().map(model_json).collect()).unwrap_or_default()
        };
        self.models.get_or_init(list).clone()
    }
    fn settings(&self) -> Value {
        self.settings.shown.clone()
    }
}
