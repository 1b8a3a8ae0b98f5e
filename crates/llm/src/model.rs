//! What is known of a model: how much it reads and writes, what it can do, what it costs.

use serde::{Deserialize, Serialize};

use crate::{
    message::{Cost, Usage},
    request::ThinkingLevel,
};

/// What a model reads at once, where nothing is known of it.
const UNKNOWN_CONTEXT: u64 = 128_000;
/// What a model writes at once, where nothing is known of it.
const UNKNOWN_OUTPUT: u64 = 16_384;

/// A model at a provider.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// The provider's name in the configuration.
    pub provider: String,
    /// What the provider calls it.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Tokens it reads at once, its own answer included.
    pub context_window: u64,
    /// Tokens it writes at once.
    pub max_output: u64,
    /// Whether it sees images.
    pub images: bool,
    /// Whether and how it thinks.
    pub thinking: Thinking,
    /// Whether it takes a temperature.
    pub temperature: bool,
    /// How far a call can be demanded of it.
    pub forced_tool: ForcedTool,
    /// Whether it takes system messages after the conversation began.
    pub inline_system: bool,
    /// What it costs.
    pub price: Price,
}

impl Model {
    /// A model of which nothing is known: text only, no thinking, no price.
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

    /// `provider/id`, the name that finds exactly this model again.
    pub fn reference(&self) -> String {
        format!("{}/{}", self.provider, self.id)
    }
}

/// How far a call can be demanded, weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ForcedTool {
    /// Not at all: a demand is refused or ignored. A reminder has to do.
    None,
    /// Some tool can be demanded; offering only one names it.
    Required,
    /// One tool can be demanded by its name.
    #[default]
    Named,
}

/// Whether and how a model thinks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Thinking {
    /// The provider's words for how hard, weakest first; empty where it takes a number or cannot think.
    pub efforts: Vec<String>,
    /// The fewest and the most tokens to think with, where it takes a number.
    pub budget: Option<(u64, u64)>,
    /// It decides by itself how long, within the effort (Anthropic's adaptive thinking).
    pub adaptive: bool,
    /// The word that switches thinking off, where saying nothing leaves it on.
    pub off: Option<String>,
}

impl Thinking {
    /// Whether it thinks at all.
    pub fn is_supported(&self) -> bool {
        !self.efforts.is_empty() || self.budget.is_some() || self.adaptive
    }

    /// The provider's word for `level`: the same, else the next below, else the next above. `None` for
    /// [`ThinkingLevel::Off`] unless the model cannot be without.
    pub(crate) fn effort(&self, level: ThinkingLevel) -> Option<&str> {
        const ORDER: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
        let has = |word: &&str| self.efforts.iter().any(|effort| effort == word);
        let at = match level {
            ThinkingLevel::Off => 0,
            ThinkingLevel::Minimal => 1,
            ThinkingLevel::Low => 2,
            ThinkingLevel::Medium => 3,
            ThinkingLevel::High => 4,
            // The top, whatever it is called there.
            ThinkingLevel::Xhigh if !has(&"xhigh") && has(&"max") => 6,
            ThinkingLevel::Xhigh => 5,
        };
        // Asked to think, "none" is no answer.
        let below = ORDER[at.min(1)..=at].iter().rev().find(|word| has(word));
        below.or_else(|| ORDER[at..].iter().find(|word| has(word))).copied()
    }

    /// Tokens to think with, within the model's bounds.
    pub(crate) fn budget_for(&self, level: ThinkingLevel) -> Option<u64> {
        let (fewest, most) = self.budget?;
        Some(level.budget().clamp(fewest, most.max(fewest)))
    }
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Price {
    /// Read afresh.
    pub input: f64,
    /// Written.
    pub output: f64,
    /// Read from the cache.
    pub cache_read: f64,
    /// Put into the cache.
    pub cache_write: f64,
}

impl Price {
    /// What these tokens cost.
    pub fn cost(&self, usage: &Usage) -> Cost {
        // Counts of tokens are far below the 2^53 that f64 holds exactly.
        let of = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        let input = of(usage.input, self.input);
        let output = of(usage.output, self.output);
        let cache_read = of(usage.cache_read, self.cache_read);
        let cache_write = of(usage.cache_write, self.cache_write);
        Cost { input, output, cache_read, cache_write, total: input + output + cache_read + cache_write }
    }
}

/// What the user says of a model, over or beside what the catalog says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelOverride {
    /// The model's id.
    pub id: String,
    /// What people call it.
    pub name: Option<String>,
    /// Tokens it reads at once.
    pub context_window: Option<u64>,
    /// Tokens it writes at once.
    pub max_output: Option<u64>,
    /// Whether it sees images.
    pub images: Option<bool>,
    /// Whether and how it thinks.
    pub thinking: Option<Thinking>,
    /// Whether it takes a temperature.
    pub temperature: Option<bool>,
    /// How far a call can be demanded of it.
    pub forced_tool: Option<ForcedTool>,
    /// What it costs.
    pub price: Option<PriceOverride>,
}

/// What the user says of a price: each kind of token by itself, over what the catalog says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PriceOverride {
    /// Read afresh.
    pub input: Option<f64>,
    /// Written.
    pub output: Option<f64>,
    /// Read from the cache.
    pub cache_read: Option<f64>,
    /// Put into the cache.
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
    /// Says nothing yet of the model with this id.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// What is said here, and where nothing is, what `other` says.
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

    /// Lays what is said over `model`.
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
