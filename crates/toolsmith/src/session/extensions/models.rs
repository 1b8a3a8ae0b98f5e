//! Model providers that extensions register. A provider ends with its extension: what is registered is asked of the modules that may
//! run, each time it is needed.

use std::{
    collections::BTreeMap,
    fmt,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use serde_json::Value;
use toolsmith_agent::WeakAgent;
use toolsmith_host::location::Protected;
use toolsmith_llm::{ApiKind, Environment, Selection};
use toolsmith_middleware::WeakExtensions;
use toolsmith_tool::{Extension, ProviderSpec};

use super::{
    provider::{Asked, ExtensionProvider},
    registered_provider::RegisteredProvider,
};
use crate::{
    configured_programs::protect_provider,
    home::Home,
    settings::{ModelSettings, ProviderSettings, Settings},
};

/// Wire format of a provider whose requests never leave as such, because its extension answers them.
const UNUSED_WIRE: ApiKind = ApiKind::OpenAiChat;
const UNUSED_URL: &str = "http://127.0.0.1/";

/// Providers of extensions. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct ExtensionModels {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    /// The modules, until there is a session.
    loaded: Mutex<Vec<Arc<dyn Extension>>>,
    asked: Arc<OnceLock<Asked>>,
}

impl fmt::Debug for ExtensionModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExtensionModels")
    }
}

/// A provider as an extension registered it.
#[derive(Clone, Debug)]
pub(super) struct Registered {
    pub(super) settings: ProviderSettings,
    /// Its configuration, if its extension answers requests itself.
    pub(super) own: Option<Value>,
}

impl Registered {
    /// Reads a registration. With `streams` its extension answers requests itself.
    fn read(name: &str, config: &Value, streams: bool) -> Result<Self, String> {
        if name.is_empty() || name.contains(['/', ':']) || name.contains(char::is_whitespace) {
            return Err(format!("\"{name}\" is not a provider name"));
        }
        let mut settings = read(config);
        if streams {
            settings.wire = Some(UNUSED_WIRE.as_str().to_owned());
            settings.base_url.get_or_insert_with(|| UNUSED_URL.to_owned());
            // The extension receives the key; the provider that would send it is not used.
            (settings.api_key, settings.api_key_env) = (None, None);
        }
        // One that cannot be asked would make every other model unavailable too.
        if let Some(Err(error)) = settings.wire.as_deref().map(str::parse::<ApiKind>) {
            return Err(format!("the provider {name} cannot be used: {error}"));
        }
        Ok(Self { settings, own: streams.then(|| config.clone()) })
    }
}

impl ExtensionModels {
    /// Uses modules that were loaded for a session which is being built.
    pub(crate) fn new(loaded: Vec<Arc<dyn Extension>>) -> Self {
        let inner = Inner { loaded: Mutex::new(loaded), asked: Arc::default() };
        Self { inner: Arc::new(inner) }
    }

    /// Connects the providers with the session, whose extensions register them and answer requests.
    pub(crate) fn attach(&self, agent: WeakAgent, modules: WeakExtensions) {
        // A session is built once.
        let _ = self.inner.asked.set(Asked { agent, modules });
        self.inner.loaded.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns the modules that may run, in load order.
    fn modules(&self) -> Vec<Arc<dyn Extension>> {
        match self.inner.asked.get() {
            Some(asked) => asked.modules.upgrade().map(|modules| modules.list()).unwrap_or_default(),
            None => self.inner.loaded.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    fn specs(&self) -> Vec<ProviderSpec> {
        self.modules().iter().flat_map(|module| module.registrations().providers).collect()
    }

    /// Returns the providers by name. The last module that registered one counts.
    fn registered(&self) -> BTreeMap<String, Registered> {
        let specs = self.specs().into_iter();
        let usable = specs.filter_map(|spec| {
            let registered = Registered::read(&spec.name, &spec.config, spec.streams).ok()?;
            Some((spec.name, registered))
        });
        usable.collect()
    }

    /// Returns a provider as it is registered now.
    pub(super) fn get(&self, name: &str) -> Option<Registered> {
        self.registered().remove(name)
    }

    /// Returns the selection with a provider that ends with its extension, if it is one of an extension. With `is_by_name` a change
    /// of the registration is followed. The user's settings take precedence.
    pub(crate) fn following(
        &self,
        mut selection: Selection,
        is_by_name: bool,
        settings: &Settings,
        environment: &Environment,
    ) -> Selection {
        let name = selection.model.provider.clone();
        if settings.providers.contains_key(&name) {
            return selection;
        }
        if let Some(registered) = self.get(&name) {
            selection.provider = match &registered.own {
                Some(config) => {
                    let asked = Arc::clone(&self.inner.asked);
                    Arc::new(ExtensionProvider::new(&name, config, environment, asked))
                }
                None => {
                    let remade = is_by_name.then(|| (settings.clone(), environment.clone()));
                    Arc::new(RegisteredProvider::new(self.clone(), &selection, registered, remade))
                }
            };
        }
        selection
    }

    /// Checks what a module registers.
    ///
    /// # Errors
    /// Fails with the reason why the provider cannot be used.
    pub(crate) fn check(name: &str, config: &Value, streams: bool) -> Result<(), String> {
        Registered::read(name, config, streams).map(drop)
    }

    /// Returns what is wrong with the providers of a module.
    pub(crate) fn problems(module: &dyn Extension) -> Vec<String> {
        let specs = module.registrations().providers;
        specs.iter().filter_map(|spec| Self::check(&spec.name, &spec.config, spec.streams).err()).collect()
    }

    /// Protects the programs that give keys of these providers (CONTRACT 5.7).
    pub(crate) fn protect(&self, protected: &Protected, cwd: &Path, home: &Home) {
        for spec in self.specs() {
            protect_provider(protected, &spec.config, cwd, home);
        }
    }

    /// Returns the settings with these providers.
    pub(crate) fn added_to(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        for (name, own) in self.registered() {
            // The user's settings take precedence.
            settings.providers.entry(name).or_insert(own.settings);
        }
        settings
    }
}

fn read(config: &Value) -> ProviderSettings {
    let text = |name: &str| config[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let mut settings =
        ProviderSettings { wire: text("api"), base_url: text("baseUrl"), ..ProviderSettings::default() };
    match text("apiKey") {
        Some(key) if key.starts_with('$') => {
            settings.api_key_env = Some(key.trim_start_matches('$').trim_matches(['{', '}']).to_owned());
        }
        key => settings.api_key = key,
    }
    let headers = config["headers"].as_object().into_iter().flatten();
    settings.headers =
        headers.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    for model in config["models"].as_array().into_iter().flatten() {
        let Some(id) = model["id"].as_str() else { continue };
        // The wire format may be given by each model.
        if settings.wire.is_none() {
            settings.wire = model["api"].as_str().map(str::to_owned);
        }
        let takes_images = model["input"].as_array().map(|kinds| kinds.iter().any(|kind| kind == "image"));
        let mut own = ModelSettings {
            name: model["name"].as_str().map(str::to_owned),
            context_window: model["contextWindow"].as_u64(),
            max_output: model["maxTokens"].as_u64(),
            images: takes_images,
            ..ModelSettings::default()
        };
        if model["reasoning"] == true {
            own.thinking = Some(["low", "medium", "high"].map(str::to_owned).to_vec());
        }
        let cost = |name: &str| model["cost"][name].as_f64();
        own.price.input = cost("input");
        own.price.output = cost("output");
        own.price.cache_read = cost("cacheRead");
        own.price.cache_write = cost("cacheWrite");
        settings.models.insert(id.to_owned(), own);
    }
    settings
}
