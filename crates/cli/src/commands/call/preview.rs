//! Previews staged by a call (CONTRACT 8): shown, then applied or discarded.

use serde_json::{Value, json};
use toolsmith_agent::{PendingChoice, PendingView, ReviewDecision};
use toolsmith_tool::{FileSelection, ToolError, ToolResult};

use super::{Call, CallArguments};
use crate::review::{self, Parts};

/// Outcome of a staged action.
pub(super) struct Decided {
    label: String,
    source: String,
    details: Option<Value>,
    /// `None` if it was not decided.
    action: Option<&'static str>,
    /// Result of applying or discarding.
    pub(super) outcome: Option<Result<ToolResult, ToolError>>,
}

impl Decided {
    /// Returns whether it was not decided.
    pub(super) fn is_open(&self) -> bool {
        self.action.is_none()
    }

    /// Returns whether applying or discarding failed.
    pub(super) fn failed(&self) -> bool {
        match &self.outcome {
            Some(Ok(result)) => result.is_error,
            Some(Err(_)) => true,
            None => false,
        }
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn to_json(&self) -> Value {
        let result = self.outcome.as_ref().map(|outcome| match outcome {
            Ok(result) => json!(result),
            Err(error) => json!(error.clone().into_result()),
        });
        json!({
            "label": self.label,
            "sourceToolName": self.source,
            "details": self.details,
            "action": self.action,
            "result": result,
        })
    }
}

/// Decides all pending actions, newest first (CONTRACT 8.2).
pub(super) async fn decide(call: &Call, own: &CallArguments) -> Vec<Decided> {
    let mut decided = Vec::new();
    for action in call.resolver.list() {
        if call.cancel.is_cancelled() {
            break;
        }
        let decision = match (own.parts(), own.discard, &call.terminal) {
            (Some(""), ..) => ReviewDecision::Apply { selection: None, note: None },
            (Some(parts), ..) => match selection(call, &action, parts).await {
                Ok(selection) => ReviewDecision::Apply { selection: Some(selection), note: None },
                Err(error) => {
                    let mut open = settle(call, action, ReviewDecision::Keep).await;
                    open.outcome = Some(Err(ToolError::reply(format!("--apply {parts}: {error}"))));
                    decided.push(open);
                    continue;
                }
            },
            (_, true, _) => ReviewDecision::Discard { note: None },
            (_, _, Some(terminal)) => {
                match call.resolver.review_request(PendingChoice::Id(action.id)).await {
                    Some(request) => {
                        review::ask(terminal, &call.cancel, &request, call.resolver.root()).await
                    }
                    None => continue,
                }
            }
            _ => ReviewDecision::Keep,
        };
        decided.push(settle(call, action, decision).await);
    }
    decided
}

/// Finds the parts of an action by their numbers.
async fn selection(call: &Call, action: &PendingView, parts: &str) -> Result<Vec<FileSelection>, String> {
    let files = call.resolver.view(PendingChoice::Id(action.id)).await.map_err(|error| error.to_string())?;
    if files.is_empty() {
        return Err("this preview does not name its files and can only be applied as a whole".to_owned());
    }
    Parts::new(&files).select(parts)
}

async fn settle(call: &Call, action: PendingView, decision: ReviewDecision) -> Decided {
    let context = call.context(false);
    let updates = context.updates.clone();
    let choice = PendingChoice::Id(action.id);
    let (word, outcome) = match decision {
        ReviewDecision::Apply { selection, note } => {
            let reason = note.as_deref().unwrap_or("applied on the command line");
            (Some("apply"), Some(call.resolver.apply(choice, selection, reason, context).await))
        }
        ReviewDecision::Discard { note } => {
            let reason = note.as_deref().unwrap_or("discarded on the command line");
            (Some("discard"), Some(call.resolver.discard(choice, reason, context).await))
        }
        // The program exits, and the action is dropped (CONTRACT 8.6).
        _ => {
            let _ = call.resolver.discard(choice, "not decided", context).await;
            (None, None)
        }
    };
    updates.close();
    Decided {
        label: action.label,
        source: action.source_tool_name,
        details: action.details,
        action: word,
        outcome,
    }
}
