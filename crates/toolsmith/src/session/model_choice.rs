//! Model selection: by name, by endpoint, or given by the embedding program.

use std::sync::Arc;

use thiserror::Error;
use toolsmith_llm::{Environment, LocalServer, Model, Provider, Providers, SelectError, Selection};

use crate::settings::{ProviderError, Settings};

/// How the model is selected.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum ModelChoice {
    /// The model in the settings; else that of the first provider with a key.
    #[default]
    Settings,
    /// By name: `anthropic/claude-sonnet-4-5`, `gpt-5.2:high`, `script:FILE`.
    Named(String),
    /// By endpoint.
    Endpoint {
        /// A known provider, a wire format (`anthropic`, `openai`, `openai-chat`, `google`), or a custom name.
        provider: String,
        /// Exact model id; `None` uses the settings.
        model: Option<String>,
        /// Base URL; `None` uses the provider's own.
        base_url: Option<String>,
        /// Environment variable with the key.
        api_key_env: Option<String>,
    },
    /// A custom provider.
    Given(Arc<dyn Provider>, Box<Model>),
}

impl std::fmt::Debug for ModelChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Settings => f.write_str("Settings"),
            Self::Named(name) => f.debug_tuple("Named").field(name).finish(),
            Self::Endpoint { provider, model, base_url, .. } => {
                f.debug_tuple("Endpoint").field(provider).field(model).field(base_url).finish()
            }
            Self::Given(provider, model) => {
                f.debug_tuple("Given").field(&provider.name()).field(&model.id).finish()
            }
        }
    }
}

/// Model selection errors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No model was given and no key is set.
    #[error(
        "No model is configured. Set a key (ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY), start a server on this \
         machine (Ollama, LM Studio or llama.cpp), or name a model: `--model ollama/NAME` for one on this machine, `--model script:FILE` to play a script, or `model = \"…\"` in \
         ~/.toolsmith/config.toml. `toolsmith demo` needs none."
    )]
    None,
    /// An endpoint without a model.
    #[error("no model given for provider \"{provider}\"; set it with --model")]
    Unnamed {
        /// The endpoint.
        provider: String,
    },
    /// The model of the session that is continued cannot be used.
    #[error(
        "This session was held with {model}, which cannot be used now: {why}\nTo continue with another model, name it with --model PROVIDER/ID."
    )]
    Gone {
        /// The model.
        model: String,
        /// The reason.
        why: String,
    },
    /// The session that is continued was held at a place nobody configured.
    #[error(
        "This session was held with {model} at {base_url}, {why}\nTo continue there: --provider {provider} --base-url {base_url} --model {id}, and --api-key-env VARIABLE if it wants a key. \
         To continue elsewhere: --model PROVIDER/ID."
    )]
    Elsewhere {
        /// The model.
        model: String,
        /// The provider's name.
        provider: String,
        /// The model's id there.
        id: String,
        /// The place.
        base_url: String,
        /// Reason why it is not used.
        why: &'static str,
    },
    /// The name means nothing, or too much.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// A provider in the settings is invalid.
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

/// Returns the known providers: built-in and from the settings.
///
/// # Errors
/// Fails if a provider in the settings is incomplete.
pub fn providers(settings: &Settings, environment: Environment) -> Result<Providers, ModelError> {
    let mut providers = Providers::builtin(environment);
    for (name, said) in &settings.providers {
        let config = match providers.get(name) {
            Ok(known) => said.change(known.config().clone(), name)?,
            Err(_) => said.to_config(name)?,
        };
        providers.add(config);
    }
    Ok(providers)
}

impl ModelChoice {
    /// Selects the model. Servers that need no key are queried only if nothing else determines it.
    ///
    /// # Errors
    /// Fails if there is no model, or its name matches none or several.
    pub async fn select(
        self,
        settings: &Settings,
        environment: Environment,
    ) -> Result<Selection, ModelError> {
        let mut providers = providers(settings, environment)?;
        let name = match (self, &settings.model) {
            (Self::Given(provider, model), _) => return Ok(Selection::new(*model, provider)),
            (Self::Endpoint { provider, model, base_url, api_key_env }, set) => {
                providers.add_endpoint(&provider, base_url.as_deref(), api_key_env.as_deref())?;
                let model = model.or_else(|| set.clone());
                let model = model.ok_or_else(|| ModelError::Unnamed { provider: provider.clone() })?;
                return Ok(providers.select_at(&provider, &model)?);
            }
            (Self::Named(name), _) => name,
            (Self::Settings, Some(name)) => name.clone(),
            (Self::Settings, None) => {
                if let Some(selection) = providers.default_model() {
                    return Ok(selection);
                }
                let servers = discover(&mut providers, settings).await;
                return providers.default_of(&servers).ok_or(ModelError::None);
            }
        };
        let first = providers.select(&name);
        if is_settled(&name, &first, &providers) {
            return Ok(first?);
        }
        match discover(&mut providers, settings).await.is_empty() {
            true => Ok(first?),
            false => Ok(providers.select(&name)?),
        }
    }
}

/// Returns whether querying further servers cannot improve the answer.
fn is_settled(name: &str, selected: &Result<Selection, SelectError>, providers: &Providers) -> bool {
    let names_provider = name.split_once('/').is_some_and(|(provider, _)| providers.get(provider).is_ok());
    match selected {
        Ok(selection) => {
            names_provider
                || providers.get(&selection.model.provider).map_or(true, toolsmith_llm::HttpProvider::has_key)
        }
        Err(SelectError::Unknown { .. } | SelectError::Ambiguous { .. }) => names_provider,
        Err(_) => true,
    }
}

async fn discover(providers: &mut Providers, settings: &Settings) -> Vec<LocalServer> {
    match settings.discovery.local_models {
        true => providers.discover().await,
        false => Vec::new(),
    }
}
