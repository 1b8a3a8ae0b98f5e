//! Scripts as values, built in code or read from a file.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::{
    error::{ErrorClass, LlmError},
    message::{StopReason, Usage},
    model::ModelOverride,
};

/// A script.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Script {
    /// The responses, in order.
    pub turns: Vec<Turn>,
    /// Metadata of the model.
    pub model: ModelOverride,
    /// Name of the script in errors, such as its path.
    pub(crate) origin: String,
}

impl Script {
    /// Creates a script from these responses.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            turns: turns.into_iter().collect(),
            model: ModelOverride::default(),
            origin: "the script".to_owned(),
        }
    }

    /// Sets the model's metadata.
    #[must_use]
    pub fn model(mut self, model: ModelOverride) -> Self {
        self.model = model;
        self
    }
}

/// One response of the model.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// Conditions checked before the turn is played.
    pub expect: Expectation,
    pub(crate) steps: Vec<Step>,
    pub(crate) stop: Option<StopReason>,
    pub(crate) usage: Option<Usage>,
    pub(crate) chunk: Option<usize>,
    pub(crate) pace: Duration,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Text(String),
    Thinking { text: String, signature: Option<String> },
    Call { id: String, name: String, arguments: String },
    Delay(Duration),
    Error(LlmError),
    WaitForAbort,
}

impl Turn {
    /// Creates an empty response.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.step(Step::Text(text.into()))
    }

    /// Adds thinking.
    #[must_use]
    pub fn thinking(self, text: impl Into<String>) -> Self {
        self.step(Step::Thinking { text: text.into(), signature: None })
    }

    /// Adds a call with a generated id.
    #[must_use]
    pub fn call(self, name: impl Into<String>, arguments: &Value) -> Self {
        self.call_with_text("", name, arguments.to_string())
    }

    /// Adds a call with exactly this id and these arguments, valid JSON or not.
    #[must_use]
    pub fn call_with_text(
        self,
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        self.step(Step::Call { id: id.into(), name: name.into(), arguments: arguments.into() })
    }

    /// Adds a pause.
    #[must_use]
    pub fn delay(self, pause: Duration) -> Self {
        self.step(Step::Delay(pause))
    }

    /// Adds an error.
    #[must_use]
    pub fn error(self, class: ErrorClass, text: impl Into<String>) -> Self {
        self.step(Step::Error(LlmError::new(class, text)))
    }

    /// Hangs until the request is cancelled.
    #[must_use]
    pub fn wait_for_abort(self) -> Self {
        self.step(Step::WaitForAbort)
    }

    /// Sets the stop reason.
    #[must_use]
    pub fn stop(mut self, reason: StopReason) -> Self {
        self.stop = Some(reason);
        self
    }

    /// Sets the token usage.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Sets the number of characters per delta.
    #[must_use]
    pub fn chunk(mut self, characters: usize) -> Self {
        self.chunk = Some(characters);
        self
    }

    /// Sets the conditions checked before the turn is played.
    #[must_use]
    pub fn expect(mut self, expect: Expectation) -> Self {
        self.expect = expect;
        self
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

/// Conditions for playing a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Expectation {
    /// The last user message contains this text.
    pub last_user_contains: Option<String>,
    /// The last tool result contains this text.
    pub last_tool_result_contains: Option<String>,
    /// This tool is offered.
    pub tool_offered: Option<String>,
    /// `auto`, `none`, `required`, or the name of the forced tool.
    pub tool_choice: Option<String>,
}

impl Expectation {
    /// Requires that the last tool result contains this text.
    pub fn last_tool_result_contains(text: impl Into<String>) -> Self {
        Self { last_tool_result_contains: Some(text.into()), ..Self::default() }
    }
}
