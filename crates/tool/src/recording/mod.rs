//! What a call asked of its surroundings and the answers, so that the call can be repeated without them.

mod command_lines;
mod forms;
mod pieces;
mod redact;
mod tape;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use redact::{REDACTED, is_secret_name, is_secret_variable_name};
pub use tape::{CallTape, LoadTape, ReplayEnd, TapeSlot};

/// Placeholder for the working directory.
pub const CWD_MARK: &str = "<cwd>";

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Answer {
    /// A value, at once.
    Returns(Value),
    /// An error, at once.
    Throws(Value),
    /// A value, later.
    Resolves(Value),
    /// An error, later.
    Rejects(Value),
    /// It had no answer when the call ended.
    Pending(bool),
}

/// A question to the surroundings and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// The host function.
    pub ask: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Value>,
    /// Its answer.
    pub answer: Answer,
}

/// Everything a call asked of its surroundings, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recording {
    /// Times that the call read, in milliseconds since the Unix epoch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clock: Vec<f64>,
    /// Random numbers that it drew.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub random: Vec<f64>,
    /// Questions and answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Exchange>,
    /// The reason why the call cannot be repeated from this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// Questions of the tool's module while it was loaded. Without it, the module is loaded from its surroundings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<Box<LoadRecording>>,
}

/// Everything a module asked of its surroundings while it was loaded, and what its own code asked until the first
/// recorded call ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LoadRecording {
    /// Distinguishes the instances of a module, because state does not outlive an instance. Empty in cases.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// Path of the module. Empty in cases.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub module: String,
    /// Questions and answers.
    pub asked: Recording,
}

impl LoadRecording {
    /// Replaces a text everywhere, such as the working directory by its placeholder.
    #[must_use]
    pub fn replacing(mut self, from: &str, to: &str) -> Self {
        self.module = self.module.replace(from, to);
        self.asked = self.asked.replacing(from, to);
        self
    }
}

impl Recording {
    /// Returns the credentials in the recording, together with the given ones.
    pub fn secrets(&self, more: &[String]) -> Vec<String> {
        redact::secrets_of(self, more)
    }

    /// Removes credentials: headers, query values, variables with secret names, and these values wherever they occur.
    #[must_use]
    pub fn redacted(mut self, secrets: &[String]) -> Self {
        redact::redact(&mut self, secrets);
        self
    }

    /// Replaces a text everywhere, such as the working directory by its placeholder.
    #[must_use]
    pub fn replacing(mut self, from: &str, to: &str) -> Self {
        if !from.is_empty() {
            for exchange in &mut self.exchanges {
                redact::each_text(exchange, &mut |text| {
                    if text.contains(from) {
                        *text = text.replace(from, to);
                    }
                });
            }
            self.load = self.load.map(|load| Box::new(load.replacing(from, to)));
        }
        self
    }

    /// Returns whether nothing was asked.
    pub fn is_empty(&self) -> bool {
        self.clock.is_empty() && self.random.is_empty() && self.exchanges.is_empty()
    }
}

/// Replaces secrets in every text of a value.
pub fn redact_value(value: &mut Value, secrets: &[String]) {
    redact::walk(value, &mut |text| redact::hide(text, secrets));
}

#[cfg(test)]
#[path = "recording_tests.rs"]
mod tests;
