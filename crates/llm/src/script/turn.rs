//! A script as values: what it says, made in code or read from a file.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::{
    error::{ErrorClass, LlmError},
    message::{StopReason, Usage},
    model::ModelOverride,
};

/// A conversation to play.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Script {
    /// The answers, in order.
    pub turns: Vec<Turn>,
    /// What is said of the model.
    pub model: ModelOverride,
    /// What errors call the script, such as its file.
    pub(crate) origin: String,
}

impl Script {
    /// These answers.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            turns: turns.into_iter().collect(),
            model: ModelOverride::default(),
            origin: "the script".to_owned(),
        }
    }

    /// Says something of the model.
    #[must_use]
    pub fn model(mut self, model: ModelOverride) -> Self {
        self.model = model;
        self
    }
}

/// One answer of the model.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// What has to hold before it is played.
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
    /// An answer that says nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds words for the reader.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.step(Step::Text(text.into()))
    }

    /// Adds words on the way.
    #[must_use]
    pub fn thinking(self, text: impl Into<String>) -> Self {
        self.step(Step::Thinking { text: text.into(), signature: None })
    }

    /// Adds a call, with an id that is made up.
    #[must_use]
    pub fn call(self, name: impl Into<String>, arguments: &Value) -> Self {
        self.call_with_text("", name, arguments.to_string())
    }

    /// Adds a call whose id and arguments are exactly this, JSON or not.
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

    /// Fails here.
    #[must_use]
    pub fn error(self, class: ErrorClass, text: impl Into<String>) -> Self {
        self.step(Step::Error(LlmError::new(class, text)))
    }

    /// Says nothing more until somebody stops it.
    #[must_use]
    pub fn wait_for_abort(self) -> Self {
        self.step(Step::WaitForAbort)
    }

    /// Sets why it ends.
    #[must_use]
    pub fn stop(mut self, reason: StopReason) -> Self {
        self.stop = Some(reason);
        self
    }

    /// Sets the counts of tokens.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Sets how many characters are in each delta.
    #[must_use]
    pub fn chunk(mut self, characters: usize) -> Self {
        self.chunk = Some(characters);
        self
    }

    /// Sets what has to hold before it is played.
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

/// What has to hold before a turn is played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Expectation {
    /// The person's last message contains this.
    pub last_user_contains: Option<String>,
    /// The last tool result contains this.
    pub last_tool_result_contains: Option<String>,
    /// This tool is on offer.
    pub tool_offered: Option<String>,
    /// `auto`, `none`, `required`, or the name of the tool that must be called.
    pub tool_choice: Option<String>,
}

impl Expectation {
    /// The last tool result contains this.
    pub fn last_tool_result_contains(text: impl Into<String>) -> Self {
        Self { last_tool_result_contains: Some(text.into()), ..Self::default() }
    }
}
