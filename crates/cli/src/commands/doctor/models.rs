//! Available models: providers with a key, shown by the name of the variable and never by its value, and servers that
//! need none.

use serde_json::{Value, json};
use toolsmith::{ModelChoice, ModelError};
use toolsmith_llm::{Environment, HttpProvider, KeySource, LocalServer, Provider as _, Providers};

use super::{Finding, State};
use crate::project::Project;

/// Maximum number of models shown per server.
const MAX_NAMED: usize = 5;
const GROUP: &str = "models";

/// Result of the check.
pub(super) struct Models {
    /// The default model, or the reason why there is none.
    chosen: Result<String, ModelError>,
    providers: Vec<Known>,
}

struct Known {
    name: String,
    host: String,
    key: KeySource,
    /// The variable with the key.
    variable: Option<String>,
    /// Set if its key is available or its server answered.
    is_usable: bool,
    /// For servers that need no key: whether they were queried, and their models.
    server: Server,
}

enum Server {
    NotAsked,
    Silent,
    Has(Vec<String>),
}

/// Checks the providers and queries the servers that need no key.
pub(super) async fn look(project: &Project) -> Models {
    let settings = &project.loaded.settings;
    let chosen = ModelChoice::Settings.select(settings, Environment::process());
    let known = async {
        let mut providers = toolsmith::providers(settings, Environment::process()).ok()?;
        let found = match settings.discovery.local_models {
            true => providers.discover().await,
            false => Vec::new(),
        };
        let names: Vec<&str> = providers.names().collect();
        let all = names.into_iter().filter_map(|name| providers.get(name).ok());
        Some(all.map(|provider| known(provider, &found, settings.discovery.local_models)).collect())
    };
    let (chosen, providers) = tokio::join!(chosen, known);
    Models {
        chosen: chosen.map(|selection| selection.model.reference()),
        providers: providers.unwrap_or_default(),
    }
}

fn known(provider: &HttpProvider, found: &[LocalServer], asked: bool) -> Known {
    let config = provider.config();
    let variable = match &config.key {
        KeySource::Env(names) | KeySource::Cloud(names) => {
            names.iter().find(|name| std::env::var(name).is_ok_and(|value| !value.trim().is_empty())).cloned()
        }
        _ => None,
    };
    let server = match found.iter().find(|server| server.provider == provider.name()) {
        Some(server) => Server::Has(server.models.iter().map(|model| model.id.clone()).collect()),
        None if asked && Providers::is_discoverable(config) => Server::Silent,
        None => Server::NotAsked,
    };
    Known {
        name: provider.name().to_owned(),
        host: config.host(),
        key: config.key.clone(),
        variable,
        is_usable: provider.has_key() && !matches!(server, Server::Silent),
        server,
    }
}

impl Models {
    /// Formats the result as text.
    pub(super) fn report(&self, findings: &mut Vec<Finding>) {
        let mut add = |name: &str, value: String, state| {
            findings.push(Finding { group: GROUP, name: name.to_owned(), value, state });
        };
        match &self.chosen {
            Ok(model) => add("chosen", model.clone(), State::Good),
            Err(ModelError::None) => {
                let what = "none; set a key, start a local server, or use --model";
                add("chosen", what.to_owned(), State::Absent);
            }
            Err(error) => add("chosen", error.to_string(), State::Bad),
        }
        let mut keyless = Vec::new();
        for known in &self.providers {
            match (&known.key, &known.variable, &known.server) {
                (KeySource::Env(names), None, _) => {
                    keyless.push(format!("{} ({})", known.name, names.join(" or ")));
                }
                (KeySource::Cloud(_), None, _) if !known.is_usable => {
                    keyless.push(format!("{} (credentials of its cloud)", known.name));
                }
                (KeySource::Cloud(_), None, _) => {
                    add(&known.name, "credentials of its cloud".to_owned(), State::Good);
                }
                (_, Some(variable), _) => add(&known.name, format!("key in {variable}"), State::Good),
                (KeySource::None, _, Server::Has(models)) => {
                    add(&known.name, format!("{} has {}", known.host, some(models)), State::Good);
                }
                (KeySource::None, _, Server::Silent) => {
                    add(&known.name, format!("no answer from {}", known.host), State::Absent);
                }
                (KeySource::None, _, Server::NotAsked) => {
                    add(&known.name, format!("{}, not asked", known.host), State::Absent);
                }
                (KeySource::Command(_), ..) => {
                    add(&known.name, "key from a command".to_owned(), State::Good);
                }
                _ => add(&known.name, "key in the settings".to_owned(), State::Good),
            }
        }
        if !keyless.is_empty() {
            add("without a key", keyless.join(", "), State::Absent);
        }
    }

    /// Formats the result as JSON.
    pub(super) fn to_json(&self) -> Value {
        let providers = self.providers.iter().map(|known| {
            let (answers, models) = match &known.server {
                Server::NotAsked => (None, None),
                Server::Silent => (Some(false), None),
                Server::Has(models) => (Some(true), Some(models)),
            };
            let (key, variables) = match &known.key {
                KeySource::None => ("none", None),
                KeySource::Env(names) => ("variable", Some(names)),
                KeySource::Cloud(names) => ("cloud", Some(names)),
                KeySource::Command(_) => ("command", None),
                _ => ("settings", None),
            };
            json!({
                "name": known.name,
                "host": known.host,
                "usable": known.is_usable,
                "key": key,
                "variables": variables,
                "variable": known.variable,
                "answers": answers,
                "models": models,
            })
        });
        json!({
            "chosen": self.chosen.as_ref().ok(),
            "problem": self.chosen.as_ref().err().map(ToString::to_string),
            "providers": providers.collect::<Vec<_>>(),
        })
    }
}

fn some(models: &[String]) -> String {
    let named = models.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match models.len() {
        0 => "no models".to_owned(),
        count if count > MAX_NAMED => format!("{named} and {} more", count - MAX_NAMED),
        _ => named,
    }
}
