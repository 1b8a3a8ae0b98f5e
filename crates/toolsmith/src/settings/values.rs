//! Settings as the program uses them.

use std::{collections::BTreeMap, time::Duration};

use serde::Deserialize;
use thiserror::Error;
use toolsmith_agent::{
    ApprovalSettings, Deadlines, OutputCut,
    rules::{Repeat, RuleSettings},
};
use toolsmith_js::{EngineKind, Limits};
use toolsmith_llm::{
    ApiKind, ForcedTool, KeySource, ModelOverride, PriceOverride, ProviderConfig, Secret, Thinking,
    UnknownApi,
};
use toolsmith_tool::ApprovalPolicy;

use super::recovery::{CompactionSettings, RetrySettings};
use super::secrets::without_credentials;
use super::units::{read_duration, read_duration_option, read_size, read_size_option};
use crate::discovery::ConfiguredPath;

/// Fewer tokens to think with are refused by the providers that want a number.
const LEAST_BUDGET: u64 = 1024;

/// All settings.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// The model to ask.
    pub model: Option<String>,
    /// How long the model may think.
    pub thinking: Option<String>,
    /// Where tools are looked for.
    pub discovery: DiscoverySettings,
    /// Tools.
    pub tools: ToolsSettings,
    /// What tools may use.
    pub limits: LimitSettings,
    /// What runs without asking (CONTRACT 5.4), with what `tools.approval.<name>` says.
    pub approval: ApprovalSettings,
    /// Providers of models.
    #[serde(default)]
    pub providers: BTreeMap<String, ProviderSettings>,
    /// How much output a model is shown.
    pub output: OutputSettings,
    /// What is done about errors that pass.
    pub retry: RetrySettings,
    /// What is done about a conversation that grows too long.
    pub compaction: CompactionSettings,
    /// The model's todo list.
    pub todo: TodoSettings,
    /// Rules for the model.
    pub rules: RulesSettings,
}

/// Rules for the model. The words are those of the table of settings.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct RulesSettings {
    /// Whether they are looked for.
    pub enabled: bool,
    /// Which answers a rule interrupts.
    pub interrupt: String,
    /// Whether a rule is shown again.
    pub repeat: String,
    /// After how many turns.
    pub repeat_gap: u64,
    /// What becomes of an interrupted answer.
    pub context: String,
}

impl RulesSettings {
    /// The agent's.
    pub fn stream(&self) -> RuleSettings {
        let repeat = match self.repeat.as_str() {
            "after-gap" => Repeat::AfterGap(self.repeat_gap),
            _ => Repeat::Once,
        };
        RuleSettings::default()
            .interrupt(self.interrupt.parse().unwrap_or_default())
            .repeat(repeat)
            .keep_partial(self.context == "keep")
    }
}

/// The model's todo list.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct TodoSettings {
    /// Whether there is one.
    pub enabled: bool,
    /// Whether the model is reminded of open tasks when it stops.
    pub reminders: bool,
}

/// Where tools are looked for.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct DiscoverySettings {
    /// Whether servers that want no key are asked which models they have, when no model is known otherwise.
    pub local_models: bool,
    /// Which providers are on.
    pub providers: BTreeMap<String, bool>,
}

impl DiscoverySettings {
    /// Whether a provider is on; one that is not mentioned is.
    pub fn is_on(&self, provider: &str) -> bool {
        self.providers.get(provider).copied().unwrap_or(true)
    }
}

/// Tools.
#[derive(Clone, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct ToolsSettings {
    /// More modules, with who named them.
    #[serde(skip)]
    pub paths: Vec<ConfiguredPath>,
    /// Tools that are left out.
    #[serde(default)]
    pub disabled: Vec<String>,
    /// `edit` and `write` stage their changes in place of making them.
    pub preview: bool,
    /// Settings of single tools, by name.
    #[serde(default)]
    pub each: BTreeMap<String, ToolSettings>,
}

/// Settings of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ToolSettings {
    /// How long a call may take without progress.
    #[serde(deserialize_with = "read_duration_option")]
    pub timeout: Option<Duration>,
    /// Bytes its module may use.
    #[serde(deserialize_with = "read_size_option")]
    pub memory: Option<usize>,
    /// What runs its module.
    pub engine: Option<EngineChoice>,
    /// Whether it may run without asking.
    pub approval: Option<ApprovalPolicy>,
}

/// What runs a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EngineChoice {
    /// The engine in this program.
    Embedded,
    /// Bun, beside it.
    Bun,
    /// Node, beside it.
    Node,
}

impl From<EngineChoice> for EngineKind {
    fn from(choice: EngineChoice) -> Self {
        match choice {
            EngineChoice::Embedded => Self::Embedded,
            EngineChoice::Bun => Self::Bun,
            EngineChoice::Node => Self::Node,
        }
    }
}

/// What tools may use.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct LimitSettings {
    /// Bytes a module may use.
    #[serde(deserialize_with = "read_size")]
    pub memory: usize,
    /// How long loading a module may take.
    #[serde(deserialize_with = "read_duration")]
    pub load: Duration,
    /// How long a call may take without progress.
    #[serde(deserialize_with = "read_duration")]
    pub call: Duration,
    /// How long a cancelled call may take to end by itself.
    #[serde(deserialize_with = "read_duration")]
    pub grace: Duration,
}

impl LimitSettings {
    /// The engine's limits.
    pub fn engine(&self) -> Limits {
        Limits::new().memory(self.memory).load(self.load).grace(self.grace)
    }
}

/// How much output a model is shown.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct OutputSettings {
    /// Bytes.
    #[serde(deserialize_with = "read_size")]
    pub max_bytes: usize,
    /// Lines.
    pub max_lines: usize,
}

impl OutputSettings {
    /// The dispatcher's.
    pub fn cut(&self) -> OutputCut {
        OutputCut::new(self.max_bytes, self.max_lines)
    }
}

/// A provider as settings describe it: a new one, or changes to a known one.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProviderSettings {
    /// The wire it speaks.
    pub wire: Option<String>,
    /// Where it is.
    pub base_url: Option<String>,
    /// The variable with its key.
    pub api_key_env: Option<String>,
    /// Its key, or where that comes from.
    pub api_key: Option<String>,
    /// Headers it wants.
    pub headers: BTreeMap<String, String>,
    /// How long it may be silent.
    #[serde(deserialize_with = "read_duration_option")]
    pub idle_timeout: Option<Duration>,
    /// What is said of its models, by their ids.
    pub models: BTreeMap<String, ModelSettings>,
}

/// What settings say of a model, over or beside what is known of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelSettings {
    /// What people call it.
    pub name: Option<String>,
    /// Tokens it reads at once, its answer included.
    pub context_window: Option<u64>,
    /// Tokens it writes at once.
    pub max_output: Option<u64>,
    /// Whether it sees images.
    pub images: Option<bool>,
    /// Whether it takes a temperature.
    pub temperature: Option<bool>,
    /// How far a call can be demanded of it.
    pub forced_tool: Option<ForcedTool>,
    /// The provider's words for how hard it thinks, weakest first.
    pub thinking: Option<Vec<String>>,
    /// The most tokens it thinks with.
    pub thinking_budget: Option<u64>,
    /// US dollars for a million tokens.
    pub price: PriceSettings,
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PriceSettings {
    /// Read afresh.
    pub input: Option<f64>,
    /// Written.
    pub output: Option<f64>,
    /// Read from the cache.
    pub cache_read: Option<f64>,
    /// Put into the cache.
    pub cache_write: Option<f64>,
}

impl ModelSettings {
    /// What is said, as the model crate takes it.
    pub fn to_override(&self, id: &str) -> ModelOverride {
        let mut said = ModelOverride::new(id);
        said.name.clone_from(&self.name);
        said.context_window = self.context_window;
        said.max_output = self.max_output;
        said.images = self.images;
        said.temperature = self.temperature;
        said.forced_tool = self.forced_tool;
        if self.thinking.is_some() || self.thinking_budget.is_some() {
            let mut thinking = Thinking::default();
            thinking.efforts = self.thinking.clone().unwrap_or_default();
            thinking.budget = self.thinking_budget.map(|most| (LEAST_BUDGET.min(most), most));
            said.thinking = Some(thinking);
        }
        if self.price != PriceSettings::default() {
            let mut price = PriceOverride::default();
            price.input = self.price.input;
            price.output = self.price.output;
            price.cache_read = self.price.cache_read;
            price.cache_write = self.price.cache_write;
            said.price = Some(price);
        }
        said
    }
}

impl std::fmt::Debug for ProviderSettings {
    // Keys and headers are secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderSettings")
            .field("wire", &self.wire)
            .field("base_url", &self.base_url.as_deref().map(without_credentials))
            .field("api_key_env", &self.api_key_env)
            .finish_non_exhaustive()
    }
}

/// Why a provider in the settings cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// A new provider lacks something.
    #[error("provider \"{name}\" needs `providers.{name}.{missing}`")]
    Missing {
        /// The provider.
        name: String,
        /// The key.
        missing: &'static str,
    },
    /// The wire is not known.
    #[error("provider \"{name}\": {source}")]
    Wire {
        /// The provider.
        name: String,
        /// What is wrong.
        source: UnknownApi,
    },
}

impl ProviderSettings {
    /// The provider as the model crate takes it.
    ///
    /// # Errors
    /// When the wire or the address is missing or wrong.
    pub fn to_config(&self, name: &str) -> Result<ProviderConfig, ProviderError> {
        let missing = |missing| ProviderError::Missing { name: name.to_owned(), missing };
        let wire: ApiKind = self
            .wire
            .as_deref()
            .ok_or_else(|| missing("wire"))?
            .parse()
            .map_err(|source| ProviderError::Wire { name: name.to_owned(), source })?;
        let base_url = self.base_url.as_deref().ok_or_else(|| missing("base_url"))?;
        let key = match (&self.api_key_env, &self.api_key) {
            (Some(variable), _) => KeySource::env(variable),
            (None, Some(key)) => KeySource::parse(key),
            (None, None) => KeySource::None,
        };
        Ok(self.add_to(ProviderConfig::new(name, wire, base_url).key(key)))
    }

    /// A known provider with what the settings say in place of what is known.
    ///
    /// # Errors
    /// When the wire is wrong.
    pub fn change(&self, mut known: ProviderConfig, name: &str) -> Result<ProviderConfig, ProviderError> {
        if let Some(wire) = &self.wire {
            known.api =
                wire.parse().map_err(|source| ProviderError::Wire { name: name.to_owned(), source })?;
        }
        if let Some(base_url) = &self.base_url {
            known.base_url.clone_from(base_url);
        }
        match (&self.api_key_env, &self.api_key) {
            (Some(variable), _) => known = known.key(KeySource::env(variable)),
            (None, Some(key)) => known = known.key(KeySource::parse(key)),
            (None, None) => {}
        }
        Ok(self.add_to(known))
    }

    fn add_to(&self, mut config: ProviderConfig) -> ProviderConfig {
        for (header, value) in &self.headers {
            config = config.header(header, Secret::new(value));
        }
        if let Some(idle) = self.idle_timeout {
            config = config.idle_timeout(idle);
        }
        for (id, said) in &self.models {
            config = config.model(said.to_override(id));
        }
        config
    }
}

impl Settings {
    /// How long calls may take. The grace time is longer than the engine's, so that a tool's own account comes first.
    pub fn deadlines(&self) -> Deadlines {
        let grace = self.limits.grace.saturating_add(Duration::from_secs(1));
        let own = self.tools.each.iter().filter_map(|(name, tool)| Some((name, tool.timeout?)));
        own.fold(Deadlines::default().call(self.limits.call).grace(grace), |all, (name, time)| {
            all.tool(name, time)
        })
    }

    /// What was said of one tool.
    pub fn tool(&self, name: &str) -> ToolSettings {
        self.tools.each.get(name).cloned().unwrap_or_default()
    }
}
