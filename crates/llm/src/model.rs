//! Model metadata: limits, capabilities and prices.

use serde::{Deserialize, Serialize};

use crate::{
    message::{Cost, Usage},
    request::ThinkingLevel,
};

/// Default context window of an unknown model.
const UNKNOWN_CONTEXT: u64 = 128_000;
/// Default output limit of an unknown model.
const UNKNOWN_OUTPUT: u64 = 16_384;

/// A model of a provider.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// Name of the provider in the configuration.
    pub provider: String,
    /// Id used by the provider.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Context window in tokens, including the output.
    pub context_window: u64,
    /// Maximum number of output tokens.
    pub max_output: u64,
    /// Accepts images.
    pub images: bool,
    /// Thinking support.
    pub thinking: Thinking,
    /// Accepts a temperature.
    pub temperature: bool,
    /// How strongly a tool call can be forced.
    pub forced_tool: ForcedTool,
    /// Accepts system messages after the first message.
    pub inline_system: bool,
    /// Prices.
    pub price: Price,
}

impl Model {
    /// Creates a model with default metadata: text only, no thinking, no price.
    pub fn unknown(provider: impl Into<String>, id: impl Into<String>) -> Self {
        let id = id.into();
        Self {
            provider: provider.into(),
            name: id.clone(),
            id,
            context_window: UNKNOWN_CONTEXT,
            max_output: UNKNOWN_OUTPUT,
            images: false,
            thinking: Thinking::default(),
            temperature: true,
            forced_tool: ForcedTool::Named,
            inline_system: false,
            price: Price::default(),
        }
    }

    /// Returns `provider/id`, which selects exactly this model.
    pub fn reference(&self) -> String {
        format!("{}/{}", self.provider, self.id)
    }
}

/// How strongly a tool call can be forced, weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ForcedTool {
    /// Not supported: forcing is rejected or ignored, so only a reminder works.
    None,
    /// Some tool can be required; offering only one tool selects it.
    Required,
    /// A tool can be required by name.
    #[default]
    Named,
}

/// Thinking support of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Thinking {
    /// The provider's effort levels, weakest first; empty if it takes a number or does not support thinking.
    pub efforts: Vec<String>,
    /// Minimum and maximum thinking budget in tokens, if it takes a number.
    pub budget: Option<(u64, u64)>,
    /// The model chooses its own budget within the effort level (Anthropic's adaptive thinking).
    pub adaptive: bool,
    /// The level that disables thinking, if omitting the level leaves it enabled.
    pub off: Option<String>,
}

impl Thinking {
    /// Returns whether the model supports thinking.
    pub fn is_supported(&self) -> bool {
        !self.efforts.is_empty() || self.budget.is_some() || self.adaptive
    }

    /// Maps `level` to the provider's level: the same one, else the next lower, else the next higher. Returns `None`
    /// for [`ThinkingLevel::Off`] unless thinking cannot be disabled.
    pub(crate) fn effort(&self, level: ThinkingLevel) -> Option<&str> {
        const ORDER: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
        let has = |word: &&str| self.efforts.iter().any(|effort| effort == word);
        let at = match level {
            ThinkingLevel::Off => 0,
            ThinkingLevel::Minimal => 1,
            ThinkingLevel::Low => 2,
            ThinkingLevel::Medium => 3,
            ThinkingLevel::High => 4,
            // The highest level, whatever its name.
            ThinkingLevel::Xhigh if !has(&"xhigh") && has(&"max") => 6,
            ThinkingLevel::Xhigh => 5,
        };
        // "none" does not satisfy a request for thinking.
        let below = ORDER[at.min(1)..=at].iter().rev().find(|word| has(word));
        below.or_else(|| ORDER[at..].iter().find(|word| has(word))).copied()
    }

    /// Returns the thinking budget in tokens, within the model's limits.
    pub(crate) fn budget_for(&self, level: ThinkingLevel) -> Option<u64> {
        let (fewest, most) = self.budget?;
        Some(level.budget().clamp(fewest, most.max(fewest)))
    }
}

/// Prices in US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Price {
    /// Uncached input.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Cache reads.
    pub cache_read: f64,
    /// Cache writes.
    pub cache_write: f64,
}

impl Price {
    /// Computes the cost of this usage.
    pub fn cost(&self, usage: &Usage) -> Cost {
        // Token counts are far below 2^53, so f64 represents them exactly.
        let of = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        let input = of(usage.input, self.input);
        let output = of(usage.output, self.output);
        let cache_read = of(usage.cache_read, self.cache_read);
        let cache_write = of(usage.cache_write, self.cache_write);
        Cost { input, output, cache_read, cache_write, total: input + output + cache_read + cache_write }
    }
}

/// The user's overrides of a model's metadata.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelOverride {
    /// Id of the model.
    pub id: String,
    /// Display name.
    pub name: Option<String>,
    /// Context window in tokens.
    pub context_window: Option<u64>,
    /// Maximum number of output tokens.
    pub max_output: Option<u64>,
    /// Accepts images.
    pub images: Option<bool>,
    /// Thinking support.
    pub thinking: Option<Thinking>,
    /// Accepts a temperature.
    pub temperature: Option<bool>,
    /// How strongly a tool call can be forced.
    pub forced_tool: Option<ForcedTool>,
    /// Prices.
    pub price: Option<PriceOverride>,
}

/// The user's overrides of prices, one per kind of token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PriceOverride {
    /// Uncached input.
    pub input: Option<f64>,
    /// Output.
    pub output: Option<f64>,
    /// Cache reads.
    pub cache_read: Option<f64>,
    /// Cache writes.
    pub cache_write: Option<f64>,
}

impl PriceOverride {
    fn apply(self, price: &mut Price) {
        price.input = self.input.unwrap_or(price.input);
        price.output = self.output.unwrap_or(price.output);
        price.cache_read = self.cache_read.unwrap_or(price.cache_read);
        price.cache_write = self.cache_write.unwrap_or(price.cache_write);
    }
}

impl ModelOverride {
    /// Creates an override that changes nothing.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Returns these overrides, completed by those of `other`.
    #[must_use]
    pub(crate) fn or(self, other: &Self) -> Self {
        let other = other.clone();
        Self {
            id: self.id,
            name: self.name.or(other.name),
            context_window: self.context_window.or(other.context_window),
            max_output: self.max_output.or(other.max_output),
            images: self.images.or(other.images),
            thinking: self.thinking.or(other.thinking),
            temperature: self.temperature.or(other.temperature),
            forced_tool: self.forced_tool.or(other.forced_tool),
            price: self.price.or(other.price),
        }
    }

    /// Applies the overrides to `model`.
    pub(crate) fn apply(&self, model: &mut Model) {
        let said = self.clone();
        model.name = said.name.unwrap_or_else(|| std::mem::take(&mut model.name));
        model.context_window = said.context_window.unwrap_or(model.context_window);
        model.max_output = said.max_output.unwrap_or(model.max_output);
        model.images = said.images.unwrap_or(model.images);
        if let Some(thinking) = said.thinking {
            model.thinking = thinking;
        }
        model.temperature = said.temperature.unwrap_or(model.temperature);
        model.forced_tool = said.forced_tool.unwrap_or(model.forced_tool);
        if let Some(price) = said.price {
            price.apply(&mut model.price);
        }
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
