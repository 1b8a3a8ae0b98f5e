//! Previews staged by a call (CONTRACT 8): shown, then applied or discarded.

use serde_json::{Value, json};
use toolsmith_agent::{PendingChoice, PendingView};
use toolsmith_tool::{ToolError, ToolResult, VisibleBlock, visible_line};

use super::{Call, CallArguments};
use crate::{
    approver,
    interface::TerminalUi,
    output::harmless,
    terminal::{HEADING, NAME, paint},
};

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
        let apply = match (own.apply, own.discard, &call.terminal) {
            (true, ..) => Some(true),
            (_, true, _) => Some(false),
            (_, _, Some(terminal)) => {
                let text = shown(call, &action).await;
                let answer = ask(call, terminal, &action, &text).await;
                match answer.trim().to_ascii_lowercase().as_str() {
                    "y" | "yes" => Some(true),
                    "n" | "no" => Some(false),
                    _ => None,
                }
            }
            _ => None,
        };
        decided.push(settle(call, action, apply).await);
    }
    decided
}

/// Shows the action and asks about it. Label, details and content are the tool's: they cannot write lines of ours.
async fn ask(call: &Call, terminal: &TerminalUi, action: &PendingView, text: &str) -> String {
    let mut is_whole = false;
    loop {
        let block = VisibleBlock::new(text.trim_end_matches('\n'), approver::limits(is_whole));
        let rows: String = match text.is_empty() {
            true => String::new(),
            false => block.rows.iter().map(|row| format!("  {}\n", row.signed())).collect(),
        };
        let full = if block.is_cut { "[f]ull text, " } else { "" };
        let question = format!(
            "{} {}\n{rows}Apply it? {}",
            paint(HEADING, "Preview:"),
            paint(NAME, visible_line(&action.label)),
            paint(NAME, format_args!("[y]es, [n]o, {full}anything else leaves it"))
        );
        let answer = terminal.ask(&question, &call.cancel).await.unwrap_or_default();
        if !approver::wants_full(&answer) {
            return answer;
        }
        is_whole = true;
    }
}

/// The exact difference where the action names its files, else what the tool wants shown.
async fn shown(call: &Call, action: &PendingView) -> String {
    if !action.files.is_empty() {
        let files = call.resolver.view(PendingChoice::Id(action.id)).await;
        return match files {
            Ok(files) => files.iter().map(|file| harmless(&String::from_utf8_lossy(&file.diff))).collect(),
            Err(error) => format!("{}\n", harmless(&error.to_string())),
        };
    }
    match &action.details {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => format!("{}\n", harmless(text)),
        Some(value) => format!("{}\n", harmless(&format!("{value:#}"))),
    }
}

async fn settle(call: &Call, action: PendingView, apply: Option<bool>) -> Decided {
    let context = call.context(false);
    let updates = context.updates.clone();
    let choice = PendingChoice::Id(action.id);
    let outcome = match apply {
        Some(true) => Some(call.resolver.apply(choice, None, "applied on the command line", context).await),
        Some(false) => Some(call.resolver.discard(choice, "discarded on the command line", context).await),
        // The program exits, and the action is dropped (CONTRACT 8.6).
        None => {
            let _ = call.resolver.discard(choice, "not decided", context).await;
            None
        }
    };
    updates.close();
    Decided {
        label: action.label,
        source: action.source_tool_name,
        details: action.details,
        action: apply.map(|apply| if apply { "apply" } else { "discard" }),
        outcome,
    }
}
