//! Model providers that extensions register.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

use serde_json::Value;
use toolsmith_agent::WeakAgent;
use toolsmith_llm::{ApiKind, Environment, Selection};
use toolsmith_middleware::WeakExtensions;
use toolsmith_tool::ProviderSpec;

use super::provider::{Asked, ExtensionProvider};
use crate::settings::{ModelSettings, ProviderSettings, Settings};

/// Wire format of a provider whose requests never leave as such, because its extension answers them.
const UNUSED_WIRE: ApiKind = ApiKind::OpenAiChat;
const UNUSED_URL: &str = "http://127.0.0.1/";

/// Providers of extensions. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExtensionModels {
    providers: Arc<RwLock<BTreeMap<String, Registered>>>,
    asked: Arc<OnceLock<Asked>>,
}

#[derive(Clone, Debug)]
struct Registered {
    settings: ProviderSettings,
    /// Its configuration, if its extension answers requests itself.
    own: Option<Value>,
}

impl ExtensionModels {
    /// Connects the providers with the session, whose extensions answer requests.
    pub(crate) fn attach(&self, agent: WeakAgent, modules: WeakExtensions) {
        // A session is built once.
        let _ = self.asked.set(Asked { agent, modules });
    }

    /// Adds or changes a provider. With `streams` its extension answers requests itself.
    pub(crate) fn register(&self, name: &str, config: &Value, streams: bool) -> Result<(), String> {
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
        let registered = Registered { settings, own: streams.then(|| config.clone()) };
        self.providers.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), registered);
        Ok(())
    }

    /// Returns the selection with a provider that asks the extension, where one answers for it. The user's settings take
    /// precedence.
    pub(crate) fn answering(
        &self,
        mut selection: Selection,
        settings: &Settings,
        environment: &Environment,
    ) -> Selection {
        let name = &selection.model.provider;
        let providers = self.providers.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = providers.get(name).and_then(|registered| registered.own.as_ref())
            && !settings.providers.contains_key(name)
        {
            let provider = ExtensionProvider::new(name, config, environment, Arc::clone(&self.asked));
            selection.provider = Arc::new(provider);
        }
        selection
    }

    /// Registers what a module declared while it was loaded; returns what is wrong.
    pub(crate) fn register_all(&self, specs: &[ProviderSpec]) -> Vec<String> {
        specs.iter().filter_map(|spec| self.register(&spec.name, &spec.config, spec.streams).err()).collect()
    }

    pub(crate) fn unregister(&self, name: &str) {
        self.providers.write().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// Returns the settings with these providers.
    pub(crate) fn added_to(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        for (name, own) in self.providers.read().unwrap_or_else(PoisonError::into_inner).iter() {
            // The user's settings take precedence.
            settings.providers.entry(name.clone()).or_insert_with(|| own.settings.clone());
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
