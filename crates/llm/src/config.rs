//! Provider configuration: URL, wire format and source of the key.

use std::{collections::BTreeMap, fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    model::{ForcedTool, ModelOverride},
    secret::Secret,
};

/// How long a provider may be silent before the first event and between two events.
const DEFAULT_IDLE: Duration = Duration::from_secs(300);

/// The wire formats. The names are those that compatible agents use in their configuration files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[non_exhaustive]
pub enum ApiKind {
    /// Anthropic Messages.
    #[serde(rename = "anthropic-messages")]
    AnthropicMessages,
    /// OpenAI Responses.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// OpenAI Chat Completions, which most other servers speak too.
    #[serde(rename = "openai-completions")]
    OpenAiChat,
    /// Google Gemini.
    #[serde(rename = "google-generative-ai")]
    GoogleGemini,
    /// OpenAI Responses at Azure.
    #[serde(rename = "azure-openai-responses")]
    AzureResponses,
    /// Amazon Bedrock's Converse, streamed.
    #[serde(rename = "bedrock-converse-stream")]
    BedrockConverse,
    /// Google Gemini at Vertex AI.
    #[serde(rename = "google-vertex")]
    GoogleVertex,
    /// Anthropic Messages at Vertex AI.
    #[serde(rename = "google-vertex-anthropic")]
    VertexAnthropic,
}

impl ApiKind {
    /// All wire formats.
    pub const ALL: [Self; 8] = [
        Self::AnthropicMessages,
        Self::OpenAiResponses,
        Self::OpenAiChat,
        Self::GoogleGemini,
        Self::AzureResponses,
        Self::BedrockConverse,
        Self::GoogleVertex,
        Self::VertexAnthropic,
    ];

    /// Returns the name used in configuration files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic-messages",
            Self::OpenAiResponses => "openai-responses",
            Self::OpenAiChat => "openai-completions",
            Self::GoogleGemini => "google-generative-ai",
            Self::AzureResponses => "azure-openai-responses",
            Self::BedrockConverse => "bedrock-converse-stream",
            Self::GoogleVertex => "google-vertex",
            Self::VertexAnthropic => "google-vertex-anthropic",
        }
    }

    /// Returns whether a cloud's own credentials or places are needed.
    pub(crate) fn is_of_cloud(self) -> bool {
        matches!(
            self,
            Self::AzureResponses | Self::BedrockConverse | Self::GoogleVertex | Self::VertexAnthropic
        )
    }

    /// Returns the header for the key and the prefix of its value.
    pub(crate) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::AnthropicMessages => ("x-api-key", ""),
            Self::OpenAiResponses | Self::OpenAiChat | Self::BedrockConverse | Self::VertexAnthropic => {
                ("authorization", "Bearer ")
            }
            Self::GoogleGemini | Self::GoogleVertex => ("x-goog-api-key", ""),
            Self::AzureResponses => ("api-key", ""),
        }
    }

    /// Returns the base URL with the API version appended if it is missing.
    pub(crate) fn versioned(self, base_url: &str) -> String {
        let base = base_url.trim();
        let base = match base.strip_suffix("://") {
            // Only a scheme; the URL parser rejects it.
            Some(_) => base,
            None => base.trim_end_matches('/'),
        };
        let has_path = base.split_once("://").map_or(base, |(_, rest)| rest).contains('/');
        let version = match self {
            // Compatible services have their own path, followed by the version.
            Self::AnthropicMessages if base.ends_with("/v1") => "",
            Self::AnthropicMessages => "/v1",
            _ if has_path => "",
            Self::OpenAiResponses | Self::OpenAiChat => "/v1",
            Self::GoogleGemini => "/v1beta",
            Self::AzureResponses => "/openai/v1",
            Self::BedrockConverse | Self::GoogleVertex | Self::VertexAnthropic => "",
        };
        format!("{base}{version}")
    }
}

impl fmt::Display for ApiKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The name is not a known wire format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a known wire format; expected one of {known}", known = ApiKind::ALL.map(ApiKind::as_str).join(", "))]
pub struct UnknownApi(pub String);

impl FromStr for ApiKind {
    type Err = UnknownApi;

    fn from_str(word: &str) -> Result<Self, UnknownApi> {
        Self::ALL.into_iter().find(|api| api.as_str() == word).ok_or_else(|| UnknownApi(word.to_owned()))
    }
}

/// Source of a key. In settings this is one string: `!command` runs a command, a name in capitals is an environment
/// variable, `cloud` are the credentials of a cloud's own tools, anything else is the key itself, and the empty string means that
/// no key is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeySource {
    /// No key is needed.
    #[default]
    None,
    /// The first of these environment variables that is set.
    Env(Vec<String>),
    /// The first of these environment variables that is set, else the cloud's own credentials.
    Cloud(Vec<String>),
    /// The output of this shell command.
    Command(String),
    /// The key itself.
    Literal(Secret),
}

impl KeySource {
    /// Reads the key from an environment variable.
    pub fn env(name: impl Into<String>) -> Self {
        Self::Env(vec![name.into()])
    }

    /// Returns the command of a value that is the output of one (`!…`). Whoever shows or protects such commands asks here,
    /// so that they mean the same as what is run.
    pub fn command(text: &str) -> Option<&str> {
        text.trim().strip_prefix('!').map(str::trim)
    }

    /// Parses the form used in settings.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let is_name = text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && text.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && text.contains('_');
        match Self::command(text) {
            Some(command) => Self::Command(command.to_owned()),
            None if text.is_empty() => Self::None,
            None if text == "cloud" => Self::Cloud(Vec::new()),
            None if is_name => Self::env(text),
            None => Self::Literal(Secret::new(text)),
        }
    }
}

impl<'de> Deserialize<'de> for KeySource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::parse(&String::deserialize(deserializer)?))
    }
}

/// Configuration of a provider.
#[derive(Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct ProviderConfig {
    /// Name of the provider.
    pub name: String,
    /// Wire format it speaks.
    pub api: ApiKind,
    /// Base URL. The API version may be omitted.
    pub base_url: String,
    /// Source of its key.
    #[serde(default, rename = "apiKey")]
    pub key: KeySource,
    /// Additional headers.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
    /// The user's overrides of model metadata.
    #[serde(default)]
    pub models: Vec<ModelOverride>,
    /// The catalog's provider name whose models it serves; its own name if `None`.
    #[serde(default)]
    pub catalog: Option<String>,
    /// Differences from other providers with the same wire format.
    #[serde(default)]
    pub quirks: Quirks,
    /// How long it may be silent.
    #[serde(default = "default_idle", rename = "idleTimeoutMs", deserialize_with = "milliseconds")]
    pub idle_timeout: Duration,
}

impl ProviderConfig {
    /// Creates a provider without a key and with default quirks.
    pub fn new(name: impl Into<String>, api: ApiKind, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            api,
            base_url: base_url.into(),
            key: KeySource::None,
            headers: BTreeMap::new(),
            models: Vec::new(),
            catalog: None,
            quirks: Quirks::default(),
            idle_timeout: DEFAULT_IDLE,
        }
    }

    /// Sets the source of the key.
    #[must_use]
    pub fn key(mut self, key: KeySource) -> Self {
        self.key = key;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: Secret) -> Self {
        self.headers.insert(name.into(), value);
        self
    }

    /// Adds a metadata override for a model.
    #[must_use]
    pub fn model(mut self, model: ModelOverride) -> Self {
        self.models.push(model);
        self
    }

    /// Sets how long it may be silent.
    #[must_use]
    pub fn idle_timeout(mut self, idle: Duration) -> Self {
        self.idle_timeout = idle;
        self
    }

    /// Sets the quirks.
    #[must_use]
    pub fn quirks(mut self, quirks: Quirks) -> Self {
        self.quirks = quirks;
        self
    }

    /// Returns the host for display. A URL may contain a password, so it is never shown whole.
    pub fn host(&self) -> String {
        let rest = self.base_url.split_once("://").map_or(self.base_url.as_str(), |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit('@').next().unwrap_or_default().to_owned()
    }
}

impl fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderConfig")
            .field("name", &self.name)
            .field("api", &self.api)
            .field("host", &self.host())
            .field("key", &self.key)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

/// Differences of a provider from others with the same wire format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Quirks {
    /// The strongest supported way to force a tool call, whatever the model supports elsewhere.
    pub forced_tool: Option<ForcedTool>,
    /// Chat: the token limit is named `max_completion_tokens`.
    pub max_completion_tokens: bool,
    /// Chat: role of developer messages; `user` if there is none.
    pub developer_role: Option<String>,
    /// Chat: how the thinking effort is sent.
    pub reasoning: ReasoningParameter,
    /// Chat: call ids must have exactly nine letters and digits.
    pub short_call_ids: bool,
    /// Chat: accepts a prompt cache key.
    pub prompt_cache_key: bool,
    /// Anthropic: accepts `eager_input_streaming` for each tool.
    pub eager_tool_input: bool,
}

/// How the thinking effort is sent in the chat format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReasoningParameter {
    /// `reasoning_effort`, as OpenAI does.
    #[default]
    Effort,
    /// A `reasoning` object, as OpenRouter does.
    Object,
    /// It is not sent.
    None,
}

fn default_idle() -> Duration {
    DEFAULT_IDLE
}

fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_millis)
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
