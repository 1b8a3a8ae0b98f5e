//! The path to the leaf in reading order: each call together with its result.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use toolsmith_llm::{AssistantBlock, ContentBlock, Message, StopReason, ToolCall, ToolResultMessage, Usage};

use super::prose::words;
use crate::{entry::EntryKind, session_log::SessionLog};

/// A transcript.
pub(super) struct Transcript {
    pub(super) title: String,
    pub(super) id: String,
    pub(super) cwd: String,
    pub(super) begun: String,
    pub(super) usage: Usage,
    pub(super) items: Vec<Item>,
}

/// One item.
pub(super) struct Item {
    /// Id of the entry.
    pub(super) id: String,
    /// Time, for display.
    pub(super) time: String,
    /// Label of the entry.
    pub(super) label: Option<String>,
    pub(super) what: What,
}

pub(super) enum What {
    /// A user message.
    User(Vec<ContentBlock>),
    /// A message from the program or a tool.
    Aside { from: String, content: Vec<ContentBlock> },
    /// A response of the model.
    Assistant { model: String, pieces: Vec<Piece>, trouble: Option<String> },
    /// A result whose call is not on this path.
    Result(Outcome),
    /// A change of settings.
    Note(String),
    /// A summary of earlier entries.
    Summary { title: &'static str, text: String },
}

pub(super) enum Piece {
    Text(String),
    Thinking(String),
    Call { name: String, arguments: Value, outcome: Option<Outcome> },
}

/// The result of a call.
pub(super) struct Outcome {
    pub(super) tool: String,
    pub(super) content: Vec<ContentBlock>,
    pub(super) is_error: bool,
    /// A diff, if the tool returned one.
    pub(super) diff: Option<String>,
}

pub(super) fn of(session: &SessionLog) -> Transcript {
    let header = session.header();
    // Without a start entry nothing can be missing.
    let entries = session.path(None).unwrap_or_default();
    let mut results: HashMap<String, ToolResultMessage> = HashMap::new();
    let mut asked: HashSet<String> = HashSet::new();
    for entry in &entries {
        match &entry.kind {
            EntryKind::Message(Message::Assistant(said)) => {
                asked.extend(said.tool_calls().map(|call| call.id.clone()));
            }
            EntryKind::Message(Message::ToolResult(result)) if asked.contains(&result.tool_call_id) => {
                results.insert(result.tool_call_id.clone(), result.clone());
            }
            _ => {}
        }
    }
    let mut items = Vec::new();
    for entry in entries {
        let what = match entry.kind {
            EntryKind::Message(Message::User(said)) => What::User(said.content),
            EntryKind::Message(Message::Developer(said)) => {
                What::Aside { from: "Toolsmith".to_owned(), content: said.content }
            }
            EntryKind::Message(Message::Assistant(said)) => {
                let trouble = match said.stop_reason {
                    StopReason::Error => Some(said.error_message.clone().unwrap_or("It failed.".to_owned())),
                    StopReason::Aborted => Some("Aborted.".to_owned()),
                    StopReason::Length => Some("The response reached its length limit.".to_owned()),
                    _ => None,
                };
                let pieces =
                    said.content.into_iter().filter_map(|block| piece(block, &mut results)).collect();
                What::Assistant { model: said.model, pieces, trouble }
            }
            EntryKind::Message(Message::ToolResult(result)) if !asked.contains(&result.tool_call_id) => {
                What::Result(outcome(result))
            }
            EntryKind::CustomMessage(custom) if custom.display => {
                What::Aside { from: custom.custom_type, content: custom.content }
            }
            EntryKind::Compaction(compaction) => {
                What::Summary { title: "Summary of earlier messages", text: compaction.summary }
            }
            EntryKind::BranchSummary(left) => {
                What::Summary { title: "Summary of an abandoned branch", text: left.summary }
            }
            EntryKind::ModelChange { model, role: None } => What::Note(format!("Model: {model}")),
            EntryKind::ThinkingChange { level } => What::Note(format!("Thinking: {level}")),
            EntryKind::ModeChange { mode, .. } => What::Note(format!("Mode: {mode}")),
            EntryKind::StreamRules { rules } => What::Note(format!("Reminded of: {}", rules.join(", "))),
            _ => continue,
        };
        let label = session.tree().label(&entry.id).map(str::to_owned);
        items.push(Item { time: for_people(&entry.timestamp), id: entry.id, label, what });
    }
    Transcript {
        title: session.name().unwrap_or_else(|| first_words(&items)),
        id: header.id,
        cwd: header.cwd.to_string_lossy().into_owned(),
        begun: for_people(&header.timestamp),
        usage: session.usage(),
        items,
    }
}

fn piece(block: AssistantBlock, results: &mut HashMap<String, ToolResultMessage>) -> Option<Piece> {
    match block {
        AssistantBlock::Text(block) if !block.text.trim().is_empty() => Some(Piece::Text(block.text)),
        AssistantBlock::Thinking(block) if !block.thinking.trim().is_empty() => {
            Some(Piece::Thinking(block.thinking))
        }
        AssistantBlock::ToolCall(ToolCall { id, name, arguments, .. }) => {
            Some(Piece::Call { name, arguments, outcome: results.remove(&id).map(outcome) })
        }
        _ => None,
    }
}

fn outcome(result: ToolResultMessage) -> Outcome {
    let diff = result.details.as_ref().and_then(|details| details.get("diff")).and_then(Value::as_str);
    Outcome {
        diff: diff.filter(|diff| !diff.trim().is_empty()).map(str::to_owned),
        tool: result.tool_name,
        content: result.content,
        is_error: result.is_error,
    }
}

/// Returns the beginning of the first message, for an unnamed session.
fn first_words(items: &[Item]) -> String {
    let said = items.iter().find_map(|item| match &item.what {
        What::User(content) => content.iter().find_map(ContentBlock::as_text),
        _ => None,
    });
    match shorten(&words(said.unwrap_or_default()), 70) {
        short if short.is_empty() => "A session".to_owned(),
        short => short,
    }
}

/// Truncates a text to this many characters.
pub(super) fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most).chain(['…']).collect()
}

fn for_people(timestamp: &str) -> String {
    match timestamp.parse::<jiff::Timestamp>() {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => String::new(),
    }
}
