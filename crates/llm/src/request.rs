//! What is asked of a model: the conversation, the tools on offer, and how hard to think.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{message::Message, model::Model};

/// One request. It borrows: the conversation is written to the wire before [`crate::Provider::stream`] returns.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The model asked, with what is known of it.
    pub model: &'a Model,
    /// The system prompt; empty means none.
    pub system: &'a str,
    /// The conversation so far.
    pub messages: Vec<&'a Message>,
    /// The tools on offer.
    pub tools: Vec<&'a ToolDefinition>,
    /// Which of them may or must be called.
    pub tool_choice: ToolChoice,
    /// How hard to think.
    pub thinking: ThinkingLevel,
    /// The most it may write; `None` leaves it to the model's own limit.
    pub max_tokens: Option<u64>,
    /// Sent where the model takes one.
    pub temperature: Option<f64>,
    /// Names the conversation for providers that route by it to keep their cache of the prompt warm.
    pub cache_key: Option<&'a str>,
}

impl<'a> Request<'a> {
    /// Asks `model`, with nothing said yet.
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
        }
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system(mut self, system: &'a str) -> Self {
        self.system = system;
        self
    }

    /// Adds to the conversation.
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

    /// Sets how hard to think.
    #[must_use]
    pub fn thinking(mut self, level: ThinkingLevel) -> Self {
        self.thinking = level;
        self
    }

    /// Sets the most it may write.
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

    /// The choice that can be sent: a provider refuses one among no tools, or for a tool that is not on offer.
    pub(crate) fn sendable_choice(&self) -> &ToolChoice {
        match &self.tool_choice {
            ToolChoice::Tool(name) if !self.tools.iter().any(|tool| tool.name == *name) => &ToolChoice::Auto,
            _ if self.tools.is_empty() => &ToolChoice::Auto,
            choice => choice,
        }
    }

    /// Names the conversation.
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
    /// What the model calls.
    pub name: String,
    /// What the model reads to decide whether to call.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// Asks for the provider's strict schema mode. Heeded only where the schema meets that mode's demands: one
    /// that does not would make providers refuse the whole request.
    pub strict: bool,
}

impl ToolDefinition {
    /// A tool, not strict.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self { name: name.into(), description: description.into(), parameters, strict: false }
    }

    /// Asks for strict schema mode.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }
}

/// Which tools may or must be called. What a model can do of this is in [`crate::Capabilities::forced_tool`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// None may be called, though they are shown.
    None,
    /// Some tool must be called.
    Required,
    /// This tool must be called.
    Tool(String),
}

impl ToolChoice {
    /// Whether a call is demanded.
    pub fn is_forced(&self) -> bool {
        matches!(self, Self::Required | Self::Tool(_))
    }
}

/// How hard to think. Each provider's own measure is found from it; a level a model lacks becomes the next one below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ThinkingLevel {
    /// Not at all, or as little as the model can.
    #[default]
    Off,
    /// A moment.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// As much as there is.
    Xhigh,
}

impl ThinkingLevel {
    /// All levels, weakest first.
    pub const ALL: [Self; 6] = [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh];

    /// The name, as settings and model names spell it.
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

    /// Tokens to think with, for models that take a number.
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

/// The word is none of the levels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no thinking level; the levels are off, minimal, low, medium, high, xhigh")]
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
