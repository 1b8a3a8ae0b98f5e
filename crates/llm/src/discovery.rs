//! Discovery of servers that need no key, such as local ones: queries which models they have, with a short timeout.

use std::time::Duration;

use serde_json::Value;

use crate::{
    builtin::LOCAL_SERVERS,
    config::ProviderConfig,
    http::{HttpClient, HttpRequest},
    model::ModelOverride,
    secret::Secret,
};

/// A running server answers at once; one that is not running must not delay anything.
const PROBE_TIME: Duration = Duration::from_secs(1);
/// Maximum size of a model list.
const MAX_LIST_BYTES: usize = 4 * 1024 * 1024;

/// A server that answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LocalServer {
    /// Name of the provider, such as `ollama`.
    pub provider: String,
    /// Its models, for [`crate::Providers::add_models`].
    pub models: Vec<ModelOverride>,
}

/// Queries the default ports of Ollama, llama.cpp and LM Studio concurrently.
pub async fn discover_local() -> Vec<LocalServer> {
    let servers: Vec<(&str, &str)> = LOCAL_SERVERS.to_vec();
    discover_at(&servers).await
}

/// Queries these servers concurrently, each given by provider name and base URL. The results keep the order.
pub async fn discover_at(servers: &[(&str, &str)]) -> Vec<LocalServer> {
    let asked = servers.iter().map(|(provider, base_url)| Asked {
        provider: (*provider).to_owned(),
        url: format!("{}/models", base_url.trim_end_matches('/')),
        headers: Vec::new(),
    });
    ask(&HttpClient::default(), asked).await
}

/// Queries these providers with their configuration.
pub(crate) async fn discover_configured<'a>(
    client: &HttpClient,
    providers: impl Iterator<Item = &'a ProviderConfig>,
) -> Vec<LocalServer> {
    let asked = providers.map(|config| Asked {
        provider: config.name.clone(),
        url: format!("{}/models", config.api.versioned(&config.base_url)),
        headers: config.headers.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect(),
    });
    ask(client, asked).await
}

struct Asked {
    provider: String,
    url: String,
    headers: Vec<(String, Secret)>,
}

async fn ask(client: &HttpClient, servers: impl Iterator<Item = Asked>) -> Vec<LocalServer> {
    let mut probes = tokio::task::JoinSet::new();
    for (at, Asked { provider, url, headers }) in servers.enumerate() {
        let client = client.clone();
        probes.spawn(async move {
            let request = HttpRequest { url, headers, body: None };
            let models = tokio::time::timeout(PROBE_TIME, list(&client, request)).await.ok()??;
            Some((at, LocalServer { provider, models }))
        });
    }
    let mut found: Vec<(usize, LocalServer)> = probes.join_all().await.into_iter().flatten().collect();
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, server)| server).collect()
}

async fn list(client: &HttpClient, request: HttpRequest) -> Option<Vec<ModelOverride>> {
    let body = client.send(request, PROBE_TIME).await.ok()?;
    let text = body.text(PROBE_TIME, MAX_LIST_BYTES).await.ok()?;
    let list: Value = serde_json::from_str(&text).ok()?;
    let models = list["data"].as_array()?.iter().filter_map(entry);
    Some(models.collect())
}

fn entry(model: &Value) -> Option<ModelOverride> {
    let mut entry = ModelOverride::new(model["id"].as_str()?);
    // vLLM, LM Studio, gateways and llama.cpp use different field names.
    entry.context_window = [
        &model["max_model_len"],
        &model["max_context_length"],
        &model["context_length"],
        &model["meta"]["n_ctx"],
        &model["meta"]["n_ctx_train"],
    ]
    .into_iter()
    .find_map(Value::as_u64);
    Some(entry)
}
