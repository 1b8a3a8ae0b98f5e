//! Models a running session can switch to: by name, and those of earlier sessions.

use toolsmith_agent::session::{EntryKind, Session as KeptSession, SessionState};
use toolsmith_llm::{Environment, Selection, ThinkingLevel};

use super::model_choice::{ModelChoice, ModelError};
use crate::settings::Settings;

/// Source of models.
#[derive(Clone, Debug)]
pub(super) struct Models {
    settings: Settings,
    environment: Environment,
    /// The initial model. It may not be selectable by name: a script, an endpoint, a custom provider.
    first: Option<Selection>,
}

/// The model of an earlier session, as far as it is available.
#[derive(Debug, Default)]
pub(super) struct Restored {
    pub(super) model: Option<Selection>,
    pub(super) thinking: Option<ThinkingLevel>,
    /// Reason why the model is not available.
    pub(super) gone: Option<String>,
}

impl Models {
    pub(super) fn new(settings: Settings, environment: Environment) -> Self {
        Self { settings, environment, first: None }
    }

    pub(super) fn begin_with(&mut self, first: &Selection) {
        self.first = Some(first.clone());
    }

    /// Returns the initial thinking level: the requested one, which is recorded; else that of the session; else that of
    /// the settings.
    pub(super) fn thinking(&self, said: Option<ThinkingLevel>, kept: &KeptSession) -> ThinkingLevel {
        let parse = |word: &str| word.parse::<ThinkingLevel>().ok();
        let before = kept.state().thinking;
        let Some(level) = said else {
            let set = || self.settings.thinking.as_deref().and_then(parse);
            return before.as_deref().and_then(parse).or_else(set).unwrap_or_default();
        };
        if before.as_deref() != Some(level.as_str())
            && let Err(error) = kept.append(EntryKind::ThinkingChange { level: level.as_str().to_owned() })
        {
            tracing::warn!(%error, "the thinking level could not be recorded");
        }
        level
    }

    /// Selects a model by name.
    pub(super) async fn select(&self, name: &str) -> Result<Selection, ModelError> {
        match &self.first {
            Some(first) if first.model.reference() == name => Ok(first.clone()),
            _ => ModelChoice::Named(name.to_owned()).select(&self.settings, self.environment.clone()).await,
        }
    }

    /// Returns the settings at the leaf of a session. `current` is the current model.
    pub(super) async fn restore(&self, state: &SessionState, current: &str) -> Restored {
        let thinking = state.thinking.as_deref().and_then(|level| level.parse().ok());
        match &state.model {
            Some(name) if name != current => match self.select(name).await {
                Ok(model) => Restored { model: Some(model), thinking, gone: None },
                Err(error) => {
                    let gone = format!(
                        "This session used {name} and continues with {current}: {error}"
                    );
                    Restored { model: None, thinking, gone: Some(gone) }
                }
            },
            _ => Restored { model: None, thinking, gone: None },
        }
    }
}
