//! Default views of the agent and the session for tools.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Weak},
};

use serde_json::{Value, json};
use toolsmith_llm::Model;
use toolsmith_tool::{AgentView, SessionView};

use super::state::Core;
use crate::queues::Queued;

/// A session that is only a directory.
#[derive(Debug)]
pub(super) struct FolderSession {
    pub(super) cwd: PathBuf,
}

impl SessionView for FolderSession {
    fn cwd(&self) -> PathBuf {
        self.cwd.clone()
    }
    fn session_id(&self) -> String {
        String::new()
    }
}

/// A view that does not keep the agent alive: a tool may hold its context longer than the agent lives.
pub(super) struct CoreView {
    pub(super) core: Weak<Core>,
    pub(super) settings: Value,
    pub(super) models: Arc<dyn Fn() -> Vec<Model> + Send + Sync>,
    pub(super) find_model: FindModel,
}

/// Finds a model by provider and id.
pub(super) type FindModel = Option<Arc<dyn Fn(&str, &str) -> Option<Model> + Send + Sync>>;

impl fmt::Debug for CoreView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CoreView").finish_non_exhaustive()
    }
}

impl AgentView for CoreView {
    fn model(&self) -> Option<Value> {
        self.core.upgrade().map(|core| model_json(&core.selected().model))
    }
    fn models(&self) -> Vec<Value> {
        (self.models)().iter().map(model_json).collect()
    }
    fn find_model(&self, provider: &str, id: &str) -> Option<Value> {
        let model = self.find_model.as_ref().and_then(|find| find(provider, id))?;
        Some(model_json(&model))
    }
    fn is_idle(&self) -> bool {
        self.core.upgrade().is_none_or(|core| core.is_idle())
    }
    fn has_queued_messages(&self) -> bool {
        self.core.upgrade().is_some_and(|core| core.queued() != Queued::default())
    }
    fn abort(&self) {
        if let Some(core) = self.core.upgrade() {
            core.abort("requested by a tool", false);
        }
    }
    fn settings(&self) -> Value {
        self.settings.clone()
    }
    fn auto_approve(&self) -> bool {
        self.core.upgrade().is_some_and(|core| core.dispatcher().is_auto_approving())
    }
}

/// Converts a model to the JSON that tools see.
pub fn model_json(model: &Model) -> Value {
    json!({
        "provider": model.provider,
        "id": model.id,
        "name": model.name,
        "contextWindow": model.context_window,
        "maxTokens": model.max_output,
        "reasoning": model.thinking.is_supported(),
        "input": if model.images { json!(["text", "image"]) } else { json!(["text"]) },
    })
}
