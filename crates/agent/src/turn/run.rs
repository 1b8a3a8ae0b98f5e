//! One run, from the prompt to the end.

use std::sync::Arc;

use toolsmith_llm::{AssistantMessage, LlmError, Message, StopReason};
use toolsmith_tool::CancelToken;

use super::{
    answer::ask,
    calls::{self, Results},
    context::TurnContext,
    hook::{AfterError, TurnHook},
};
use crate::{
    agent::Core,
    conversation::ConversationError,
    events::{AgentEvent, RunEnd},
    queues::Lane,
};

/// Runs until the model has said everything, or something ends it. Begins with `prompt`.
pub(crate) async fn run(core: Arc<Core>, prompt: Vec<Message>, cancel: CancelToken) -> RunEnd {
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
    for hook in run.core.hooks() {
        hook.run_started(&run.context).await;
    }
    let end = match run.drive().await {
        Ok(end) | Err(end) => end,
    };
    for hook in run.core.hooks() {
        hook.run_ended(&end, &run.context).await;
    }
    run.core.finish_run(end.clone(), std::mem::take(&mut run.added));
    end
}

struct Run {
    core: Arc<Core>,
    cancel: CancelToken,
    /// What hooks are handed.
    context: TurnContext,
    /// What goes in at the beginning of the next turn.
    waiting: Vec<Message>,
    /// What the run added to the conversation.
    added: Vec<Message>,
    turn: usize,
    /// Turns in a row in which no call could run.
    refused_turns: usize,
    /// How often the request at hand has failed.
    attempt: usize,
}

impl From<ConversationError> for RunEnd {
    fn from(error: ConversationError) -> Self {
        Self::Fatal { message: error.to_string() }
    }
}

impl Run {
    async fn drive(&mut self) -> Result<RunEnd, RunEnd> {
        loop {
            if let Some(end) = self.over() {
                // What was said stays said, though nobody answers.
                self.inject_waiting().await?;
                return Ok(end);
            }
            self.turn += 1;
            self.core.emit(AgentEvent::TurnStart { turn: self.turn });
            let mut waiting = Vec::new();
            for hook in self.core.hooks() {
                waiting.extend(hook.news().await);
            }
            // What happened comes before what is said about it.
            waiting.append(&mut self.waiting);
            waiting.extend(self.core.take_queued(Lane::Steering));
            self.waiting = waiting;
            self.inject_waiting().await?;
            if self.take_turn().await? {
                continue;
            }
            // What came while the model said its last words goes first.
            if self.core.queued().0 > 0 {
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

    /// Why the run has to end here.
    fn over(&self) -> Option<RunEnd> {
        if self.cancel.is_cancelled() {
            return Some(self.aborted());
        }
        let limits = self.core.limits();
        let message = if self.turn >= limits.max_turns {
            let turns = if self.turn == 1 { "1 turn".to_owned() } else { format!("{} turns", self.turn) };
            format!("Stopped after {turns}, the most one prompt may take. Say \"continue\" to go on.")
        } else if self.refused_turns >= limits.max_refused_turns {
            format!(
                "Stopped: in the last {} turns the model called only tools that do not exist or are not allowed, or gave arguments that could not be used.",
                self.refused_turns
            )
        } else {
            return None;
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

    /// One answer and its calls. Gives whether the model has to hear something.
    async fn take_turn(&mut self) -> Result<bool, RunEnd> {
        for hook in self.core.hooks() {
            hook.before_request(&self.context).await;
        }
        let answer = ask(&self.core, &self.cancel).await;
        self.core.count_answer(&answer.message);
        if let Some(error) = answer.error {
            return self.failed(answer.message, error).await;
        }
        if let Some(hook) = answer.interrupted_by {
            return self.interrupted(answer.message, hook.as_ref()).await;
        }
        self.attempt = 0;
        let message = answer.message;
        for hook in self.core.hooks() {
            hook.after_answer(&message, &self.context).await;
        }
        self.keep_answer(&message).await?;
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

    /// A hook had seen enough of the answer. The model hears why, and is asked again.
    async fn interrupted(&mut self, partial: AssistantMessage, hook: &dyn TurnHook) -> Result<bool, RunEnd> {
        let interruption = hook.interrupted(&partial, &self.context).await;
        self.waiting.extend(interruption.messages);
        if interruption.keep_partial {
            let results = calls::interrupted(&self.core, &partial, true, "a rule interrupted the answer");
            self.keep_answer(&partial).await?;
            self.end_turn(partial, results).await?;
        } else {
            self.forget(partial);
        }
        Ok(true)
    }

    /// Ends a turn whose answer is no part of the conversation.
    fn forget(&self, message: AssistantMessage) {
        let message = Message::Assistant(message);
        self.core.emit(AgentEvent::MessageEnd { message: message.clone() });
        self.core.emit(AgentEvent::TurnEnd { message, tool_results: Vec::new() });
    }

    /// An answer that is not whole. Its calls are answered all the same, so that the conversation can go on.
    async fn failed(&mut self, message: AssistantMessage, error: LlmError) -> Result<bool, RunEnd> {
        let is_abort = message.stop_reason == StopReason::Aborted;
        if !is_abort {
            self.core.emit(AgentEvent::error(&error));
            self.attempt += 1;
            for hook in self.core.hooks() {
                if hook.on_error(&error, self.attempt, &self.context).await == AfterError::Again {
                    // The same turn begins again; the limit of turns is about what was done.
                    self.turn -= 1;
                    self.forget(message);
                    return Ok(true);
                }
            }
        }
        let results = calls::interrupted(&self.core, &message, is_abort, &error.to_string());
        self.keep_answer(&message).await?;
        self.end_turn(message, results).await?;
        // Somebody may have had enough while a hook waited to try again.
        Err(if is_abort || self.cancel.is_cancelled() {
            self.aborted()
        } else {
            RunEnd::Failed { class: error.class.as_str(), message: error.to_string() }
        })
    }

    /// Says what a person would wonder about.
    fn notice_about(&self, message: &AssistantMessage) {
        let text = if message.stop_reason == StopReason::Length {
            "The answer reached its length limit and may be incomplete."
        } else if message.text().trim().is_empty() {
            "The model gave an empty answer."
        } else {
            return;
        };
        self.core.emit(AgentEvent::Notice { message: text.to_owned() });
    }

    async fn keep_answer(&mut self, message: &AssistantMessage) -> Result<(), RunEnd> {
        let message = Message::Assistant(message.clone());
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

    /// Adds messages that are whole already.
    async fn inject(&mut self, messages: Vec<Message>) -> Result<(), RunEnd> {
        for message in messages {
            self.core.emit(AgentEvent::MessageStart { message: message.clone() });
            self.keep(message.clone()).await?;
            self.core.emit(AgentEvent::MessageEnd { message });
        }
        Ok(())
    }

    /// The one way into the conversation.
    async fn keep(&mut self, message: Message) -> Result<(), ConversationError> {
        self.core.conversation().append(Arc::new(message.clone())).await?;
        self.added.push(message);
        Ok(())
    }
}
