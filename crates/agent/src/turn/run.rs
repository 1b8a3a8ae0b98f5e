//! One run, from the prompt to the end.

use std::sync::Arc;

use toolsmith_llm::{AssistantMessage, LlmError, Message, StopReason};
use toolsmith_tool::CancelToken;

use super::{
    answer::ask,
    calls::{self, Results},
    context::TurnContext,
    hook::{AfterError, InputSource, RunStart, TurnHook},
};
use crate::{
    ConversationError,
    agent::Core,
    events::{AgentEvent, RunEnd},
    queues::Lane,
};

/// Runs until the model is done or the run ends otherwise. Starts with `prompt`.
pub(crate) async fn run(
    core: Arc<Core>,
    prompt: Vec<Message>,
    source: InputSource,
    cancel: CancelToken,
) -> RunEnd {
    let context = TurnContext::new(Arc::clone(&core), cancel.clone());
    let mut run = Run {
        core,
        cancel,
        context,
        waiting: prompt,
        added: Vec::new(),
        turn: 0,
        refused_turns: 0,
        attempt: 0,
    };
    run.core.begin_run();
    run.core.emit(AgentEvent::AgentStart);
    // A conversation that cannot begin for want of a key leaves nothing behind.
    if run.core.conversation().context().is_empty()
        && let Some(error) = run.core.selected().provider.missing_key()
    {
        run.core.emit(AgentEvent::error(&error));
        let end = RunEnd::Failed { class: error.class.as_str(), message: error.to_string() };
        run.core.finish_run(end.clone(), Vec::new());
        return end;
    }
    let begun = run.begin(source).await;
    let end = loop {
        for hook in run.core.hooks() {
            hook.run_started(&run.context).await;
        }
        let end = match &begun {
            Begun::Refused(message) => RunEnd::Aborted { message: message.clone() },
            Begun::Handled if run.waiting.is_empty() => RunEnd::Completed,
            _ => match run.drive().await {
                Ok(end) | Err(end) => end,
            },
        };
        for hook in run.core.hooks() {
            hook.run_ended(&end, &run.added, &run.context).await;
        }
        // A hook may have queued a message for the model.
        if !end.is_completed() || run.cancel.is_cancelled() || !run.take_queued() {
            break end;
        }
    };
    run.core.set_run_system(None);
    let settling = run.core.begin_settling();
    run.core.finish_run(end.clone(), std::mem::take(&mut run.added));
    for hook in run.core.hooks() {
        hook.settled(&end, &run.context).await;
    }
    for hook in run.core.hooks() {
        hook.run_over();
    }
    drop(settling);
    end
}

/// Decision of hooks about the prompt.
enum Begun {
    /// It is sent.
    Prompted,
    /// A hook handled it.
    Handled,
    /// A hook refused it, for this reason.
    Refused(String),
}

struct Run {
    core: Arc<Core>,
    cancel: CancelToken,
    /// Context for hooks.
    context: TurnContext,
    /// Messages to add at the start of the next turn.
    waiting: Vec<Message>,
    /// Messages the run added.
    added: Vec<Message>,
    turn: usize,
    /// Consecutive turns in which no call ran.
    refused_turns: usize,
    /// Number of failures of the current request.
    attempt: usize,
}

impl From<ConversationError> for RunEnd {
    fn from(error: ConversationError) -> Self {
        Self::Fatal { message: error.to_string() }
    }
}

impl Run {
    /// Lets hooks change, handle or refuse the prompt.
    async fn begin(&mut self, source: InputSource) -> Begun {
        let messages = std::mem::take(&mut self.waiting);
        let mut start = RunStart { messages, source, ..RunStart::default() };
        for hook in self.core.hooks() {
            hook.run_starting(&mut start, &self.context).await;
            if let Some(reason) = start.refused {
                return Begun::Refused(reason);
            }
            if start.handled {
                // Messages that were queued meanwhile are for the model.
                self.take_queued();
                return Begun::Handled;
            }
        }
        self.core.set_run_system(start.system);
        self.waiting = start.messages;
        Begun::Prompted
    }

    /// Takes queued messages for the next turn; returns whether there are any.
    fn take_queued(&mut self) -> bool {
        self.waiting.extend(self.core.take_queued(Lane::Steering));
        self.waiting.extend(self.core.take_queued(Lane::FollowUp));
        !self.waiting.is_empty()
    }

    async fn drive(&mut self) -> Result<RunEnd, RunEnd> {
        loop {
            if let Some(end) = self.over() {
                // The prompt stays in the conversation even without a response.
                self.inject_waiting().await?;
                return Ok(end);
            }
            self.turn += 1;
            self.core.emit(AgentEvent::TurnStart { turn: self.turn });
            for hook in self.core.hooks() {
                hook.turn_started(self.turn, &self.context).await;
            }
            let mut waiting = Vec::new();
            for hook in self.core.hooks() {
                waiting.extend(hook.notes(&self.context).await);
            }
            // Results come before messages about them.
            waiting.append(&mut self.waiting);
            waiting.extend(self.core.take_queued(Lane::Steering));
            self.waiting = waiting;
            self.inject_waiting().await?;
            if self.take_turn().await? {
                continue;
            }
            // Messages that arrived during the last response go first.
            if self.core.queued().steering > 0 {
                continue;
            }
            self.waiting = self.core.take_queued(Lane::FollowUp);
            if self.waiting.is_empty() {
                for hook in self.core.hooks() {
                    self.waiting.extend(hook.before_stop(&self.context).await);
                }
            }
            if self.waiting.is_empty() {
                return Ok(RunEnd::Completed);
            }
        }
    }

    /// Returns the reason to end the run here, if any.
    fn over(&self) -> Option<RunEnd> {
        if self.cancel.is_cancelled() {
            return Some(self.aborted());
        }
        let limits = self.core.limits();
        let message = if self.turn >= limits.max_turns {
            let turns = if self.turn == 1 { "1 turn".to_owned() } else { format!("{} turns", self.turn) };
            format!("Stopped after {turns}, the maximum per prompt. Send \"continue\" to continue.")
        } else if self.refused_turns >= limits.max_refused_turns {
            format!(
                "Stopped: in the last {} turns every tool call was invalid: unknown tool, invalid arguments, or not allowed.",
                self.refused_turns
            )
        } else {
            self.core.hooks().iter().find_map(|hook| hook.limit_reached())?
        };
        Some(RunEnd::Limit { message })
    }

    fn aborted(&self) -> RunEnd {
        let message = match self.cancel.reason() {
            Some(reason) if !reason.is_empty() => format!("Request was aborted: {reason}"),
            _ => "Request was aborted".to_owned(),
        };
        RunEnd::Aborted { message }
    }

    /// Runs one response and its calls. Returns whether the model needs another request.
    async fn take_turn(&mut self) -> Result<bool, RunEnd> {
        for hook in self.core.hooks() {
            hook.before_request(&self.context).await;
        }
        let answer = ask(&self.core, &self.cancel, &self.context).await;
        self.core.count_answer(&answer.message);
        if let Some(error) = answer.error {
            return self.failed(answer.message, error).await;
        }
        if let Some(hook) = answer.interrupted_by {
            return self.interrupted(answer.message, hook.as_ref()).await;
        }
        self.attempt = 0;
        let mut message = answer.message;
        for hook in self.core.hooks() {
            hook.after_answer(&message, &self.context).await;
        }
        self.keep_answer(&mut message).await?;
        let has_calls = message.tool_calls().next().is_some();
        let results = if !has_calls {
            Results { messages: Vec::new(), all_refused: false, fatal: None }
        } else if message.stop_reason == StopReason::Length {
            calls::cut_off(&self.core, &message)
        } else {
            calls::run(&self.core, &message, &answer.offered, &self.cancel).await
        };
        self.refused_turns = if results.all_refused { self.refused_turns + 1 } else { 0 };
        if !has_calls {
            self.notice_about(&message);
        }
        let fatal = results.fatal.clone();
        self.end_turn(message, results).await?;
        match fatal {
            Some(message) => Err(RunEnd::Fatal { message }),
            None => Ok(has_calls),
        }
    }

    /// Handles an interrupted response: the model receives the reason, and the request is repeated.
    async fn interrupted(&mut self, partial: AssistantMessage, hook: &dyn TurnHook) -> Result<bool, RunEnd> {
        let interruption = hook.interrupted(&partial, &self.context).await;
        self.waiting.extend(interruption.messages);
        if interruption.keep_partial {
            let results = calls::interrupted(&self.core, &partial, true, "a rule interrupted the response");
            let mut partial = partial;
            self.keep_answer(&mut partial).await?;
            self.end_turn(partial, results).await?;
        } else {
            self.forget(partial);
        }
        Ok(true)
    }

    /// Ends a turn whose response is not part of the conversation.
    fn forget(&self, message: AssistantMessage) {
        let message = Message::Assistant(message);
        self.core.emit(AgentEvent::MessageEnd { message: message.clone() });
        self.core.emit(AgentEvent::TurnEnd { message, tool_results: Vec::new() });
    }

    /// Handles an incomplete response. Its calls get results nevertheless, so that the conversation can continue.
    async fn failed(&mut self, message: AssistantMessage, error: LlmError) -> Result<bool, RunEnd> {
        let is_abort = message.stop_reason == StopReason::Aborted;
        if !is_abort {
            self.core.emit(AgentEvent::error(&error));
            self.attempt += 1;
            for hook in self.core.hooks() {
                if hook.on_error(&error, self.attempt, &self.context).await == AfterError::Again {
                    // The same turn starts again; the turn limit counts completed work.
                    self.turn -= 1;
                    self.forget(message);
                    return Ok(true);
                }
            }
        }
        let results = calls::interrupted(&self.core, &message, is_abort, &error.to_string());
        let mut message = message;
        self.keep_answer(&mut message).await?;
        self.end_turn(message, results).await?;
        // The run may have been aborted while a hook waited for a retry.
        Err(if is_abort || self.cancel.is_cancelled() {
            self.aborted()
        } else {
            RunEnd::Failed { class: error.class.as_str(), message: error.to_string() }
        })
    }

    /// Emits notices about unusual responses.
    fn notice_about(&self, message: &AssistantMessage) {
        let text = if message.stop_reason == StopReason::Length {
            "The response reached its length limit and may be incomplete."
        } else if message.text().trim().is_empty() {
            "The model returned an empty response."
        } else {
            return;
        };
        self.core.emit(AgentEvent::Notice { message: text.to_owned() });
    }

    async fn keep_answer(&mut self, answer: &mut AssistantMessage) -> Result<(), RunEnd> {
        let mut message = Message::Assistant(answer.clone());
        self.complete(&mut message).await;
        if let Message::Assistant(completed) = &message {
            answer.clone_from(completed);
        }
        self.keep(message.clone()).await?;
        self.core.emit(AgentEvent::MessageEnd { message });
        Ok(())
    }

    async fn end_turn(&mut self, message: AssistantMessage, results: Results) -> Result<(), RunEnd> {
        let results: Vec<Message> = results.messages.into_iter().map(Message::ToolResult).collect();
        self.inject(results.clone()).await?;
        self.core.conversation().sync().await?;
        let turn = (message, results);
        for hook in self.core.hooks() {
            hook.after_turn(&turn.0, &turn.1, &self.context).await;
        }
        let (message, tool_results) = (Message::Assistant(turn.0), turn.1);
        self.core.emit(AgentEvent::TurnEnd { message, tool_results });
        Ok(())
    }

    async fn inject_waiting(&mut self) -> Result<(), RunEnd> {
        let waiting = std::mem::take(&mut self.waiting);
        self.inject(waiting).await
    }

    /// Adds complete messages.
    async fn inject(&mut self, messages: Vec<Message>) -> Result<(), RunEnd> {
        for mut message in messages {
            self.core.emit(AgentEvent::MessageStart { message: message.clone() });
            for hook in self.core.hooks() {
                hook.message_started(&message, &self.context).await;
            }
            self.complete(&mut message).await;
            self.keep(message.clone()).await?;
            self.core.emit(AgentEvent::MessageEnd { message });
        }
        Ok(())
    }

    /// Lets hooks replace a complete message, with one of the same role.
    async fn complete(&self, message: &mut Message) {
        for hook in self.core.hooks() {
            if let Some(replaced) = hook.message_ending(message, &self.context).await
                && std::mem::discriminant(&replaced) == std::mem::discriminant(message)
            {
                *message = replaced;
            }
        }
    }

    /// Adds a message to the conversation. This is the only way in.
    async fn keep(&mut self, message: Message) -> Result<(), ConversationError> {
        self.core.conversation().append(Arc::new(message.clone())).await?;
        self.added.push(message);
        Ok(())
    }
}
