//! The set of providers, and the selection of a model by name.

use std::{path::Path, sync::Arc};

use thiserror::Error;
use toolsmith_tool::closest_names;

use crate::{
    builtin,
    catalog::Catalog,
    config::{ApiKind, KeySource, ProviderConfig, Quirks},
    discovery::{LocalServer, discover_configured},
    endpoint::Endpoint,
    http::HttpClient,
    http_provider::HttpProvider,
    key::Environment,
    model::{Model, ModelOverride},
    provider::Provider,
    request::ThinkingLevel,
    script::{ScriptError, ScriptedProvider},
};

/// Prefix of a script path.
const SCRIPT: &str = "script:";
/// Maximum number of models listed in an error.
const MAX_NAMED: usize = 5;

/// The set of providers by name.
#[derive(Clone, Debug)]
pub struct Providers {
    known: Vec<HttpProvider>,
    environment: Environment,
    client: HttpClient,
}

/// A selected model and its provider.
#[derive(Clone)]
#[non_exhaustive]
pub struct Selection {
    /// The model.
    pub model: Model,
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// The thinking level given with the name, as in `sonnet-4-5:high`.
    pub thinking: Option<ThinkingLevel>,
}

impl Selection {
    /// Selects a model of a custom provider.
    pub fn new(model: Model, provider: Arc<dyn Provider>) -> Self {
        Self { model, provider, thinking: None }
    }
}

impl std::fmt::Debug for Selection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Selection")
            .field("model", &self.model)
            .field("provider", &self.provider.name())
            .field("thinking", &self.thinking)
            .finish()
    }
}

/// Model selection errors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SelectError {
    /// No model has this name.
    #[error("unknown model \"{name}\"{}", did_you_mean(.closest))]
    Unknown {
        /// The requested name.
        name: String,
        /// Similar names.
        closest: Vec<String>,
    },
    /// Several models match.
    #[error("\"{name}\" is ambiguous; it matches {}", .matches.join(", "))]
    Ambiguous {
        /// The requested name.
        name: String,
        /// The matching models.
        matches: Vec<String>,
    },
    /// No provider has this name.
    #[error(
        "unknown provider \"{name}\" (known: {}); give --base-url to use another server",
        .known.join(", ")
    )]
    UnknownProvider {
        /// The requested name.
        name: String,
        /// The available providers.
        known: Vec<String>,
    },
    /// The script is invalid.
    #[error(transparent)]
    Script(#[from] ScriptError),
}

impl Providers {
    /// Returns the built-in providers, with keys from `environment`.
    pub fn builtin(environment: Environment) -> Self {
        let mut providers = Self { known: Vec::new(), environment, client: HttpClient::default() };
        for config in builtin::providers() {
            providers.add(config);
        }
        providers
    }

    /// Adds a provider, replacing one with the same name.
    pub fn add(&mut self, config: ProviderConfig) {
        let provider = HttpProvider::with_client(config, self.environment.clone(), self.client.clone());
        match self.known.iter_mut().find(|known| known.name() == provider.name()) {
            Some(known) => *known = provider,
            None => self.known.push(provider),
        }
    }

    /// Configures a provider from command-line options: a known one, or the chat format at a base URL, with the given
    /// values overriding the configuration.
    ///
    /// # Errors
    /// Fails if the name is unknown and no base URL is given.
    pub fn add_endpoint(
        &mut self,
        name: &str,
        base_url: Option<&str>,
        api_key_env: Option<&str>,
    ) -> Result<(), SelectError> {
        let mut config = match (self.get(name), base_url) {
            (Ok(known), _) => known.config().clone(),
            (Err(_), Some(base_url)) => builtin::stranger(name, base_url),
            (Err(error), None) => return Err(error),
        };
        if let Some(base_url) = base_url {
            base_url.clone_into(&mut config.base_url);
            // The server at another URL may not accept it.
            config.quirks = Quirks { eager_tool_input: false, ..config.quirks };
            // A custom server often needs no key.
            let key_is_set = HttpProvider::new(config.clone(), self.environment.clone()).has_key();
            if api_key_env.is_none() && !key_is_set {
                config.key = KeySource::None;
            }
        }
        if let Some(variable) = api_key_env {
            config.key = KeySource::env(variable);
        }
        self.add(config);
        Ok(())
    }

    /// Adds a provider at a place that a session remembers, in place of one with the same name. Nothing secret is ever sent
    /// there: the record is not a configuration.
    pub fn add_recorded(&mut self, endpoint: &Endpoint) {
        let mut config = match self.get(&endpoint.provider) {
            Ok(known) => known.config().clone(),
            Err(_) => builtin::stranger(&endpoint.provider, &endpoint.base_url),
        };
        config.api = endpoint.api;
        config.base_url.clone_from(&endpoint.base_url);
        config.key = KeySource::None;
        config.headers.clear();
        config.quirks = Quirks { eager_tool_input: false, ..config.quirks };
        self.add(config);
    }

    /// Says more of a provider's models, such as which a server on this machine has.
    pub fn add_models(&mut self, provider: &str, models: impl IntoIterator<Item = ModelOverride>) {
        if let Ok(known) = self.get(provider) {
            let mut config = known.config().clone();
            for model in models {
                config.models.retain(|known| known.id != model.id);
                config.models.push(model);
            }
            self.add(config);
        }
    }

    /// Returns whether [`Providers::discover`] queries this provider: it needs no key, and its wire format has a model
    /// list.
    pub fn is_discoverable(config: &ProviderConfig) -> bool {
        config.key == KeySource::None && config.api == ApiKind::OpenAiChat
    }

    /// Queries the providers that need no key for their models and adds them. The user's overrides take precedence.
    /// Takes at most one second.
    pub async fn discover(&mut self) -> Vec<LocalServer> {
        let keyless =
            self.known.iter().map(HttpProvider::config).filter(|config| Self::is_discoverable(config));
        let found = discover_configured(&self.client, keyless).await;
        for server in &found {
            let said =
                self.get(&server.provider).map(|known| known.config().models.clone()).unwrap_or_default();
            let models = server.models.iter().map(|model| {
                let own = said.iter().find(|own| own.id == model.id);
                own.map_or_else(|| model.clone(), |own| own.clone().or(model))
            });
            self.add_models(&server.provider, models.collect::<Vec<_>>());
        }
        found
    }

    /// Returns the default model of the discovered servers: the first chat model.
    pub fn default_of(&self, servers: &[LocalServer]) -> Option<Selection> {
        servers.iter().find_map(|server| {
            let provider = self.get(&server.provider).ok()?;
            // Servers also list embedding models.
            let talks = |model: &&ModelOverride| !model.id.to_lowercase().contains("embed");
            let first = server.models.iter().find(talks)?;
            Some(select(provider, &first.id, None))
        })
    }

    /// Returns the provider names, in the order they are tried.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(Provider::name)
    }

    /// Returns a provider by name.
    ///
    /// # Errors
    /// Fails if there is no such provider.
    pub fn get(&self, name: &str) -> Result<&HttpProvider, SelectError> {
        self.known.iter().find(|provider| provider.name() == name).ok_or_else(|| {
            SelectError::UnknownProvider {
                name: name.to_owned(),
                known: self.names().map(str::to_owned).collect(),
            }
        })
    }

    /// Returns the models of all providers with an available key. Local servers have none until they were queried
    /// ([`crate::discover_local`]).
    pub fn available(&self) -> Vec<Model> {
        self.known
            .iter()
            .filter(|provider| provider.has_key())
            .flat_map(|provider| ids(provider).into_iter().map(|id| model(provider, &id)))
            .collect()
    }

    /// Returns the default model: that of the first provider with a key.
    pub fn default_model(&self) -> Option<Selection> {
        builtin::DEFAULT_MODELS.iter().find_map(|(name, id)| {
            let provider = self.get(name).ok().filter(|provider| provider.has_key())?;
            Some(select(provider, id, None))
        })
    }

    /// Selects a model by `provider/id`, an id, or an unambiguous part of one. A suffix such as `:high` sets the
    /// thinking level; `script:FILE` selects the scripted provider.
    ///
    /// # Errors
    /// Fails if no model matches, or several do.
    pub fn select(&self, name: &str) -> Result<Selection, SelectError> {
        if let Some(path) = name.strip_prefix(SCRIPT) {
            let provider = ScriptedProvider::open(Path::new(path))?;
            return Ok(Selection {
                model: provider.model().clone(),
                provider: Arc::new(provider),
                thinking: None,
            });
        }
        let (wanted, thinking) = split_level(name);
        let named = wanted.split_once('/').and_then(|(provider, id)| Some((self.get(provider).ok()?, id)));
        if let Some((provider, id)) = named {
            return self.select_within(provider, id, thinking);
        }
        self.select_anywhere(wanted, thinking)
    }

    /// Selects the model with exactly this id at `provider`, even if it is not in the catalog. A thinking level may
    /// follow the id.
    ///
    /// # Errors
    /// Fails if there is no such provider.
    pub fn select_at(&self, provider: &str, id: &str) -> Result<Selection, SelectError> {
        let provider = self.get(provider)?;
        let (id, thinking) = split_level(id);
        Ok(select(provider, id, thinking))
    }

    fn select_within(
        &self,
        provider: &HttpProvider,
        id: &str,
        thinking: Option<ThinkingLevel>,
    ) -> Result<Selection, SelectError> {
        let ids = ids(provider);
        if ids.iter().any(|known| known == id) {
            return Ok(select(provider, id, thinking));
        }
        let meant = best(id, ids.iter(), |id| id);
        match meant.as_slice() {
            [] => Ok(select(provider, id, thinking)),
            [one] => Ok(select(provider, one, thinking)),
            many => Err(SelectError::Ambiguous {
                name: id.to_owned(),
                matches: some(many.iter().map(|id| format!("{}/{id}", provider.name()))),
            }),
        }
    }

    fn select_anywhere(
        &self,
        wanted: &str,
        thinking: Option<ThinkingLevel>,
    ) -> Result<Selection, SelectError> {
        // Models with an available key come first, in list order. Clouds serve the models of others, so those without
        // credentials would only make names ambiguous. Credentials are looked up once: they may be in files.
        let mut known: Vec<(&HttpProvider, bool)> =
            self.known.iter().map(|provider| (provider, provider.has_key())).collect();
        known.retain(|(provider, has_key)| *has_key || !provider.config().api.is_of_cloud());
        known.sort_by_key(|(_, has_key)| !has_key);
        let with_key: Vec<&str> =
            known.iter().filter(|(_, has_key)| *has_key).map(|(provider, _)| provider.name()).collect();
        let has_key = |provider: &HttpProvider| with_key.contains(&provider.name());
        let all: Vec<(&HttpProvider, String)> = known
            .iter()
            .flat_map(|(provider, _)| ids(provider).into_iter().map(move |id| (*provider, id)))
            .collect();
        if let Some((provider, id)) = all.iter().find(|(_, id)| id == wanted) {
            return Ok(select(provider, id, thinking));
        }
        let mut meant = best(wanted, all.iter(), |(_, id)| id);
        if meant.iter().any(|(provider, _)| has_key(provider)) {
            meant.retain(|(provider, _)| has_key(provider));
        }
        // The same model at several providers counts once.
        let first = meant.first().map(|(_, id)| id.clone());
        match first {
            None => {
                Err(SelectError::Unknown { name: wanted.to_owned(), closest: self.closest(wanted, &all) })
            }
            Some(first) if meant.iter().all(|(_, id)| *id == first) => {
                let (provider, id) = meant[0];
                Ok(select(provider, id, thinking))
            }
            Some(_) => Err(SelectError::Ambiguous {
                name: wanted.to_owned(),
                matches: some(meant.iter().map(|(provider, id)| format!("{}/{id}", provider.name()))),
            }),
        }
    }

    fn closest(&self, wanted: &str, all: &[(&HttpProvider, String)]) -> Vec<String> {
        let id = wanted.rsplit('/').next().unwrap_or(wanted);
        let similar = closest_names(id, all.iter().map(|(_, id)| id.as_str()));
        let mut closest: Vec<String> = similar
            .into_iter()
            .filter_map(|name| all.iter().find(|(_, id)| id == name))
            .map(|(provider, id)| format!("{}/{id}", provider.name()))
            .collect();
        closest.dedup();
        closest
    }
}

/// Returns the ids of all known models of a provider.
fn ids(provider: &HttpProvider) -> Vec<String> {
    let config = provider.config();
    let mut ids: Vec<String> = config.models.iter().map(|model| model.id.clone()).collect();
    let catalog = config.catalog.as_deref().unwrap_or(&config.name);
    for id in Catalog::builtin().ids(catalog) {
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    ids
}

fn select(provider: &HttpProvider, id: &str, thinking: Option<ThinkingLevel>) -> Selection {
    Selection { model: model(provider, id), provider: Arc::new(provider.clone()), thinking }
}

/// Returns a model's metadata at a provider; the user's overrides are applied last.
fn model(provider: &HttpProvider, id: &str) -> Model {
    let config = provider.config();
    let catalog = Catalog::builtin();
    let whose = config.catalog.as_deref().unwrap_or(&config.name);
    let mut model = catalog
        .get(whose, id)
        .or_else(|| {
            // Another provider's price does not apply.
            let mut model = catalog.get_anywhere(id)?;
            model.price = crate::model::Price::default();
            Some(model)
        })
        .unwrap_or_else(|| Model::unknown(&config.name, id));
    model.provider.clone_from(&config.name);
    id.clone_into(&mut model.id);
    if let Some(said) = config.models.iter().find(|said| said.id == id) {
        said.apply(&mut model);
    }
    model
}

/// Splits a name and its thinking level. Ids contain colons too, so only a valid level is split off.
fn split_level(name: &str) -> (&str, Option<ThinkingLevel>) {
    name.rsplit_once(':')
        .and_then(|(head, level)| Some((head, Some(level.parse().ok()?))))
        .unwrap_or((name, None))
}

/// Returns those of `all` that match `wanted`: by suffix of the id, else by substring, else by containing all its
/// words.
fn best<'a, T>(wanted: &str, all: impl Iterator<Item = &'a T>, id: impl Fn(&T) -> &str) -> Vec<&'a T> {
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>()
    };
    let words = plain(wanted);
    if words.is_empty() {
        return Vec::new();
    }
    let piece = words.join("-");
    let with_words: Vec<(&T, String)> = all
        .map(|item| (item, plain(id(item)).join("-")))
        .filter(|(_, id)| words.iter().all(|word| id.contains(word.as_str())))
        .collect();
    let better: [&dyn Fn(&str) -> bool; 3] =
        [&|id| id.ends_with(&piece), &|id| id.contains(&piece), &|_| true];
    better
        .into_iter()
        .map(|is_such| {
            let such = with_words.iter().filter(|(_, id)| is_such(id));
            such.map(|(item, _)| *item).collect::<Vec<_>>()
        })
        .find(|such| !such.is_empty())
        .unwrap_or_default()
}

fn some(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    if names.len() > MAX_NAMED {
        let more = names.len() - MAX_NAMED;
        names.truncate(MAX_NAMED);
        names.push(format!("and {more} more"));
    }
    names
}

fn did_you_mean(closest: &[String]) -> String {
    match closest {
        [] => String::new(),
        closest => format!("; did you mean {}?", closest.join(" or ")),
    }
}
