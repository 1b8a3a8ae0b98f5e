//! One compaction: cut, summarise, append.

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;
use toolsmith_agent::{
    CompactionDecision, CompactionPlan, CompactionReport, Conversation, PromptError, TurnContext,
};
use toolsmith_llm::Message;
use toolsmith_session::{Compaction, EntryKind, Live, LiveEntry, SessionError, SessionLog};
use toolsmith_tool::{CompactionTrigger, SessionView};

use super::{
    cut::Cut,
    estimate::Size,
    files::Files,
    policy::CompactionPolicy,
    summary::{self, Subject, SummaryError},
};
use crate::retry::Retry;

/// Maximum length of the one-line summary.
const SHORT_CHARS: usize = 512;

/// Result of a compaction.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Compacted {
    /// The summary that replaces earlier messages.
    pub summary: String,
    /// The summary in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_summary: Option<String>,
    /// The first entry that is kept; empty if none is.
    pub first_kept_entry_id: String,
    /// Size of the context before.
    pub tokens_before: u64,
    /// Estimated size after.
    pub tokens_after: u64,
    /// Files that were read and changed.
    pub details: Value,
}

/// Compaction errors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompactError {
    /// A run is in progress.
    #[error("the session cannot be compacted during a run; stop the run first")]
    Busy(#[from] PromptError),
    /// Everything is within what is always kept.
    #[error("there is nothing to compact: the session is too short")]
    Nothing,
    /// It was aborted.
    #[error("Compaction cancelled")]
    Aborted,
    /// The summary could not be created.
    #[error("no summary: {0}")]
    Summary(SummaryError),
    /// The summary could not be stored.
    #[error(transparent)]
    NotSaved(#[from] SessionError),
}

impl From<SummaryError> for CompactError {
    fn from(error: SummaryError) -> Self {
        match error {
            SummaryError::Aborted => Self::Aborted,
            other => Self::Summary(other),
        }
    }
}

/// A planned compaction.
pub(super) struct Work<'a> {
    pub(super) session: &'a SessionLog,
    pub(super) live: Live,
    pub(super) cut: Cut,
    pub(super) tokens_before: u64,
    pub(super) instructions: Option<&'a str>,
    pub(super) retry: Option<&'a Retry>,
    pub(super) trigger: Option<CompactionTrigger>,
    pub(super) will_retry: bool,
}

impl Work<'_> {
    /// Creates the summary and appends it. Hooks may cancel it or provide the summary, and learn of its outcome.
    pub(super) async fn run(
        self,
        policy: &CompactionPolicy,
        context: &TurnContext,
    ) -> Result<Compacted, CompactError> {
        let (session, trigger, will_retry) = (self.session, self.trigger, self.will_retry);
        let outcome = self.compact(policy, context).await;
        let report = match &outcome {
            Ok((_, id, from_extension)) => CompactionReport::Done {
                entry: SessionView::entry(session, id).unwrap_or_default(),
                from_extension: *from_extension,
                trigger,
                will_retry,
            },
            Err(error) => CompactionReport::Failed {
                error: error.to_string(),
                aborted: matches!(error, CompactError::Aborted),
                trigger,
            },
        };
        context.report_compaction(&report).await;
        outcome.map(|(compacted, ..)| compacted)
    }

    /// Returns the compaction, its entry, and whether a hook provided the summary.
    async fn compact(
        self,
        policy: &CompactionPolicy,
        context: &TurnContext,
    ) -> Result<(Compacted, String, bool), CompactError> {
        let (before, kept) = self.live.entries.split_at(self.cut.first_kept);
        let (history, prefix) = before.split_at(self.cut.turn_start.unwrap_or(before.len()));
        let previous = self.live.compaction.as_ref().map(|(_, compaction)| compaction);

        let mut files = Files::of_details(previous.and_then(|previous| previous.details.as_ref()));
        before.iter().filter_map(|entry| entry.message.as_ref()).for_each(|message| files.add(message));

        let first_kept = kept.first().map(|entry| entry.id.clone()).unwrap_or_default();
        let replaced = self.decide(history, prefix, &first_kept, &files.details(), policy, context).await?;
        if let Some(compaction) = replaced {
            return self.store(compaction).await.map(|(compacted, id)| (compacted, id, true));
        }
        let history = self.sum_up(history, previous, policy, context).await?;
        let prefix = messages(prefix);
        let of_turn = if prefix.is_empty() {
            None
        } else {
            let budget = policy.reserve_tokens / 2;
            let subject = Subject::TurnPrefix { instructions: self.instructions };
            let summary = summary::write(&subject, &prefix, budget, self.retry, context).await?;
            Some(format!("**Turn Context (split turn):**\n\n{summary}"))
        };
        let mut summary = history.into_iter().chain(of_turn).collect::<Vec<_>>().join("\n\n---\n\n");
        let short_summary = short(&summary);
        files.add_to(&mut summary);
        // A stopped run does not need it any more.
        if context.cancel().is_cancelled() {
            return Err(CompactError::Aborted);
        }

        let compaction = Compaction {
            summary,
            short_summary,
            first_kept_entry_id: first_kept,
            tokens_before: self.tokens_before,
            details: Some(files.details()),
            preserve_data: previous.and_then(|previous| previous.preserve_data.clone()),
            from_extension: false,
        };
        self.store(compaction).await.map(|(compacted, id)| (compacted, id, false))
    }

    /// Asks the hooks; `None` leaves the summary to the model.
    async fn decide(
        &self,
        history: &[LiveEntry],
        prefix: &[LiveEntry],
        first_kept: &str,
        files: &Value,
        policy: &CompactionPolicy,
        context: &TurnContext,
    ) -> Result<Option<Compaction>, CompactError> {
        let previous = self.live.compaction.as_ref().map(|(_, compaction)| compaction);
        let (history, prefix) = (messages(history), messages(prefix));
        let plan = CompactionPlan {
            history: &history,
            turn_prefix: &prefix,
            previous_summary: previous.map(|previous| previous.summary.as_str()),
            first_kept_entry_id: first_kept,
            tokens_before: self.tokens_before,
            instructions: self.instructions,
            trigger: self.trigger,
            will_retry: self.will_retry,
            files,
            session: self.session,
            automatic: policy.enabled,
            reserve_tokens: policy.reserve_tokens,
        };
        match context.decide_compaction(&plan).await {
            CompactionDecision::Proceed => Ok(None),
            CompactionDecision::Cancel => Err(CompactError::Aborted),
            CompactionDecision::Replace { summary, first_kept_entry_id, details } => {
                // A summary that keeps an unknown entry would lose everything.
                let first_kept_entry_id = first_kept_entry_id
                    .filter(|id| id.is_empty() || self.session.entry(id).is_some())
                    .unwrap_or_else(|| first_kept.to_owned());
                Ok(Some(Compaction {
                    short_summary: short(&summary),
                    summary,
                    first_kept_entry_id,
                    tokens_before: self.tokens_before,
                    details: details.or_else(|| Some(files.clone())),
                    preserve_data: previous.and_then(|previous| previous.preserve_data.clone()),
                    from_extension: true,
                }))
            }
        }
    }

    /// Appends the summary.
    async fn store(&self, compaction: Compaction) -> Result<(Compacted, String), CompactError> {
        let id = self.session.append(EntryKind::Compaction(compaction.clone()))?;
        if let Err(error) = Conversation::sync(self.session).await {
            tracing::warn!(%error, "the summary may not survive a crash of the machine");
        }
        let (messages, from) = self.session.context_since_change();
        let compacted = Compacted {
            summary: compaction.summary,
            short_summary: compaction.short_summary,
            first_kept_entry_id: compaction.first_kept_entry_id,
            tokens_before: compaction.tokens_before,
            tokens_after: Size::of(&messages, from).known,
            details: compaction.details.unwrap_or_default(),
        };
        Ok((compacted, id))
    }

    async fn sum_up(
        &self,
        history: &[LiveEntry],
        previous: Option<&Compaction>,
        policy: &CompactionPolicy,
        context: &TurnContext,
    ) -> Result<Option<String>, SummaryError> {
        let history = messages(history);
        let previous = previous.map(|previous| Files::strip(&previous.summary));
        if history.is_empty() {
            // Everything before the cut belongs to the split turn.
            return Ok(previous.map(str::to_owned));
        }
        let subject = Subject::History { previous, instructions: self.instructions };
        summary::write(&subject, &history, policy.reserve_tokens / 5 * 4, self.retry, context).await.map(Some)
    }
}

fn messages(entries: &[LiveEntry]) -> Vec<Message> {
    entries.iter().filter_map(|entry| entry.message.clone()).collect()
}

/// Returns the first meaningful line: of the goal, if the summary has the requested sections.
fn short(summary: &str) -> Option<String> {
    let line =
        summary.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', '-', '*']))?;
    Some(line.chars().take(SHORT_CHARS).collect())
}
