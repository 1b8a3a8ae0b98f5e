//! Settings as typed values.

use std::{collections::BTreeMap, time::Duration};

use serde::Deserialize;
use thiserror::Error;
use toolsmith_agent::{ApprovalSettings, Deadlines, OutputCut};
use toolsmith_js::{EngineKind, Limits};
use toolsmith_llm::{
    ApiKind, ForcedTool, KeySource, ModelOverride, PriceOverride, ProviderConfig, Secret, Thinking,
    UnknownApi,
};
use toolsmith_middleware::rules::{Repeat, RuleSettings};
use toolsmith_tool::ApprovalPolicy;

use super::budgets::BudgetSettings;
use super::recovery::{CompactionSettings, RetrySettings};
use super::secrets::without_credentials;
use super::units::{read_duration, read_duration_option, read_size, read_size_option};
use crate::discovery::ConfiguredPath;

/// Providers that take a number reject smaller thinking budgets.
const LEAST_BUDGET: u64 = 1024;

/// All settings.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// Model.
    pub model: Option<String>,
    /// Thinking level.
    pub thinking: Option<String>,
    /// Discovery of tools.
    pub discovery: DiscoverySettings,
    /// Tools.
    pub tools: ToolsSettings,
    /// Extensions.
    pub extensions: ExtensionSettings,
    /// Hooks.
    pub hooks: HookSettings,
    /// Skills.
    pub skills: SkillSettings,
    /// Markdown commands.
    pub commands: CommandSettings,
    /// Limits of tools.
    pub limits: LimitSettings,
    /// Budgets.
    #[serde(default)]
    pub budget: BudgetSettings,
    /// Approval (CONTRACT 5.4), including `tools.approval.<name>`.
    pub approval: ApprovalSettings,
    /// Model providers.
    #[serde(default)]
    pub providers: BTreeMap<String, ProviderSettings>,
    /// Output limits.
    pub output: OutputSettings,
    /// Retries.
    pub retry: RetrySettings,
    /// Compaction.
    pub compaction: CompactionSettings,
    /// The todo list.
    pub todo: TodoSettings,
    /// Rules for the model.
    pub rules: RulesSettings,
    /// The terminal interface.
    pub ui: UiSettings,
    /// All values as tools see them, nested by name and without secrets.
    #[serde(skip)]
    pub shown: serde_json::Value,
}

/// The terminal interface. The words are those of the settings table.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct UiSettings {
    /// Which screen is used.
    pub screen: String,
    /// Theme.
    pub theme: String,
    /// Show animations.
    pub motion: bool,
    /// Notify when a long run ends.
    pub notifications: bool,
    /// Show images.
    pub images: bool,
    /// Action of escape pressed twice.
    pub double_escape: String,
    /// Use the plain interface.
    pub accessible: bool,
}

/// Rules for the model. The words are those of the settings table.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct RulesSettings {
    /// Discover rules.
    pub enabled: bool,
    /// Which responses a rule interrupts.
    pub interrupt: String,
    /// When a rule is sent again.
    pub repeat: String,
    /// After how many turns.
    pub repeat_gap: u64,
    /// Handling of an interrupted response.
    pub context: String,
}

impl RulesSettings {
    /// Converts to the agent's type.
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

/// The todo list.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct TodoSettings {
    /// Enable the tool.
    pub enabled: bool,
    /// Remind the model of open tasks when it stops.
    pub reminders: bool,
}

/// Discovery of tools.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct DiscoverySettings {
    /// Query servers that need no key for their models, if no model is known otherwise.
    pub local_models: bool,
    /// Enabled providers.
    pub providers: BTreeMap<String, bool>,
}

impl DiscoverySettings {
    /// Returns whether a provider is enabled; the default is yes.
    pub fn is_on(&self, provider: &str) -> bool {
        self.providers.get(provider).copied().unwrap_or(true)
    }
}

/// Tools.
#[derive(Clone, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct ToolsSettings {
    /// Additional modules with their origin.
    #[serde(skip)]
    pub paths: Vec<ConfiguredPath>,
    /// Disabled tools.
    #[serde(default)]
    pub disabled: Vec<String>,
    /// `edit` and `write` stage their changes.
    pub preview: bool,
    /// The one who decides about previews.
    #[serde(default)]
    pub preview_decision: PreviewDecision,
    /// Custom tools follow changes of their files.
    pub reload: bool,
    /// Calls of custom tools are recorded.
    pub record: bool,
    /// Settings of single tools, by name.
    #[serde(default)]
    pub each: BTreeMap<String, ToolSettings>,
}

/// Extensions.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ExtensionSettings {
    /// Additional extensions with their origin.
    #[serde(skip)]
    pub paths: Vec<ConfiguredPath>,
    /// Load extensions that are found in directories and plugins.
    pub enabled: bool,
    /// Disabled extensions.
    #[serde(default)]
    pub disabled: Vec<String>,
    /// Deadline of an event handler.
    #[serde(deserialize_with = "read_duration")]
    pub timeout: Duration,
}

/// Hooks.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct HookSettings {
    /// Agents whose user hooks run here too.
    #[serde(default)]
    pub import: Vec<String>,
    /// Deadline of a file hook.
    #[serde(deserialize_with = "read_duration")]
    pub timeout: Duration,
}

/// Skills.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct SkillSettings {
    /// Look for skills.
    pub enabled: bool,
    /// Size of the catalogue in the system prompt.
    #[serde(deserialize_with = "read_size")]
    pub catalogue_bytes: usize,
    /// Additional directories.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Names of disabled skills.
    #[serde(default)]
    pub disabled: Vec<String>,
}

/// Markdown commands.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct CommandSettings {
    /// Additional directories or files.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Names of disabled commands.
    #[serde(default)]
    pub disabled: Vec<String>,
}

/// The one who decides about previews at a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PreviewDecision {
    /// The user, where one can be asked.
    #[default]
    User,
    /// The model, by calling `resolve`.
    Model,
}

/// Settings of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ToolSettings {
    /// Deadline of a call without progress.
    #[serde(deserialize_with = "read_duration_option")]
    pub timeout: Option<Duration>,
    /// Memory limit of its module in bytes.
    #[serde(deserialize_with = "read_size_option")]
    pub memory: Option<usize>,
    /// Engine of its module.
    pub engine: Option<EngineChoice>,
    /// Approval policy.
    pub approval: Option<ApprovalPolicy>,
}

/// Engine of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EngineChoice {
    /// The embedded engine.
    Embedded,
    /// Bun as a sidecar.
    Bun,
    /// Node as a sidecar.
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

/// Limits of tools.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct LimitSettings {
    /// Memory limit of a module in bytes.
    #[serde(deserialize_with = "read_size")]
    pub memory: usize,
    /// Deadline for loading a module.
    #[serde(deserialize_with = "read_duration")]
    pub load: Duration,
    /// Deadline of a call without progress.
    #[serde(deserialize_with = "read_duration")]
    pub call: Duration,
    /// Grace time of a cancelled call.
    #[serde(deserialize_with = "read_duration")]
    pub grace: Duration,
}

impl LimitSettings {
    /// Converts to the engine's type.
    pub fn engine(&self) -> Limits {
        Limits::new().memory(self.memory).load(self.load).grace(self.grace)
    }
}

/// Output limits.
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
    /// Converts to the dispatcher's type.
    pub fn cut(&self) -> OutputCut {
        OutputCut::new(self.max_bytes, self.max_lines)
    }
}

/// A provider in the settings: a new one, or changes to a known one.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProviderSettings {
    /// Wire format.
    pub wire: Option<String>,
    /// Base URL.
    pub base_url: Option<String>,
    /// Environment variable with its key.
    pub api_key_env: Option<String>,
    /// Its key, or the source of the key.
    pub api_key: Option<String>,
    /// Additional headers.
    pub headers: BTreeMap<String, String>,
    /// How long it may be silent.
    #[serde(deserialize_with = "read_duration_option")]
    pub idle_timeout: Option<Duration>,
    /// Metadata of its models, by id.
    pub models: BTreeMap<String, ModelSettings>,
}

/// Model metadata in the settings.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelSettings {
    /// Display name.
    pub name: Option<String>,
    /// Context window in tokens, including the output.
    pub context_window: Option<u64>,
    /// Maximum number of output tokens.
    pub max_output: Option<u64>,
    /// Accepts images.
    pub images: Option<bool>,
    /// Accepts a temperature.
    pub temperature: Option<bool>,
    /// How strongly a tool call can be forced.
    pub forced_tool: Option<ForcedTool>,
    /// The provider's thinking levels, weakest first.
    pub thinking: Option<Vec<String>>,
    /// Maximum thinking budget in tokens.
    pub thinking_budget: Option<u64>,
    /// Prices in US dollars per million tokens.
    pub price: PriceSettings,
}

/// Prices in US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PriceSettings {
    /// Uncached input.
    pub input: Option<f64>,
    /// Output.
    pub output: Option<f64>,
    /// Cache reads.
    pub cache_read: Option<f64>,
    /// Cache writes.
    pub cache_write: Option<f64>,
}

impl ModelSettings {
    /// Converts to the type of the model crate.
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

/// Errors of a provider in the settings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// A new provider is incomplete.
    #[error("provider \"{name}\" needs `providers.{name}.{missing}`")]
    Missing {
        /// The provider.
        name: String,
        /// The missing key.
        missing: &'static str,
    },
    /// Unknown wire format.
    #[error("provider \"{name}\": {source}")]
    Wire {
        /// The provider.
        name: String,
        /// The error.
        source: UnknownApi,
    },
}

impl ProviderSettings {
    /// Converts to the type of the model crate.
    ///
    /// # Errors
    /// Fails if the wire format or the URL is missing or invalid.
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

    /// Applies the settings to a known provider.
    ///
    /// # Errors
    /// Fails if the wire format is invalid.
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
    /// Returns the deadlines of calls. The grace time is longer than the engine's, so that a tool's own report comes
    /// first.
    pub fn deadlines(&self) -> Deadlines {
        let grace = self.limits.grace.saturating_add(Duration::from_secs(1));
        let own = self.tools.each.iter().filter_map(|(name, tool)| Some((name, tool.timeout?)));
        own.fold(Deadlines::default().call(self.limits.call).grace(grace), |all, (name, time)| {
            all.tool(name, time)
        })
    }

    /// Returns the settings of one tool.
    pub fn tool(&self, name: &str) -> ToolSettings {
        self.tools.each.get(name).cloned().unwrap_or_default()
    }
}
