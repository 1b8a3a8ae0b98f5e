//! Models a running session can switch to: by name, and those of earlier sessions.

use toolsmith_agent::session::{EntryKind, SessionLog, SessionState};
use toolsmith_llm::{Catalog, Endpoint, Environment, Model, Provider, Selection, ThinkingLevel};

use super::{
    extensions::ExtensionModels,
    model_choice::{ModelChoice, ModelError, providers},
};
use crate::settings::Settings;

/// Source of models.
#[derive(Clone, Debug)]
pub(super) struct Models {
    settings: Settings,
    environment: Environment,
    /// The initial model. It may not be selectable by name: a script, an endpoint, a custom provider.
    first: Option<Selection>,
    /// Providers of extensions.
    added: ExtensionModels,
}

/// The model of an earlier session, as far as it is available.
#[derive(Debug, Default)]
pub(super) struct Restored {
    pub(super) model: Option<Selection>,
    pub(super) thinking: Option<ThinkingLevel>,
    /// Reason why the model is not available.
    pub(super) gone: Option<ModelError>,
}

impl Models {
    pub(super) fn new(settings: Settings, environment: Environment) -> Self {
        Self { settings, environment, first: None, added: ExtensionModels::default() }
    }

    /// Adds the providers of extensions.
    pub(super) fn add(&mut self, added: ExtensionModels) {
        self.added = added;
    }

    /// Returns the settings with the providers of extensions.
    pub(super) fn settings(&self) -> Settings {
        self.added.added_to(&self.settings)
    }

    /// Returns the initial model, unless its provider ended with its extension.
    fn first(&self) -> Option<&Selection> {
        self.first.as_ref().filter(|first| !first.provider.is_gone())
    }

    /// Returns the models with an available key.
    pub(super) fn available(&self) -> Vec<Model> {
        let known = providers(&self.settings(), self.environment.clone());
        let mut models = known.map(|providers| providers.available()).unwrap_or_default();
        if let Some(first) = self.first()
            && !models.iter().any(|model| model.reference() == first.model.reference())
        {
            models.insert(0, first.model.clone());
        }
        models
    }

    /// Returns a known model, also one without a key.
    pub(super) fn find(&self, provider: &str, id: &str) -> Option<Model> {
        if let Some(first) = self.first()
            && first.model.provider == provider
            && first.model.id == id
        {
            return Some(first.model.clone());
        }
        let settings = self.settings();
        let is_configured = settings.providers.get(provider).is_some_and(|own| own.models.contains_key(id));
        let known = providers(&settings, self.environment.clone()).ok()?;
        let catalog = known.get(provider).ok()?.config().catalog.clone();
        let is_known = Catalog::builtin().get(catalog.as_deref().unwrap_or(provider), id).is_some();
        (is_known || is_configured)
            .then(|| known.select_at(provider, id).ok())?
            .map(|selection| selection.model)
    }

    pub(super) fn begin_with(&mut self, first: &Selection) {
        self.first = Some(first.clone());
    }

    /// Returns the initial thinking level: the requested one, which is recorded; else that of the session; else that of
    /// the settings.
    pub(super) fn thinking(&self, said: Option<ThinkingLevel>, kept: &SessionLog) -> ThinkingLevel {
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
        match self.first() {
            Some(first) if first.model.reference() == name => Ok(first.clone()),
            _ => self.choose(ModelChoice::Named(name.to_owned())).await,
        }
    }

    /// Selects a model, also one of a provider that an extension registered.
    pub(super) async fn choose(&self, choice: ModelChoice) -> Result<Selection, ModelError> {
        let is_given = matches!(choice, ModelChoice::Given(..));
        let is_by_name = !matches!(choice, ModelChoice::Endpoint { .. });
        let selection = choice.select(&self.settings(), self.environment.clone()).await?;
        if is_given {
            return Ok(selection);
        }
        Ok(self.added.following(selection, is_by_name, &self.settings, &self.environment))
    }

    /// Returns the model a session was held with, at the place it was held: what was said to one provider is not continued with
    /// another unless somebody asks for it. `is_ours` says whether the file is one this program wrote. A place that is only
    /// known from the file gets no key.
    pub(super) async fn again(
        &self,
        model: &str,
        endpoint: Option<&Endpoint>,
        is_ours: bool,
    ) -> Result<Selection, ModelError> {
        if let Some(first) = self.first()
            && first.model.reference() == model
            && is_same(first.provider.endpoint().as_ref(), endpoint)
        {
            return Ok(first.clone());
        }
        let by_name = || async {
            self.choose(ModelChoice::Named(model.to_owned()))
                .await
                .map_err(|error| ModelError::Gone { model: model.to_owned(), why: error.to_string() })
        };
        let Some(endpoint) = endpoint else { return by_name().await };
        let mut providers = providers(&self.settings(), self.environment.clone())?;
        let configured = providers.get(&endpoint.provider).ok().and_then(Provider::endpoint);
        if configured.is_some_and(|configured| configured.is_same_place(endpoint)) {
            return by_name().await;
        }
        let id = model.split_once('/').map_or(model, |(_, id)| id);
        let elsewhere = |why| ModelError::Elsewhere {
            model: model.to_owned(),
            provider: endpoint.provider.clone(),
            id: id.to_owned(),
            base_url: endpoint.base_url.clone(),
            why,
        };
        if !is_ours {
            return Err(elsewhere("which is not configured, and its file is not one of your sessions."));
        }
        if endpoint.uses_key {
            return Err(elsewhere("which is not configured, and its key is not kept with the session."));
        }
        providers.add_recorded(endpoint);
        Ok(providers.select_at(&endpoint.provider, id)?)
    }

    /// Returns the settings at the leaf of a session. `current` is the current model and its endpoint.
    pub(super) async fn restore(
        &self,
        state: &SessionState,
        current: &Model,
        current_endpoint: Option<&Endpoint>,
        is_ours: bool,
    ) -> Restored {
        let thinking = state.thinking.as_deref().and_then(|level| level.parse().ok());
        let current = current.reference();
        let (endpoint, is_elsewhere) = match &state.endpoint {
            Some(endpoint) => (Some(endpoint), !is_same(current_endpoint, Some(endpoint))),
            None => (None, false),
        };
        match &state.model {
            Some(name) if *name != current || is_elsewhere => {
                match self.again(name, endpoint, is_ours).await {
                    Ok(model) => Restored { model: Some(model), thinking, gone: None },
                    Err(error) => Restored { model: None, thinking, gone: Some(error) },
                }
            }
            _ => Restored { model: None, thinking, gone: None },
        }
    }
}

fn is_same(one: Option<&Endpoint>, other: Option<&Endpoint>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_same_place(other),
        // An older session does not say where it was.
        (_, None) => true,
        (None, Some(_)) => false,
    }
}

/// Notes where the model is asked, unless the session says so already.
pub(super) fn note_endpoint(kept: &SessionLog, endpoint: Option<&Endpoint>, model: &Model) {
    let Some(endpoint) = endpoint else { return };
    let state = kept.state();
    if state.endpoint.as_ref() == Some(endpoint) && state.model == Some(model.reference()) {
        return;
    }
    if let Err(error) = kept.append(EntryKind::endpoint(endpoint, &model.id)) {
        tracing::warn!(%error, "the endpoint was not noted");
    }
}
