//! Model providers that extensions register.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use serde_json::Value;
use toolsmith_tool::ProviderSpec;

use crate::settings::{ModelSettings, ProviderSettings, Settings};

/// Providers of extensions. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExtensionModels {
    providers: Arc<RwLock<BTreeMap<String, ProviderSettings>>>,
}

impl ExtensionModels {
    /// Adds or changes a provider. Fails for one whose requests the extension answers itself.
    pub(crate) fn register(&self, name: &str, config: &Value) -> Result<(), String> {
        if name.is_empty() || name.contains(['/', ':']) || name.contains(char::is_whitespace) {
            return Err(format!("\"{name}\" is not a provider name"));
        }
        let settings = read(config);
        self.providers.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), settings);
        Ok(())
    }

    /// Registers what a module declared while it was loaded; returns what is wrong.
    pub(crate) fn register_all(&self, specs: &[ProviderSpec]) -> Vec<String> {
        specs.iter().filter_map(|spec| self.register(&spec.name, &spec.config).err()).collect()
    }

    pub(crate) fn unregister(&self, name: &str) {
        self.providers.write().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// Returns the settings with these providers.
    pub(crate) fn added_to(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        for (name, own) in self.providers.read().unwrap_or_else(PoisonError::into_inner).iter() {
            // The user's settings take precedence.
            settings.providers.entry(name.clone()).or_insert_with(|| own.clone());
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
