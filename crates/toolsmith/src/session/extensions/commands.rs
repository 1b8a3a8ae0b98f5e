//! Commands and shortcuts of a session: those of extensions, and those that other parts of the program add.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Arc, PoisonError},
};

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;
use toolsmith_agent::Prompt;
use toolsmith_tool::{
    CancelToken, Completion, Extension, FlagSpec, RenderOptions, RenderedLines, RendererKind, ToolError,
    async_trait, closest_names,
};

use super::super::session::Session;

/// Commands that the terminal interface has itself. An extension cannot register them.
pub const RESERVED_COMMANDS: &[&str] = &[
    "help",
    "hotkeys",
    "hooks",
    "model",
    "thinking",
    "settings",
    "new",
    "resume",
    "name",
    "session",
    "tree",
    "fork",
    "clone",
    "compact",
    "copy",
    "export",
    "trust",
    "mcp",
    "extensions",
    "skills",
    "pending",
    "undo",
    "reload",
    "redraw",
    "theme",
    "quit",
    "exit",
    "login",
    "logout",
];

/// Keys that the terminal interface needs itself. An extension cannot register them.
pub const RESERVED_KEYS: &[&str] = &[
    "ctrl+c",
    "ctrl+d",
    "ctrl+z",
    "ctrl+k",
    "ctrl+p",
    "ctrl+l",
    "ctrl+o",
    "ctrl+t",
    "ctrl+g",
    "shift+tab",
    "escape",
    "enter",
    "alt+enter",
    "shift+enter",
    "tab",
    "backspace",
];

/// A command as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CommandInfo {
    /// Name without the slash.
    pub name: String,
    /// Description for people.
    pub description: String,
    /// `extension`, `prompt` for a Markdown command, `skill`, `mcp`, or the source that added it.
    pub source: String,
    /// Origin for people, such as the plugin it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Arguments for help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// File of the extension, command or skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// It can complete its arguments.
    pub has_completions: bool,
}

impl CommandInfo {
    /// Creates a command without completions.
    pub fn new(name: impl Into<String>, description: impl Into<String>, source: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            source: source.into(),
            origin: None,
            argument_hint: None,
            path: None,
            has_completions: false,
        }
    }

    /// Says whether it can complete its arguments.
    #[must_use]
    pub fn completions(mut self, has_completions: bool) -> Self {
        self.has_completions = has_completions;
        self
    }
}

/// A keyboard shortcut as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ShortcutInfo {
    /// Key, such as `ctrl+shift+p`.
    pub key: String,
    /// Description for people.
    pub description: String,
    /// File of the extension.
    pub path: PathBuf,
}

/// Outcome of a command.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CommandOutcome {
    /// It is done. It may have started a run.
    Done,
    /// This is to be sent to the model.
    Prompt(Prompt),
}

/// Errors of commands.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CommandError {
    /// There is no such command.
    #[error("unknown command \"/{name}\"{}", closest_text(.closest))]
    Unknown {
        /// The name.
        name: String,
        /// Similar names.
        closest: Vec<String>,
    },
    /// There is no such shortcut.
    #[error("no extension registered the shortcut \"{0}\"")]
    UnknownShortcut(String),
    /// The command failed.
    #[error("the command \"/{name}\" failed: {message}")]
    Failed {
        /// The name.
        name: String,
        /// Error message.
        message: String,
    },
}

fn closest_text(closest: &[String]) -> String {
    match closest {
        [] => String::new(),
        names => format!(
            "; did you mean {}?",
            names.iter().map(|name| format!("/{name}")).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// A command that is not registered by an extension, such as a prompt of an MCP server.
#[async_trait]
pub trait Command: Send + Sync {
    /// Describes the command.
    fn info(&self) -> CommandInfo;

    /// Returns completions for its arguments.
    async fn complete(&self, _prefix: &str) -> Vec<Completion> {
        Vec::new()
    }

    /// Runs it.
    ///
    /// # Errors
    /// Returns the message for the user.
    async fn run(&self, arguments: &str, cancel: CancelToken) -> Result<CommandOutcome, String>;
}

/// Implementation of a command.
enum Runner {
    Extension(Arc<dyn Extension>),
    Other(Arc<dyn Command>),
    /// The Markdown command of this name.
    Markdown(String),
    /// The skill of this name.
    Skill(String),
    /// A prompt of an MCP server.
    Mcp,
}

/// Prefix of commands that invoke a skill.
const SKILL_PREFIX: &str = "skill:";

impl Session {
    /// Adds a command. One that an extension or an earlier call named the same takes precedence.
    pub fn add_command(&self, command: Arc<dyn Command>) {
        self.extensions.inner.commands.lock().unwrap_or_else(PoisonError::into_inner).push(command);
    }

    /// Returns all commands. Extensions may register more at any time.
    pub fn commands(&self) -> Vec<CommandInfo> {
        self.command_list().into_iter().map(|(info, _)| info).collect()
    }

    fn command_list(&self) -> Vec<(CommandInfo, Runner)> {
        let mut seen: HashSet<String> = RESERVED_COMMANDS.iter().map(|name| (*name).to_owned()).collect();
        let mut list = Vec::new();
        for extension in self.extensions.modules.list() {
            for spec in extension.registrations().commands {
                if seen.insert(spec.name.clone()) {
                    let info = CommandInfo {
                        path: Some(extension.path().to_path_buf()),
                        ..CommandInfo::new(spec.name, spec.description, "extension")
                    };
                    list.push((
                        info.completions(spec.has_completions),
                        Runner::Extension(Arc::clone(&extension)),
                    ));
                }
            }
        }
        let others = self.extensions.inner.commands.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for command in others {
            let info = command.info();
            if seen.insert(info.name.clone()) {
                list.push((info, Runner::Other(command)));
            }
        }
        let (commands, skills) = (self.markdown_commands(), self.skills());
        for command in &commands.list {
            if seen.insert(command.name.clone()) {
                let info = CommandInfo {
                    origin: Some(command.source.to_string()),
                    argument_hint: command.argument_hint.clone(),
                    path: Some(command.file.clone()),
                    ..CommandInfo::new(&command.name, &command.description, "prompt")
                };
                list.push((info, Runner::Markdown(command.name.clone())));
            }
        }
        for skill in skills.list.iter().filter(|skill| skill.invocable) {
            let info = CommandInfo {
                origin: Some(skill.source.to_string()),
                argument_hint: skill.argument_hint.clone(),
                path: Some(skill.file.clone()),
                ..CommandInfo::new(format!("{SKILL_PREFIX}{}", skill.name), &skill.description, "skill")
            };
            list.push((info, Runner::Skill(skill.name.clone())));
        }
        for prompt in self.mcp_prompts() {
            if seen.insert(prompt.name.clone()) {
                let arguments = &prompt.definition.arguments;
                let hint =
                    arguments.iter().map(|argument| format!("{}=…", argument.name)).collect::<Vec<_>>();
                let info = CommandInfo {
                    origin: Some(format!("MCP server {}", prompt.server)),
                    argument_hint: Some(hint.join(" ")).filter(|hint| !hint.is_empty()),
                    ..CommandInfo::new(prompt.name, prompt.definition.description, "mcp")
                };
                list.push((info, Runner::Mcp));
            }
        }
        list
    }

    /// Returns registrations of commands and shortcuts that have no effect, as sentences: reserved or taken names.
    pub fn refused_registrations(&self) -> Vec<String> {
        let mut commands: HashSet<String> = HashSet::new();
        let mut keys: HashSet<String> = HashSet::new();
        let mut refused = Vec::new();
        for extension in self.extensions.modules.list() {
            let path = extension.path().display();
            let registrations = extension.registrations();
            for command in registrations.commands {
                if RESERVED_COMMANDS.contains(&command.name.as_str()) {
                    refused.push(format!("{path}: the command name \"/{}\" is reserved", command.name));
                } else if !commands.insert(command.name.clone()) {
                    refused.push(format!("{path}: another extension has the command \"/{}\"", command.name));
                }
            }
            for shortcut in registrations.shortcuts {
                let key = normal_key(&shortcut.key);
                if RESERVED_KEYS.contains(&key.as_str()) {
                    refused.push(format!("{path}: the key \"{key}\" is reserved"));
                } else if !keys.insert(key.clone()) {
                    refused.push(format!("{path}: another extension has the key \"{key}\""));
                }
            }
        }
        refused
    }

    /// Splits `/name arguments` if it names a command; `None` for ordinary prompts.
    pub fn find_command(&self, line: &str) -> Option<(String, String)> {
        let rest = line.trim_start().strip_prefix('/')?;
        let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let known = self.command_list().into_iter().any(|(info, _)| info.name == name);
        known.then(|| (name.to_owned(), arguments.trim().to_owned()))
    }

    fn command(&self, name: &str) -> Result<Runner, CommandError> {
        let list = self.command_list();
        let names: Vec<String> = list.iter().map(|(info, _)| info.name.clone()).collect();
        let found = list.into_iter().find(|(info, _)| info.name == name);
        found.map(|(_, runner)| runner).ok_or_else(|| CommandError::Unknown {
            name: name.to_owned(),
            closest: closest_names(name, names.iter().map(String::as_str))
                .into_iter()
                .map(str::to_owned)
                .collect(),
        })
    }

    /// Runs a command by its name. It has no deadline; `cancel` stops it. A prompt it returns has not been sent.
    ///
    /// # Errors
    /// Fails if there is no such command, or it fails or is stopped.
    pub async fn run_command(
        &self,
        name: &str,
        arguments: &str,
        cancel: CancelToken,
    ) -> Result<CommandOutcome, CommandError> {
        self.run_command_for(name, arguments, true, cancel).await
    }

    /// Runs a command for a person or for an extension, which gains no permissions by it.
    pub(super) async fn run_command_for(
        &self,
        name: &str,
        arguments: &str,
        is_by_person: bool,
        cancel: CancelToken,
    ) -> Result<CommandOutcome, CommandError> {
        let failed = |message: String| CommandError::Failed { name: name.to_owned(), message };
        self.reload.refresh_trust().await;
        match self.command(name)? {
            Runner::Skill(skill) => self.run_skill(&skill, arguments, is_by_person).map_err(failed),
            Runner::Markdown(command) => {
                let command = self.markdown_commands().get(&command).cloned();
                let command = command.ok_or_else(|| failed("it does not exist any more".to_owned()))?;
                self.run_markdown(&command, arguments, is_by_person, &cancel).await.map_err(failed)
            }
            Runner::Mcp => {
                let line = format!("/{name} {arguments}");
                let prompt =
                    self.expand_prompt(line.into()).await.map_err(|error| failed(error.to_string()))?;
                Ok(CommandOutcome::Prompt(prompt))
            }
            Runner::Other(command) => command.run(arguments, cancel).await.map_err(failed),
            Runner::Extension(extension) => {
                let context = self.agent().tool_context().with_cancel(cancel);
                let outcome = extension.run_command(name, arguments, context).await;
                match outcome.map_err(|error| failed(message_of(error)))? {
                    Value::String(text) if !text.trim().is_empty() => Ok(CommandOutcome::Prompt(text.into())),
                    _ => Ok(CommandOutcome::Done),
                }
            }
        }
    }

    /// Returns completions for the arguments of a command.
    pub async fn complete_command(&self, name: &str, prefix: &str) -> Vec<Completion> {
        match self.command(name) {
            Ok(Runner::Other(command)) => command.complete(prefix).await,
            Ok(Runner::Markdown(_) | Runner::Skill(_) | Runner::Mcp) => Vec::new(),
            Ok(Runner::Extension(extension)) => {
                let context = self.agent().tool_context();
                let cancel = context.cancel.clone();
                let limit = self.extensions.modules.limits().shutdown;
                let completed = tokio::time::timeout(limit, extension.complete(name, prefix, context)).await;
                match completed {
                    Ok(Ok(completions)) => completions,
                    Ok(Err(error)) => {
                        tracing::warn!(command = name, %error, "The completions of a command failed");
                        Vec::new()
                    }
                    Err(_) => {
                        cancel.force("completions took too long");
                        Vec::new()
                    }
                }
            }
            Err(_) => Vec::new(),
        }
    }

    /// Returns the shortcuts of extensions.
    pub fn shortcuts(&self) -> Vec<ShortcutInfo> {
        let mut seen: HashSet<String> = RESERVED_KEYS.iter().map(|key| (*key).to_owned()).collect();
        let mut list = Vec::new();
        for extension in self.extensions.modules.list() {
            for shortcut in extension.registrations().shortcuts {
                let key = normal_key(&shortcut.key);
                if seen.insert(key.clone()) {
                    let path = extension.path().to_path_buf();
                    list.push(ShortcutInfo { key, description: shortcut.description, path });
                }
            }
        }
        list
    }

    /// Runs a shortcut by its key.
    ///
    /// # Errors
    /// Fails if there is no such shortcut, or it fails or is stopped.
    pub async fn run_shortcut(&self, key: &str, cancel: CancelToken) -> Result<(), CommandError> {
        let wanted = normal_key(key);
        let found = self.extensions.modules.list().into_iter().find_map(|extension| {
            let shortcuts = extension.registrations().shortcuts;
            let own = shortcuts.into_iter().find(|shortcut| normal_key(&shortcut.key) == wanted)?;
            Some((extension, own.key))
        });
        let Some((extension, own)) = found else {
            return Err(CommandError::UnknownShortcut(key.to_owned()));
        };
        let context = self.agent().tool_context().with_cancel(cancel);
        extension
            .run_shortcut(&own, context)
            .await
            .map_err(|error| CommandError::Failed { name: wanted, message: message_of(error) })
    }

    /// Returns the flags of extensions.
    pub fn flags(&self) -> Vec<FlagSpec> {
        self.extensions.modules.list().iter().flat_map(|extension| extension.registrations().flags).collect()
    }

    /// Sets the value of a flag, as `pi.getFlag` returns it.
    pub fn set_flag(&self, name: &str, value: Value) {
        self.extensions
            .inner
            .flags
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.to_owned(), value);
    }

    /// Renders a custom message or entry with the renderer an extension registered for its type; `None` uses the default
    /// view.
    pub async fn render_custom(
        &self,
        kind: RendererKind,
        custom_type: &str,
        value: &Value,
        options: &RenderOptions,
    ) -> Option<RenderedLines> {
        for extension in self.extensions.modules.list() {
            let registrations = extension.registrations();
            let types = match kind {
                RendererKind::Entry => registrations.entry_renderers,
                _ => registrations.message_renderers,
            };
            if types.iter().any(|known| known == custom_type) {
                return extension.render(kind, custom_type, value, options).await;
            }
        }
        None
    }

    /// Waits until an extension ends the session (`ctx.shutdown()`).
    pub async fn shutdown_requested(&self) {
        self.extensions.inner.shutdown.cancelled().await;
    }

    /// Returns whether an extension ended the session.
    pub fn is_shutdown_requested(&self) -> bool {
        self.extensions.inner.shutdown.is_cancelled()
    }
}

/// Modifiers in a fixed order and lower case, so that `Shift+Ctrl+P` is `ctrl+shift+p`.
fn normal_key(key: &str) -> String {
    let lower = key.to_lowercase();
    let mut parts: Vec<&str> = lower.split('+').map(str::trim).filter(|part| !part.is_empty()).collect();
    let last = parts.pop().unwrap_or("+");
    let order = ["ctrl", "alt", "shift", "super"];
    parts.sort_by_key(|part| order.iter().position(|known| known == part).unwrap_or(order.len()));
    parts.push(if last == "esc" { "escape" } else { last });
    parts.join("+")
}

pub(super) fn message_of(error: ToolError) -> String {
    match error {
        ToolError::Reply(failure) => failure.message,
        other => other.to_string(),
    }
}
