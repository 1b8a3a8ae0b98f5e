//! Extensions as the rest of the program sees them (CONTRACT 10): what a module registered, and the calls it answers.

use std::path::Path;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    context::ToolContext,
    render::{RenderOptions, RenderedLines},
    result::ToolError,
};

/// Everything a module registered beside its tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Registrations {
    /// Label the module gave itself.
    pub label: Option<String>,
    /// Events it has handlers for.
    pub events: Vec<String>,
    /// Commands, in the order of registration.
    pub commands: Vec<CommandSpec>,
    /// Keyboard shortcuts.
    pub shortcuts: Vec<ShortcutSpec>,
    /// Command-line flags.
    pub flags: Vec<FlagSpec>,
    /// Message types it renders.
    pub message_renderers: Vec<String>,
    /// Entry types it renders.
    pub entry_renderers: Vec<String>,
    /// Model providers.
    pub providers: Vec<ProviderSpec>,
    /// Registrations that have no effect (CONTRACT 10.3).
    pub unsupported: Vec<String>,
}

impl Registrations {
    /// Returns whether nothing was registered.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether there is a handler for an event.
    pub fn listens_to(&self, event: &str) -> bool {
        self.events.iter().any(|known| known == event)
    }
}

/// A command, such as `/deploy`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct CommandSpec {
    /// Name without the slash.
    pub name: String,
    /// Description for people.
    pub description: String,
    /// It can complete its arguments.
    pub has_completions: bool,
}

/// A keyboard shortcut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ShortcutSpec {
    /// Key, such as `ctrl+shift+p`.
    pub key: String,
    /// Description for people.
    pub description: String,
}

/// A command-line flag.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct FlagSpec {
    /// Name without the dashes.
    pub name: String,
    /// Description for people.
    pub description: String,
    /// It takes a text; otherwise it is on or off.
    pub takes_text: bool,
    /// Value without the flag.
    #[serde(rename = "default", skip_serializing_if = "Value::is_null")]
    pub default_value: Value,
}

/// A model provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ProviderSpec {
    /// Name of the provider.
    pub name: String,
    /// Its configuration without functions.
    pub config: Value,
    /// The module answers requests itself.
    pub streams: bool,
}

/// One way to complete the arguments of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Completion {
    /// Text that replaces the arguments.
    pub value: String,
    /// Text shown in the list.
    pub label: String,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Kind of a renderer that a module registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RendererKind {
    /// A message with a custom type.
    Message,
    /// An entry with a custom type.
    Entry,
}

/// A module with registrations. Deadlines are the caller's: a call ends early when the context is cancelled.
#[async_trait]
pub trait Extension: Send + Sync {
    /// Returns the module's file.
    fn path(&self) -> &Path;

    /// Returns what is registered now. A module may register more at any time.
    fn registrations(&self) -> Registrations;

    /// Returns whether there is a handler for an event. Called often.
    fn listens_to(&self, event: &str) -> bool {
        self.registrations().listens_to(event)
    }

    /// Runs the module's handlers of an event in order and returns what they decided; null for nothing.
    ///
    /// # Errors
    /// Fails if a handler throws, returns an invalid value, or is stopped.
    async fn handle(&self, event: &str, payload: Value, context: ToolContext) -> Result<Value, ToolError>;

    /// Runs a command; a text it returns is a prompt for the model.
    ///
    /// # Errors
    /// Fails if there is no such command, or its handler throws or is stopped.
    async fn run_command(
        &self,
        name: &str,
        arguments: &str,
        context: ToolContext,
    ) -> Result<Value, ToolError>;

    /// Returns completions for the arguments of a command.
    ///
    /// # Errors
    /// Fails if the module throws or is stopped.
    async fn complete(
        &self,
        name: &str,
        prefix: &str,
        context: ToolContext,
    ) -> Result<Vec<Completion>, ToolError>;

    /// Runs a keyboard shortcut.
    ///
    /// # Errors
    /// Fails if there is no such shortcut, or its handler throws or is stopped.
    async fn run_shortcut(&self, key: &str, context: ToolContext) -> Result<(), ToolError>;

    /// Answers a model request with a provider of the module. Events of the answer are the details of updates; what is
    /// returned is the finished message.
    ///
    /// # Errors
    /// Fails if there is no such provider, or its function throws or is stopped.
    async fn stream(
        &self,
        provider: &str,
        _request: Value,
        _context: ToolContext,
    ) -> Result<Value, ToolError> {
        Err(ToolError::reply(format!("the provider \"{provider}\" cannot be asked")))
    }

    /// Renders a message or an entry of a custom type; `None` uses the default view.
    async fn render(
        &self,
        kind: RendererKind,
        custom_type: &str,
        value: &Value,
        options: &RenderOptions,
    ) -> Option<RenderedLines>;
}
