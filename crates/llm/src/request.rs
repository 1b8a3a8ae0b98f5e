//! Model requests: conversation, tools and thinking level.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{message::Message, model::Model, provider::Exchange, wire::EncodedHistory};

/// One request. It borrows the conversation, which is encoded before [`crate::Provider::stream`] returns.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The model and its metadata.
    pub model: &'a Model,
    /// The system prompt; empty for none.
    pub system: &'a str,
    /// The conversation so far.
    pub messages: Vec<&'a Message>,
    /// The tools offered.
    pub tools: Vec<&'a ToolDefinition>,
    /// Which tools may or must be called.
    pub tool_choice: ToolChoice,
    /// Thinking level.
    pub thinking: ThinkingLevel,
    /// Maximum number of output tokens; `None` uses the model's limit.
    pub max_tokens: Option<u64>,
    /// Temperature, sent if the model accepts one.
    pub temperature: Option<f64>,
    /// Identifies the session for providers that route by it to reuse their prompt cache.
    pub cache_key: Option<&'a str>,
    /// Sees the exchange with the provider.
    pub exchange: Option<Arc<dyn Exchange>>,
    /// The same messages, shared, and their encoded form.
    pub(crate) shared: Option<(&'a [Arc<Message>], &'a EncodedHistory)>,
}

impl<'a> Request<'a> {
    /// Creates a request with an empty conversation.
    pub fn new(model: &'a Model) -> Self {
        Self {
            model,
            system: "",
            messages: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            thinking: ThinkingLevel::Off,
            max_tokens: None,
            temperature: None,
            cache_key: None,
            exchange: None,
            shared: None,
        }
    }

    /// Sets the conversation. What earlier requests with the same `encoded` have in common with this one is not encoded
    /// again.
    #[must_use]
    pub fn conversation(mut self, messages: &'a [Arc<Message>], encoded: &'a EncodedHistory) -> Self {
        self.messages = messages.iter().map(Arc::as_ref).collect();
        self.shared = Some((messages, encoded));
        self
    }

    /// Returns the shared messages, if they are those of the request: its list is public and may have been changed.
    pub(crate) fn shared(&self) -> Option<(&'a [Arc<Message>], &'a EncodedHistory)> {
        self.shared.filter(|(shared, _)| {
            let same = |(one, other): (&Arc<Message>, &&Message)| std::ptr::eq(Arc::as_ptr(one), *other);
            shared.len() == self.messages.len() && shared.iter().zip(&self.messages).all(same)
        })
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system(mut self, system: &'a str) -> Self {
        self.system = system;
        self
    }

    /// Adds messages.
    #[must_use]
    pub fn messages(mut self, messages: impl IntoIterator<Item = &'a Message>) -> Self {
        self.messages.extend(messages);
        self
    }

    /// Adds tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = &'a ToolDefinition>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Sets which tools may or must be called.
    #[must_use]
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// Sets the thinking level.
    #[must_use]
    pub fn thinking(mut self, level: ThinkingLevel) -> Self {
        self.thinking = level;
        self
    }

    /// Sets the maximum number of output tokens.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u64) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// Sets the temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Returns the tool choice that can be sent: providers reject a choice without tools, or of a tool that is not
    /// offered.
    pub(crate) fn sendable_choice(&self) -> &ToolChoice {
        match &self.tool_choice {
            ToolChoice::Tool(name) if !self.tools.iter().any(|tool| tool.name == *name) => &ToolChoice::Auto,
            _ if self.tools.is_empty() => &ToolChoice::Auto,
            choice => choice,
        }
    }

    /// Sets the session identifier.
    #[must_use]
    pub fn cache_key(mut self, key: &'a str) -> Self {
        self.cache_key = Some(key);
        self
    }
}

/// A tool as the model sees it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Arc<Value>,
    /// Requests the provider's strict schema mode. It is used only if the schema meets its requirements; otherwise
    /// providers would reject the whole request.
    pub strict: bool,
}

impl ToolDefinition {
    /// Creates a tool without strict mode.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: impl Into<Arc<Value>>,
    ) -> Self {
        let (name, description) = (name.into(), description.into());
        Self { name, description, parameters: parameters.into(), strict: false }
    }

    /// Requests strict schema mode.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }
}

/// Which tools may or must be called. [`crate::Capabilities::forced_tool`] tells what a model supports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool may be called.
    None,
    /// Some tool must be called.
    Required,
    /// This tool must be called.
    Tool(String),
}

impl ToolChoice {
    /// Returns whether a call is forced.
    pub fn is_forced(&self) -> bool {
        matches!(self, Self::Required | Self::Tool(_))
    }
}

/// Thinking level. It is mapped to each provider's own scale; a level that a model lacks becomes the next lower one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ThinkingLevel {
    /// Disabled, or the model's minimum.
    #[default]
    Off,
    /// Minimal.
    Minimal,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// The model's maximum.
    Xhigh,
}

impl ThinkingLevel {
    /// All levels, weakest first.
    pub const ALL: [Self; 6] = [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh];

    /// Returns the name used in settings and model names.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
        }
    }

    /// Returns the thinking budget in tokens, for models that take a number.
    pub(crate) fn budget(self) -> u64 {
        match self {
            Self::Off => 0,
            Self::Minimal => 1024,
            Self::Low => 2048,
            Self::Medium => 8192,
            Self::High => 16_384,
            Self::Xhigh => 32_768,
        }
    }
}

impl fmt::Display for ThinkingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The name is not a thinking level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a thinking level; expected one of off, minimal, low, medium, high, xhigh")]
pub struct UnknownLevel(pub String);

impl FromStr for ThinkingLevel {
    type Err = UnknownLevel;

    fn from_str(word: &str) -> Result<Self, UnknownLevel> {
        Self::ALL
            .into_iter()
            .find(|level| level.as_str() == word)
            .ok_or_else(|| UnknownLevel(word.to_owned()))
    }
}
