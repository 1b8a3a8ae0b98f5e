//! Actions of extensions on their session.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use toolsmith_agent::{Agent, CallRequest, InputSource, Prompt, PromptError, session::EntryKind};
use toolsmith_llm::{Message, Request, ThinkingLevel, ToolDefinition};
use toolsmith_middleware::{custom_message, message_from_extension};
use toolsmith_tool::{
    ActionError, CancelToken, ContentBlock, CustomMessageDraft, DeliverAs, Origin, OriginKind, SessionAction,
    SessionActions, SessionTask, Tool, ToolContext, async_trait,
};

use super::{
    super::{
        operations::{AbandonedBranch, OperationError, SessionSwitched},
        session::Session,
    },
    CommandOutcome, ExtensionModels, WeakSession,
};

/// Carries out actions of extensions.
pub(crate) struct HostActions {
    session: WeakSession,
    /// Modules run on threads of their own.
    runtime: Handle,
}

impl HostActions {
    pub(crate) fn new(session: WeakSession, runtime: Handle) -> Self {
        Self { session, runtime }
    }

    fn session(&self) -> Result<Session, ActionError> {
        self.session.upgrade().ok_or(ActionError::NoSession)
    }
}

/// Results of operations that an extension may cancel.
fn switched(outcome: Result<SessionSwitched, OperationError>) -> Result<Value, ActionError> {
    match outcome {
        Ok(switched) => Ok(json!({ "cancelled": false, "text": switched.text })),
        Err(OperationError::Cancelled) => Ok(json!({ "cancelled": true })),
        Err(error) => Err(ActionError::failed(error)),
    }
}

#[async_trait]
impl SessionActions for HostActions {
    fn act(&self, action: SessionAction, context: &ToolContext) -> Result<Value, ActionError> {
        let session = self.session()?;
        let _entered = self.runtime.enter();
        session.act(action, context)
    }

    async fn perform(&self, task: SessionTask, context: ToolContext) -> Result<Value, ActionError> {
        self.session()?.perform(task, context).await
    }

    fn built_in(&self, name: &str, cwd: Option<&str>) -> Option<Arc<dyn Tool>> {
        self.session().ok()?.extensions.inner.built_ins.tool_in(name, cwd)
    }

    fn register_tool(&self, tool: Arc<dyn Tool>, origin: Origin) -> Result<(), ActionError> {
        let session = self.session()?;
        let name = tool.spec().name.clone();
        let hidden = tool.spec().hidden;
        session.agent().dispatcher().registry().write(|registry| {
            let existing = registry.get(&name).map(|found| found.origin.clone());
            let was_active = registry.is_active(&name);
            match &existing {
                Some(existing) if existing.kind != OriginKind::BuiltIn && *existing != origin => {
                    let text = format!("Tool name \"{name}\" conflicts with existing tool ({existing})");
                    return Err(ActionError::Failed(text));
                }
                _ => registry.replace(tool, origin).map_err(ActionError::failed)?,
            };
            registry.set_tool_active(&name, if existing.is_some() { was_active } else { !hidden });
            Ok(())
        })
    }
}

impl Session {
    fn act(&self, action: SessionAction, context: &ToolContext) -> Result<Value, ActionError> {
        let agent = self.agent();
        Ok(match action {
            SessionAction::SendMessage { message, deliver_as, trigger_turn } => {
                self.send_custom(message, deliver_as, trigger_turn, context)?;
                Value::Null
            }
            SessionAction::SendUserMessage { content, deliver_as, expand } => {
                let text = content.first().and_then(ContentBlock::as_text).filter(|_| expand);
                match text.and_then(|text| self.find_command(text)) {
                    Some((name, arguments)) => self.start_command(name, arguments),
                    None => send_user(agent, Prompt::new(content), deliver_as)?,
                }
                Value::Null
            }
            SessionAction::AppendEntry { custom_type, data } => {
                let entry = EntryKind::Custom { custom_type, data };
                json!(self.log().append(entry).map_err(ActionError::failed)?)
            }
            SessionAction::GetActiveTools => agent.dispatcher().registry().read(|registry| {
                json!(registry.active().map(|found| found.tool.spec().name.clone()).collect::<Vec<_>>())
            }),
            SessionAction::GetAllTools => self.tool_rows(),
            SessionAction::SetActiveTools { names } => {
                agent.dispatcher().registry().write(|registry| {
                    let known: Vec<String> =
                        names.into_iter().filter(|name| registry.get(name).is_some()).collect();
                    registry.set_active(&known).map_err(ActionError::failed)
                })?;
                Value::Null
            }
            SessionAction::GetCommands => json!(
                self.commands()
                    .into_iter()
                    .map(|command| json!({
                        "name": command.name,
                        "description": command.description,
                        "source": command.source,
                        "path": command.path,
                        "sourceInfo": { "path": command.path, "source": command.source },
                    }))
                    .collect::<Vec<_>>()
            ),
            SessionAction::GetSessionName => json!(self.log().name()),
            SessionAction::SetSessionName { name } => {
                self.set_name(&name).map_err(ActionError::failed)?;
                Value::Null
            }
            SessionAction::SetLabel { entry_id, label } => {
                self.set_label(&entry_id, label.as_deref()).map_err(ActionError::failed)?;
                Value::Null
            }
            SessionAction::GetThinkingLevel => json!(agent.thinking().as_str()),
            SessionAction::SetThinkingLevel { level } => {
                let level: ThinkingLevel = level.parse().map_err(ActionError::failed)?;
                self.set_thinking(level).map_err(ActionError::failed)?;
                Value::Null
            }
            SessionAction::GetFlag { name } => {
                self.extensions.flags().get(&name).cloned().unwrap_or_default()
            }
            SessionAction::Shutdown => {
                self.extensions.inner.shutdown.cancel("requested by an extension");
                Value::Null
            }
            SessionAction::Compact { instructions } => {
                let session = self.clone();
                tokio::spawn(async move {
                    if let Err(error) = session.compact(instructions.as_deref()).await {
                        session.agent().notice(format!("The session was not compacted: {error}"));
                    }
                });
                Value::Null
            }
            SessionAction::GetContextUsage => self.context_usage(),
            SessionAction::GetSystemPrompt => json!(agent.system_prompt()),
            SessionAction::GetSystemPromptOptions => agent.system_prompt_options(),
            SessionAction::GetMode => json!(self.extensions.inner.mode.as_str()),
            SessionAction::IsProjectTrusted => json!((self.extensions.inner.is_trusted)()),
            SessionAction::GetContextMessages => {
                let messages = agent.conversation().context();
                json!(
                    messages
                        .iter()
                        .map(|message| toolsmith_middleware::message_to_extension(message))
                        .collect::<Vec<_>>()
                )
            }
            SessionAction::RegisterProvider { name, config, streams } => {
                // The registrations of the module have it already.
                ExtensionModels::check(&name, &config, streams).map_err(ActionError::Failed)?;
                Value::Null
            }
            SessionAction::UnregisterProvider { .. } => Value::Null,
            _ => return Err(ActionError::failed("this action is not known")),
        })
    }

    async fn perform(&self, task: SessionTask, context: ToolContext) -> Result<Value, ActionError> {
        Ok(match task {
            SessionTask::SetModel { provider, id } => {
                let name = if provider.is_empty() { id } else { format!("{provider}/{id}") };
                let selected = self.set_model(&name).await;
                if let Err(error) = &selected {
                    tracing::warn!(%error, name, "An extension named a model that cannot be used");
                }
                json!(selected.is_ok())
            }
            SessionTask::WaitForIdle => {
                self.wait_for_idle().await;
                Value::Null
            }
            SessionTask::NewSession => switched(self.new_session().await)?,
            SessionTask::SwitchSession { session } => switched(self.switch(&session).await)?,
            SessionTask::Fork { entry_id, at } => switched(match at {
                true => match self.go_to(Some(&entry_id), AbandonedBranch::Drop).await {
                    Ok(_) => self.fork().await,
                    Err(error) => Err(error),
                },
                false => self.branch(&entry_id).await,
            })?,
            SessionTask::NavigateTree { target_id, summarize, label } => {
                let abandoned = if summarize { AbandonedBranch::Summarise } else { AbandonedBranch::Drop };
                let moved = switched(self.go_to(Some(&target_id), abandoned).await)?;
                if let (Some(label), Some(leaf)) = (label, self.log().leaf_id()) {
                    self.set_label(&leaf, Some(&label)).map_err(ActionError::failed)?;
                }
                moved
            }
            SessionTask::Compact { instructions } => {
                let compacted = self.compact(instructions.as_deref()).await.map_err(ActionError::failed)?;
                json!(compacted)
            }
            SessionTask::Reload => {
                let problems = self.reload_extensions().await;
                for problem in &problems {
                    self.agent().notice(format!("An extension was not loaded: {problem}"));
                }
                Value::Null
            }
            SessionTask::CallTool { name, arguments, .. } => {
                let id = format!("nested-{}", self.agent().now());
                let request = CallRequest::new(id, name, arguments).context(context);
                let outcome = self.agent().dispatcher().call(request).await;
                json!(outcome.result)
            }
            SessionTask::CallBuiltIn(request) => {
                let call = self.extensions.inner.built_ins.prepare(&request)?;
                json!(self.call_built_in(call, &request.call_id, context).await?)
            }
            SessionTask::ApproveBuiltIn(request) => {
                let call = self.extensions.inner.built_ins.prepare(&request)?;
                self.approve_built_in(call, &request.call_id, context).await?.0.arguments
            }
            SessionTask::ApprovalOf(request) => self.extensions.inner.built_ins.approval(&request).await?,
            SessionTask::Complete { model, system, messages, tools, thinking, max_tokens } => {
                self.complete(model, &system, messages, tools, thinking, max_tokens, &context).await?
            }
            _ => return Err(ActionError::failed("this action is not known")),
        })
    }

    /// Runs a command in the background; a prompt it returns starts a run.
    fn start_command(&self, name: String, arguments: String) {
        let session = self.clone();
        tokio::spawn(async move {
            let outcome = session.run_command_for(&name, &arguments, false, CancelToken::new()).await;
            let problem = match outcome {
                Ok(CommandOutcome::Prompt(prompt)) => {
                    session.prompt(prompt).err().map(|error| error.to_string())
                }
                Ok(CommandOutcome::Done) => None,
                Err(error) => Some(error.to_string()),
            };
            if let Some(problem) = problem {
                session.agent().notice(problem);
            }
        });
    }

    /// Adds a custom message: at once, to a queue, or as the start of a run.
    fn send_custom(
        &self,
        draft: CustomMessageDraft,
        deliver_as: Option<DeliverAs>,
        trigger_turn: bool,
        context: &ToolContext,
    ) -> Result<(), ActionError> {
        let agent = self.agent();
        let message = custom_message(draft, agent.now());
        // A message from inside a request would cause the next one, without end.
        let is_in_request = context.event.as_deref().is_some_and(|event| event.starts_with("context"));
        match deliver_as {
            _ if is_in_request => self.extensions.modules.keep_for_next_turn(message),
            Some(DeliverAs::NextTurn) => self.extensions.modules.keep_for_next_turn(message),
            _ if agent.is_idle() && trigger_turn => match agent.prompt_message(message.clone()) {
                Ok(()) => {}
                Err(PromptError::Busy) => agent.follow_up_message(message),
                Err(error) => return Err(ActionError::failed(error)),
            },
            _ if agent.is_idle() => self.append_message(message),
            Some(DeliverAs::FollowUp) => agent.follow_up_message(message),
            _ => agent.steer_message(message),
        }
        Ok(())
    }

    /// Adds a message to the conversation outside a run.
    pub(super) fn append_message(&self, message: Message) {
        let entry = EntryKind::of_message(message.clone());
        if let Err(error) = self.log().append(entry) {
            self.agent().notice(error.to_string());
        }
        self.agent().show_message(message);
    }

    fn tool_rows(&self) -> Value {
        let rows: Vec<Value> = self.agent().dispatcher().registry().read(|registry| {
            let row = |found: &toolsmith_tool::RegisteredTool| {
                let spec = found.tool.spec();
                let source = match found.origin.kind {
                    OriginKind::BuiltIn => "builtin",
                    OriginKind::Extension => "extension",
                    OriginKind::Mcp => "mcp",
                    OriginKind::Sdk => "sdk",
                    _ => "custom",
                };
                json!({
                    "name": spec.name,
                    "label": spec.label,
                    "description": spec.description,
                    "parameters": *spec.parameters,
                    "promptGuidelines": spec.prompt_guidelines,
                    "exposure": if spec.hidden { "hidden" } else { "direct" },
                    "isActive": registry.is_active(&spec.name),
                    "sourceInfo": { "source": source, "path": found.origin.location },
                })
            };
            registry.iter().map(row).collect()
        });
        json!(rows)
    }

    fn context_usage(&self) -> Value {
        let (tokens, window) = (self.recovery.context_tokens(), self.agent().model().context_window);
        #[expect(clippy::cast_precision_loss, reason = "a percentage needs no more precision")]
        let percent = if window == 0 { 0.0 } else { tokens as f64 * 100.0 / window as f64 };
        json!({ "tokens": tokens, "contextWindow": window, "percent": percent })
    }

    /// Asks a model outside the conversation.
    #[expect(clippy::too_many_arguments, reason = "the fields of one request")]
    async fn complete(
        &self,
        model: Option<String>,
        system: &str,
        messages: Vec<Value>,
        tools: Vec<Value>,
        thinking: Option<String>,
        max_tokens: Option<u64>,
        context: &ToolContext,
    ) -> Result<Value, ActionError> {
        let current = self.agent().model();
        let (provider, model) = match model.filter(|name| *name != current.reference()) {
            None => (self.agent().provider(), current),
            Some(name) => {
                let selection = self.models.select(&name).await.map_err(ActionError::failed)?;
                (selection.provider, selection.model)
            }
        };
        let messages = messages.into_iter().map(message_from_extension).collect::<Result<Vec<_>, _>>();
        let messages = messages.map_err(ActionError::Failed)?;
        let tools: Vec<ToolDefinition> = tools
            .iter()
            .filter_map(|tool| {
                let (name, text) = (tool["name"].as_str()?, tool["description"].as_str().unwrap_or_default());
                Some(ToolDefinition::new(name, text, tool["parameters"].clone()))
            })
            .collect();
        let level = thinking.and_then(|level| level.parse().ok()).unwrap_or_default();
        let mut request =
            Request::new(&model).system(system).messages(&messages).tools(&tools).thinking(level);
        request.max_tokens = max_tokens;
        let answer = provider.stream(&request, context.cancel.clone()).finish().await;
        answer.map(|message| json!(Message::Assistant(message))).map_err(ActionError::failed)
    }
}

/// Sends a message as the user. During a run it is queued.
fn send_user(agent: &Agent, prompt: Prompt, deliver_as: Option<DeliverAs>) -> Result<(), ActionError> {
    let outcome = match agent.prompt_from(prompt.clone(), InputSource::Extension) {
        Err(PromptError::Busy) => match deliver_as {
            Some(DeliverAs::Steer) => agent.steer(prompt),
            _ => agent.follow_up(prompt),
        },
        outcome => outcome,
    };
    outcome.map_err(ActionError::failed)
}
