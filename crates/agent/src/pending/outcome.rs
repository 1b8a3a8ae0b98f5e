//! What is said about a decision: the texts and details of CONTRACT 8.3.

use serde_json::{Map, Value, json};
use toolsmith_tool::{ContentBlock, Failure, PendingAction, ToolError, ToolResult, visible_line};

/// Where the callback's own details go.
const OWN_DETAILS: &str = "sourceResultDetails";

/// A decision about an action.
pub(crate) struct Decided<'a> {
    pub(crate) apply: bool,
    pub(crate) reason: &'a str,
    pub(crate) action: &'a PendingAction,
}

impl Decided<'_> {
    fn details(&self, own: Option<Value>) -> Value {
        let mut details = Map::new();
        details.insert("action".to_owned(), json!(if self.apply { "apply" } else { "discard" }));
        details.insert("reason".to_owned(), json!(self.reason));
        details.insert("sourceToolName".to_owned(), json!(self.action.source_tool_name));
        details.insert("label".to_owned(), json!(self.action.label));
        if let Some(own) = own.filter(|own| !own.is_null()) {
            details.insert(OWN_DETAILS.to_owned(), own);
        }
        details.into()
    }

    fn default_text(&self) -> String {
        let label = visible_line(&self.action.label);
        if self.apply {
            format!("Applied: {label}.")
        } else {
            format!("Discarded: {label}. Reason: {}", self.reason)
        }
    }

    /// The answer, from what the callback gave, if it gave anything.
    pub(crate) fn result(&self, own: Option<ToolResult>) -> ToolResult {
        let own = own.unwrap_or_default();
        let text = match own.joined_text() {
            text if text.is_empty() => self.default_text(),
            text => text,
        };
        let images = own.content.into_iter().filter(|block| block.as_text().is_none());
        ToolResult {
            content: std::iter::once(ContentBlock::text(text)).chain(images).collect(),
            details: Some(self.details(own.details)),
            is_error: own.is_error,
        }
    }

    /// The same failure, with the details that say what it is about. The action is used up all the same (CONTRACT 8.5).
    pub(crate) fn failure(&self, error: ToolError) -> ToolError {
        match error {
            ToolError::Reply(mut failure) => {
                failure.details = Some(self.details(failure.details.take()));
                ToolError::Reply(failure)
            }
            other => other,
        }
    }

    pub(crate) fn refused(&self, message: impl Into<String>) -> ToolError {
        self.failure(ToolError::Reply(Box::new(Failure::new(message))))
    }
}
