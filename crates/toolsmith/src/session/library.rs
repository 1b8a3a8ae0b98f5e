//! Skills and Markdown commands of a session, and what invoking one leads to: a prompt, permissions, a model for one run.

use std::{
    fmt,
    io::{self, Read as _},
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
};

use serde_json::json;
use toolsmith_agent::{CallEnd, CallRequest, Prompt, RunEnd, TurnContext, TurnHook};
use toolsmith_host::regular_file::{open_regular, open_within};
use toolsmith_middleware::front_matter;
use toolsmith_tool::{CancelToken, async_trait};

use super::{
    extensions::{CommandOutcome, ExtensionResources, WeakSession},
    session::Session,
};
use crate::{
    allowed_tools::grants,
    commands::{MarkdownCommand, MarkdownCommands, Part, Words, discover_commands, parts, takes_arguments},
    discovery::DiscoveryOptions,
    skills::{Skills, activate, catalogue, discover_skills},
    small_file,
};

/// Files attached to one prompt, and the bytes of each.
const MAX_FILES: usize = 20;
const MAX_FILE_BYTES: u64 = 256 << 10;

/// Skills and Markdown commands. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Library {
    pub(crate) skills: Arc<RwLock<Arc<Skills>>>,
    pub(crate) commands: Arc<RwLock<Arc<MarkdownCommands>>>,
    pub(crate) model: RunModel,
    /// Size of the catalogue of skills; zero if the model cannot read skills.
    pub(crate) catalogue_bytes: usize,
}

impl Library {
    /// Finds the skills and commands of a working directory.
    pub(crate) fn find(options: &DiscoveryOptions) -> Self {
        Self {
            skills: Arc::new(RwLock::new(Arc::new(discover_skills(options)))),
            commands: Arc::new(RwLock::new(Arc::new(discover_commands(options)))),
            ..Self::default()
        }
    }

    pub(crate) fn skills(&self) -> Arc<Skills> {
        Arc::clone(&self.skills.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn commands(&self) -> Arc<MarkdownCommands> {
        Arc::clone(&self.commands.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the catalogue of skills for the system prompt.
    pub(crate) fn catalogue(&self) -> Option<String> {
        (self.catalogue_bytes > 0).then(|| catalogue(self.skills().list.iter(), self.catalogue_bytes))?
    }
}

impl Session {
    /// Returns the skills of the session.
    pub fn skills(&self) -> Arc<Skills> {
        self.library.skills()
    }

    /// Returns the Markdown commands of the session.
    pub fn markdown_commands(&self) -> Arc<MarkdownCommands> {
        self.library.commands()
    }

    /// Adds the skills and commands at paths that extensions named.
    pub(super) fn add_resources(&self, resources: &ExtensionResources) {
        if !resources.skills.is_empty() {
            let all = self.skills().with_paths(&resources.skills);
            *self.library.skills.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(all);
            if let Some(text) = self.library.catalogue() {
                self.agent().set_prompt_part("skills", &text);
            }
        }
        if !resources.prompts.is_empty() {
            let all = self.markdown_commands().with_paths(&resources.prompts);
            *self.library.commands.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(all);
        }
    }

    /// Invokes a skill. Its `allowed-tools` count if the user wrote it and invoked it.
    pub(in crate::session) fn run_skill(
        &self,
        name: &str,
        arguments: &str,
        is_by_person: bool,
    ) -> Result<CommandOutcome, String> {
        let skills = self.skills();
        let skill = skills.get(name).ok_or_else(|| format!("the skill \"{name}\" does not exist"))?;
        let text = activate(skill, Some(arguments))
            .map_err(|error| format!("{} cannot be read: {error}", skill.file.display()))?;
        self.allow_tools(&skill.allowed_tools, skill.may_allow_tools() && is_by_person);
        Ok(CommandOutcome::Prompt(Prompt::from(text)))
    }

    /// Invokes a Markdown command.
    pub(in crate::session) async fn run_markdown(
        &self,
        command: &MarkdownCommand,
        arguments: &str,
        is_by_person: bool,
        cancel: &CancelToken,
    ) -> Result<CommandOutcome, String> {
        let text = self.expand_markdown(command, arguments, cancel).await?;
        if text.trim().is_empty() {
            return Err(format!("{} has no text", command.file.display()));
        }
        self.allow_tools(&command.allowed_tools, command.source.is_users_own() && is_by_person);
        if let Some(model) = command.model.as_ref().filter(|_| command.is_trusted()) {
            self.use_model_for_run(model).await;
        }
        Ok(CommandOutcome::Prompt(Prompt::from(text)))
    }

    fn allow_tools(&self, tools: &[String], counts: bool) {
        if counts && !tools.is_empty() {
            self.agent().dispatcher().grant(grants(tools));
        }
    }

    async fn expand_markdown(
        &self,
        command: &MarkdownCommand,
        arguments: &str,
        cancel: &CancelToken,
    ) -> Result<String, String> {
        let file = command.file.display();
        let bytes = match &command.within {
            Some(within) => small_file::read_within(&command.file, within),
            None => small_file::read(&command.file),
        };
        let bytes = bytes.map_err(|error| format!("{file} cannot be read: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{file} is not UTF-8"))?;
        let mut body = front_matter::body(&text).trim().to_owned();
        if let Some(plugin) = &command.plugin {
            body = body.replace("${CLAUDE_PLUGIN_ROOT}", &plugin.display().to_string());
        }
        let words = Words::new(arguments);
        let (mut filled, mut files) = (String::new(), Vec::new());
        for part in parts(&body) {
            match part {
                Part::Text(text) => filled.push_str(&words.fill(text)),
                Part::File(path) => {
                    let path = words.fill(path);
                    filled.push('@');
                    filled.push_str(&path);
                    if !files.contains(&path) && files.len() < MAX_FILES {
                        files.push(path);
                    }
                }
                Part::Shell(shell) if !command.is_trusted() => {
                    return Err(format!(
                        "{file} runs `{shell}`, and its directory is not trusted. `toolsmith trust` trusts it"
                    ));
                }
                Part::Shell(shell) => {
                    filled.push_str(&self.shell_output(command, &words.fill(shell), cancel).await?);
                }
            }
        }
        if !words.line.is_empty() && !takes_arguments(&body) {
            filled.push_str(&format!("\n\nARGUMENTS: {}", words.line));
        }
        for path in files {
            if let Some(content) = self.attached(&path, command.within.as_deref())? {
                filled.push_str(&format!("\n\n<file path=\"{path}\">\n{}\n</file>", content.trim_end()));
            }
        }
        Ok(filled)
    }

    /// Runs a shell command of a template as a call of `bash`, with all its gates and its approval.
    async fn shell_output(
        &self,
        command: &MarkdownCommand,
        shell: &str,
        cancel: &CancelToken,
    ) -> Result<String, String> {
        let id = format!("command-{}", command.name);
        let context = self.agent().tool_context().with_cancel(cancel.clone());
        let request = CallRequest::new(id, "bash", json!({ "command": shell })).context(context);
        let outcome = self.agent().dispatcher().call(request).await;
        let text = outcome.result.joined_text();
        match outcome.end {
            CallEnd::Answered => Ok(text.trim_end().to_owned()),
            _ => Err(format!("`{shell}` of {} did not run: {text}", command.file.display())),
        }
    }

    /// Reads a file that a template attaches; `None` if there is none, because `@` has other meanings, too.
    fn attached(&self, path: &str, within: Option<&Path>) -> Result<Option<String>, String> {
        let target = match path.strip_prefix("~/") {
            Some(rest) if within.is_none() => self.home.user().join(rest),
            _ => self.cwd.join(path),
        };
        let opened = match within {
            Some(within) => open_within(&target, within),
            None => open_regular(&target),
        };
        let file = match opened {
            Ok(file) => file,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
                ) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(format!("@{path} cannot be attached: {error}")),
        };
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("@{path} cannot be attached: {error}"))?;
        let is_cut = bytes.len() as u64 > MAX_FILE_BYTES;
        bytes.truncate(usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX));
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if is_cut {
            text.push_str("\n[cut; read the file for the rest]");
        }
        Ok(Some(text))
    }

    /// Uses a model until the next run is over.
    async fn use_model_for_run(&self, model: &str) {
        let previous = self.agent().model().reference();
        match self.set_model(model).await {
            Ok(_) => self.library.model.remember(previous),
            Err(error) => {
                self.agent().notice(format!("The model \"{model}\" of the command is not used: {error}"))
            }
        }
    }
}

/// The model to return to after a run with another one. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct RunModel {
    previous: Arc<Mutex<Option<String>>>,
    session: Arc<OnceLock<WeakSession>>,
}

impl RunModel {
    fn remember(&self, model: String) {
        self.previous.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(model);
    }

    pub(crate) fn attach(&self, session: WeakSession) {
        let _ = self.session.set(session);
    }
}

impl fmt::Debug for RunModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunModel").finish_non_exhaustive()
    }
}

#[async_trait]
impl TurnHook for RunModel {
    async fn settled(&self, _end: &RunEnd, context: &TurnContext) {
        let previous = self.previous.lock().unwrap_or_else(PoisonError::into_inner).take();
        let session = self.session.get().and_then(WeakSession::upgrade);
        if let (Some(model), Some(session)) = (previous, session)
            && let Err(error) = session.set_model(&model).await
        {
            context.notice(format!("The model \"{model}\" is not used again: {error}"));
        }
    }
}
