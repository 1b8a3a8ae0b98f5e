//! A provider as it is configured: where it is, which wire it speaks, where its key comes from.

use std::{collections::BTreeMap, fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    model::{ForcedTool, ModelOverride},
    secret::Secret,
};

/// How long a provider may be silent, at first and between two pieces of an answer.
const DEFAULT_IDLE: Duration = Duration::from_secs(300);

/// The wires. The names are the ones relatives of this program use in their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[non_exhaustive]
pub enum ApiKind {
    /// Anthropic's.
    #[serde(rename = "anthropic-messages")]
    AnthropicMessages,
    /// OpenAI's newer one.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// OpenAI's older one, which everybody speaks.
    #[serde(rename = "openai-completions")]
    OpenAiChat,
    /// Google's.
    #[serde(rename = "google-generative-ai")]
    GoogleGemini,
}

impl ApiKind {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::AnthropicMessages, Self::OpenAiResponses, Self::OpenAiChat, Self::GoogleGemini];

    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic-messages",
            Self::OpenAiResponses => "openai-responses",
            Self::OpenAiChat => "openai-completions",
            Self::GoogleGemini => "google-generative-ai",
        }
    }

    /// The header a key goes into, and what stands before it.
    pub(crate) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::AnthropicMessages => ("x-api-key", ""),
            Self::OpenAiResponses | Self::OpenAiChat => ("authorization", "Bearer "),
            Self::GoogleGemini => ("x-goog-api-key", ""),
        }
    }

    /// The base URL with the version the wire expects, where the user left it out.
    pub(crate) fn versioned(self, base_url: &str) -> String {
        let base = base_url.trim();
        let base = match base.strip_suffix("://") {
            // Nothing but a scheme; left for the parser to refuse.
            Some(_) => base,
            None => base.trim_end_matches('/'),
        };
        let has_path = base.split_once("://").map_or(base, |(_, rest)| rest).contains('/');
        let version = match self {
            // Compatible services have a path of their own and the version after it.
            Self::AnthropicMessages if base.ends_with("/v1") => "",
            Self::AnthropicMessages => "/v1",
            _ if has_path => "",
            Self::OpenAiResponses | Self::OpenAiChat => "/v1",
            Self::GoogleGemini => "/v1beta",
        };
        format!("{base}{version}")
    }
}

impl fmt::Display for ApiKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word is none of the wires.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no known wire; the wires are anthropic-messages, openai-responses, openai-completions, google-generative-ai"
)]
pub struct UnknownApi(pub String);

impl FromStr for ApiKind {
    type Err = UnknownApi;

    fn from_str(word: &str) -> Result<Self, UnknownApi> {
        Self::ALL.into_iter().find(|api| api.as_str() == word).ok_or_else(|| UnknownApi(word.to_owned()))
    }
}

/// Where a key comes from. In settings one string: `!command` runs it, a name in capitals is an environment variable,
/// anything else is the key itself, the empty string means none is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeySource {
    /// None is needed.
    #[default]
    None,
    /// The first of these environment variables that is set.
    Env(Vec<String>),
    /// What this shell command prints.
    Command(String),
    /// It is written here.
    Literal(Secret),
}

impl KeySource {
    /// An environment variable.
    pub fn env(name: impl Into<String>) -> Self {
        Self::Env(vec![name.into()])
    }

    /// Reads the form settings use.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let is_name = text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && text.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && text.contains('_');
        match text.strip_prefix('!') {
            Some(command) => Self::Command(command.trim().to_owned()),
            None if text.is_empty() => Self::None,
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

/// A provider.
#[derive(Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct ProviderConfig {
    /// What it is called here.
    pub name: String,
    /// The wire it speaks.
    pub api: ApiKind,
    /// Where it is. The version of the wire may be left out.
    pub base_url: String,
    /// Where its key comes from.
    #[serde(default, rename = "apiKey")]
    pub key: KeySource,
    /// Headers it wants beside the wire's own.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
    /// What the user says of its models.
    #[serde(default)]
    pub models: Vec<ModelOverride>,
    /// Whose models it serves, as the catalog names them; its own if `None`.
    #[serde(default)]
    pub catalog: Option<String>,
    /// Where it differs from others on the same wire.
    #[serde(default)]
    pub quirks: Quirks,
    /// How long it may be silent.
    #[serde(default = "default_idle", rename = "idleTimeoutMs", deserialize_with = "milliseconds")]
    pub idle_timeout: Duration,
}

impl ProviderConfig {
    /// A provider without a key, taken to be as able as most.
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

    /// Sets where its key comes from.
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

    /// Says something of a model.
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

    /// Sets where it differs.
    #[must_use]
    pub fn quirks(mut self, quirks: Quirks) -> Self {
        self.quirks = quirks;
        self
    }

    /// The host, for people. A URL can hold a password, so it is never shown whole.
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

/// Where a provider differs from others on the same wire.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Quirks {
    /// The furthest a call can be demanded here, whatever the model could do elsewhere.
    pub forced_tool: Option<ForcedTool>,
    /// Chat: the limit is called `max_completion_tokens`.
    pub max_completion_tokens: bool,
    /// Chat: the role of messages from the program around the model; `user` if there is none.
    pub developer_role: Option<String>,
    /// Chat: how the effort of thinking is said.
    pub reasoning: ReasoningParameter,
    /// Chat: ids of calls have to be nine letters and digits.
    pub short_call_ids: bool,
    /// Chat: takes the name of the conversation.
    pub prompt_cache_key: bool,
    /// Anthropic: takes `eager_input_streaming` with each tool.
    pub eager_tool_input: bool,
}

/// How the effort of thinking is said on the chat wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReasoningParameter {
    /// `reasoning_effort`, as OpenAI has it.
    #[default]
    Effort,
    /// `reasoning`, an object, as OpenRouter has it.
    Object,
    /// Not at all.
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
