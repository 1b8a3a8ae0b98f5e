//! When to compact: on request, above the threshold, or after the provider rejected the context as too long.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use toolsmith_agent::{AfterError, TurnContext, TurnHook};
use toolsmith_llm::{AssistantMessage, ErrorClass, LlmError, Message, StopReason};
use toolsmith_session::{CurrentSession, SessionLog, leave_out};
use toolsmith_tool::{CompactionAction, CompactionEnd, CompactionTrigger, SessionEvent};

use super::{
    compact::{CompactError, Compacted, Work},
    cut,
    estimate::Size,
    policy::{CompactionPolicy, window},
    prune,
};
use crate::retry::Retry;

const ANSWER_AGAIN: &str = "The conversation exceeded your context window, so you may have missed parts of it. It has been \
     compacted. If your last answer was incomplete or wrong because of that, answer again; otherwise continue.";

/// Compacts the open session. Every `auto_compaction_start` is followed by one `auto_compaction_end`.
pub struct Compactor {
    session: CurrentSession,
    policy: CompactionPolicy,
    retry: Option<Arc<Retry>>,
    enabled: AtomicBool,
    state: Mutex<State>,
}

/// State of the current run.
#[derive(Debug, Default)]
struct State {
    /// Compacting at the threshold did not help; repeating it each turn would not either.
    gave_up: bool,
    /// The context was too long and was compacted, and there has been no complete response since.
    recovering: bool,
    /// The model answered although the context was too long; this was handled.
    answered_overlong: bool,
    /// The request is to be repeated.
    ask_again: bool,
}

impl Compactor {
    /// Creates a compactor for `session` with this policy.
    pub fn new(session: CurrentSession, policy: CompactionPolicy) -> Self {
        let enabled = AtomicBool::new(policy.enabled);
        Self { session, policy, retry: None, enabled, state: Mutex::default() }
    }

    /// Retries transient errors of summary requests with this policy.
    #[must_use]
    pub fn with_retry(mut self, retry: Arc<Retry>) -> Self {
        self.retry = Some(retry);
        self
    }

    /// Enables or disables automatic compaction.
    pub fn set_enabled(&self, enabled: bool) {
        self.enabled.store(enabled, Ordering::Relaxed);
    }

    /// Returns the estimated size of the context in tokens.
    pub fn context_tokens(&self) -> u64 {
        known_size(&self.session.get())
    }

    /// Returns whether automatic compaction is enabled.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compacts now, on request; `instructions` tell the model what matters. The agent must be held:
    /// [`toolsmith_agent::Agent::occupy`].
    ///
    /// # Errors
    /// Fails if there is nothing to compact, the summary could not be created, or it was aborted.
    pub async fn compact(
        &self,
        instructions: Option<&str>,
        context: &TurnContext,
    ) -> Result<Compacted, CompactError> {
        let session = self.session.get();
        let instructions = instructions.map(str::trim).filter(|text| !text.is_empty());
        let work = self.work(&session, instructions, context).ok_or(CompactError::Nothing)?;
        work.run(&self.policy, context).await
    }

    /// Plans a compaction, whatever the size of the context.
    fn work<'a>(
        &'a self,
        session: &'a SessionLog,
        instructions: Option<&'a str>,
        context: &TurnContext,
    ) -> Option<Work<'a>> {
        let size = size(session);
        let threshold = self.policy.threshold(window(&context.model()));
        let keep = self.policy.keep(size, (threshold / 2).min(size.known / 2));
        let live = session.live();
        let cut = cut::find(&live.entries, keep, threshold / 4 * 3)?;
        Some(Work {
            session,
            live,
            cut,
            tokens_before: size.known,
            instructions,
            retry: self.retry.as_deref(),
            trigger: None,
            will_retry: false,
        })
    }

    /// Compacts if the context exceeds the threshold and omitting old output is not enough.
    async fn check_threshold(&self, context: &TurnContext) {
        if !self.is_enabled() || self.state().gave_up || context.cancel().is_cancelled() {
            return;
        }
        let session = self.session.get();
        let threshold = self.policy.threshold(window(&context.model()));
        let known = known_size(&session);
        if known <= threshold || known.saturating_sub(prune(&session)) <= threshold {
            return;
        }
        let Some(work) = self.work(&session, None, context) else {
            self.state().gave_up = true;
            return;
        };
        let outcome = self.announced(CompactionTrigger::Threshold, false, Some(work), context).await;
        if outcome.is_none_or(|compacted| compacted.tokens_after > threshold) {
            self.state().gave_up = true;
        }
    }

    /// Compacts because the context was too long for the model. Returns whether it is shorter now.
    async fn recover(&self, will_retry: bool, context: &TurnContext) -> bool {
        let session = self.session.get();
        prune(&session);
        let work = self.work(&session, None, context);
        self.announced(CompactionTrigger::Overflow, will_retry, work, context).await.is_some()
    }

    /// Compacts and emits the start and end events.
    async fn announced(
        &self,
        trigger: CompactionTrigger,
        will_retry: bool,
        work: Option<Work<'_>>,
        context: &TurnContext,
    ) -> Option<Compacted> {
        let action = CompactionAction::ContextFull;
        context.announce(SessionEvent::AutoCompactionStart { trigger, action }).await;
        let outcome = match work {
            Some(work) => {
                Work { trigger: Some(trigger), will_retry, ..work }.run(&self.policy, context).await
            }
            None => Err(CompactError::Nothing),
        };
        let aborted = matches!(outcome, Err(CompactError::Aborted));
        let error_message = match &outcome {
            Err(error) if !aborted => Some(match trigger {
                CompactionTrigger::Overflow => format!("Context overflow recovery failed: {error}"),
                _ => format!("Auto-compaction failed: {error}"),
            }),
            _ => None,
        };
        if let Some(message) = &error_message {
            context.notice(message);
        }
        let end = CompactionEnd {
            action,
            result: outcome.as_ref().ok().and_then(|compacted| serde_json::to_value(compacted).ok()),
            aborted,
            will_retry: will_retry && outcome.is_ok(),
            error_message,
        };
        context.announce(SessionEvent::AutoCompactionEnd(end)).await;
        outcome.ok()
    }
}

#[async_trait]
impl TurnHook for Compactor {
    async fn run_started(&self, _context: &TurnContext) {
        *self.state() = State::default();
    }

    async fn before_request(&self, context: &TurnContext) {
        self.check_threshold(context).await;
    }

    async fn after_answer(&self, _message: &AssistantMessage, _context: &TurnContext) {
        self.state().recovering = false;
    }

    async fn after_turn(&self, message: &AssistantMessage, _results: &[Message], context: &TurnContext) {
        if matches!(message.stop_reason, StopReason::Error | StopReason::Aborted) {
            return;
        }
        let model = context.model();
        let same = message.model == model.id && message.provider == model.provider;
        let overlong = same && message.usage.prompt_tokens() > window(&model);
        if overlong
            && self.is_enabled()
            && !context.cancel().is_cancelled()
            && !std::mem::replace(&mut self.state().answered_overlong, true)
        {
            // A response with calls leads to another request anyway.
            let has_calls = message.tool_calls().next().is_some();
            self.state().ask_again = self.recover(!has_calls, context).await && !has_calls;
            return;
        }
        self.check_threshold(context).await;
    }

    async fn before_stop(&self, context: &TurnContext) -> Option<Message> {
        let ask = std::mem::take(&mut self.state().ask_again);
        (ask && !context.cancel().is_cancelled()).then(|| Message::developer(ANSWER_AGAIN))
    }

    async fn on_error(&self, error: &LlmError, _attempt: usize, context: &TurnContext) -> AfterError {
        if error.class != ErrorClass::Overflow {
            return AfterError::End;
        }
        if !self.is_enabled() {
            context.notice("Automatic compaction is disabled (compaction.enabled is false). Compact the session, or choose a model with a larger context window.");
            return AfterError::End;
        }
        if std::mem::replace(&mut self.state().recovering, true) {
            context.notice(
                "Context overflow recovery failed: the session is too long even after compaction. Start a new \
                 session, or choose a model with a larger context window.",
            );
            return AfterError::End;
        }
        if self.recover(true, context).await { AfterError::Again } else { AfterError::End }
    }
}

impl fmt::Debug for Compactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compactor").field("policy", &self.policy).finish_non_exhaustive()
    }
}

fn size(session: &SessionLog) -> Size {
    let (messages, unchanged_from) = session.context_since_change();
    Size::of(&messages, unchanged_from)
}

fn known_size(session: &SessionLog) -> u64 {
    let (messages, unchanged_from) = session.context_since_change();
    Size::known(&messages, unchanged_from)
}

/// Omits old output; returns the number of tokens saved.
fn prune(session: &SessionLog) -> u64 {
    let Some(prune) = prune::find(&session.live().entries) else { return 0 };
    match session.append(leave_out(&prune.entry_ids)) {
        Ok(_) => prune.saved,
        // It takes effect nevertheless; the next append reports the disk error.
        Err(error) => {
            tracing::warn!(%error, "the list of pruned output could not be stored");
            prune.saved
        }
    }
}
