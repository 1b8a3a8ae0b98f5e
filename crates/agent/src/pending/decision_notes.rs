//! What people decided, for the model: it has to hear of it with the next request, and must not decide about something
//! else than what it was shown.

use std::{
    collections::HashSet,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use toolsmith_host::changes::PastChange;
use toolsmith_tool::{FileSelection, PendingAction, PendingId, ToolError, ToolResult};

/// How much of an outcome is told.
const MAX_OUTCOME_CHARS: usize = 1000;
const MAX_FILES: usize = 20;

/// Notes that were not sent to the model yet.
#[derive(Debug, Default)]
pub(super) struct DecisionNotes {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    lines: Vec<String>,
    /// People took something off the stack since the model was last shown what is on top.
    is_behind: bool,
    /// The newest action at the time of the model's last request; `None` before the first.
    seen: Option<PendingId>,
    /// The ids of the calls in the model's last answer.
    answer: HashSet<String>,
    /// `resolve` was offered. It stays in the list of tools until the session is switched, because every change of the list
    /// discards the provider's prompt cache (CONTRACT 5.6, 8.4).
    is_offered: bool,
}

impl DecisionNotes {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stack is about to be another than the model was shown.
    pub(super) fn fall_behind(&self) {
        self.lock().is_behind = true;
    }

    /// The model is being shown what is on top.
    pub(super) fn catch_up(&self) {
        let mut state = self.lock();
        state.is_behind = false;
        state.seen = Some(PendingId::newest());
        state.answer.clear();
    }

    /// The model answered with these calls.
    pub(super) fn answered(&self, calls: impl Iterator<Item = String>) {
        self.lock().answer = calls.collect();
    }

    /// Returns the reason if the call may not decide about the action: the user decided in the meantime, or the model has
    /// not been shown the action. A model is refused until its next request; any other caller is refused once.
    pub(super) fn refusal(&self, call_id: &str, action: &PendingAction) -> Option<&'static str> {
        let mut state = self.lock();
        let is_model = state.answer.contains(call_id);
        if state.is_behind {
            state.is_behind = is_model;
            return Some("the user decided about staged actions meanwhile");
        }
        let is_own =
            action.staged_by.as_ref().is_some_and(|staged_by| state.answer.contains(&staged_by.call_id));
        let is_unseen = is_model && !is_own && state.seen.is_some_and(|seen| action.id > seen);
        is_unseen.then_some("an action was staged that you have not been shown")
    }

    /// Returns whether `resolve` is offered with the next request: from the first one with `has_pending`.
    pub(super) fn offers_resolve(&self, has_pending: bool) -> bool {
        let mut state = self.lock();
        state.is_offered |= has_pending;
        state.is_offered
    }

    pub(super) fn add(&self, line: String) {
        self.lock().lines.push(line);
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().lines)
    }

    pub(super) fn forget(&self) {
        *self.lock() = State::default();
    }
}

/// Formats the note about a person's decision.
pub(super) fn decision(
    action: &PendingAction,
    apply: bool,
    files: Option<&[FileSelection]>,
    reason: &str,
    outcome: &Result<ToolResult, ToolError>,
) -> String {
    let what = format!("{} (staged by {})", action.label, action.source_tool_name);
    let verb = if apply { "applied" } else { "discarded" };
    let mut text = match outcome {
        Ok(result) if !result.is_error => format!("The user {verb} the staged action: {what}."),
        _ if apply => format!(
            "The user wanted to apply the staged action, which failed: {what}. It is no longer staged."
        ),
        _ => format!("The user discarded the staged action, and clearing up after it failed: {what}."),
    };
    if let Some(files) = files {
        let names = names(files.iter().map(|file| file.path.as_path()));
        let what = match files.iter().any(|file| file.hunks.is_some()) {
            true => "Only parts of these files were chosen",
            false => "Only these files were chosen",
        };
        text += &format!(" {what}; the rest was dropped: {names}. Read them again before you rely on them.");
    }
    if !reason.trim().is_empty() {
        text += &format!(" Reason: {reason}");
    }
    let outcome = match outcome {
        Ok(result) => result.joined_text(),
        Err(error) => error.to_string(),
    };
    let cut: String = outcome.chars().take(MAX_OUTCOME_CHARS).collect();
    if !cut.is_empty() {
        text += &format!("\nOutcome: {cut}{}", if cut.len() < outcome.len() { "…" } else { "" });
    }
    text
}

/// Formats the note about a change that a person undid.
pub(super) fn undo(past: &PastChange) -> String {
    let names = names(past.entry.files.iter().map(|file| file.path.as_path()));
    format!(
        "The user undid a change: {}. Read these files again before you rely on them: {names}.",
        past.entry.label
    )
}

fn names<'a>(files: impl ExactSizeIterator<Item = &'a Path>) -> String {
    let more = files.len().saturating_sub(MAX_FILES);
    let mut names: Vec<String> = files.take(MAX_FILES).map(|file| file.display().to_string()).collect();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}
