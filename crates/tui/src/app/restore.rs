//! The transcript of a stored session. Only its end is drawn: the rest is in the transcript view.

use std::{collections::HashMap, time::Instant};

use toolsmith::{
    agent::session::{Entry, EntryKind},
    llm::{AssistantBlock, ContentBlock, Message, StopReason},
    tool::{NoticeLevel, ToolResult},
};

use super::{
    app::App,
    transcript::{Item, ShellItem, ToolItem, ToolState, Transcript},
};

/// Rows of an earlier session that are written to the screen.
const MAX_ROWS: usize = 200;

impl App {
    /// Shows the session from its current position, after it was opened or switched.
    pub(super) fn restore_transcript(&mut self) {
        let Some(session) = &self.session else { return };
        let log = session.log();
        let Ok(entries) = log.path(None) else { return };
        let items = items_of(&entries, &|name| self.label_of(name));
        self.status.cost = log.usage().cost.total;
        if items.is_empty() {
            return self.start_over(Vec::new(), None);
        }
        if let Some(usage) = last_usage(&entries) {
            self.status.note_usage(&usage);
            self.status.cost = log.usage().cost.total;
        }
        let look = self.look();
        let (mut first, mut rows) = (items.len(), 0);
        while first > 0 && rows < MAX_ROWS {
            first -= 1;
            rows += items.get(first).map_or(0, |item| item.rows(&look).len() + 1);
        }
        let name = log.name().unwrap_or_else(|| log.id().chars().take(8).collect());
        self.start_over(items, Some((first, name)));
    }

    /// Replaces the transcript. What the terminal shows stays in its scrollback.
    fn start_over(&mut self, items: Vec<Item>, resumed: Option<(usize, String)>) {
        let old = std::mem::take(&mut self.transcript);
        let is_first = old.committed <= 1 && resumed.is_none();
        if is_first {
            self.transcript = old;
            return;
        }
        let mut transcript = Transcript::default();
        // Rows of the old session that were not written yet, such as notices of this switch.
        let left: Vec<Item> = old.items.into_iter().skip(old.committed).filter(Item::is_final).collect();
        match resumed {
            Some((first, name)) => {
                transcript.items = items;
                transcript.committed = first;
                let text = match first {
                    0 => format!("Session {name}"),
                    count => format!(
                        "Session {name}: {count} earlier items, {} to see them",
                        self.keys.hint(crate::keys::Action::Transcript)
                    ),
                };
                transcript.items.insert(first, Item::Summary { title: text, text: String::new() });
            }
            None => {
                transcript.push(Item::Summary { title: "New session".to_owned(), text: String::new() });
            }
        }
        transcript.items.extend(left);
        self.transcript = transcript;
        self.changed();
    }

    fn label_of(&self, name: &str) -> String {
        self.new_tool("", name).label
    }
}

fn last_usage(entries: &[Entry]) -> Option<toolsmith::llm::Usage> {
    entries.iter().rev().find_map(|entry| match &entry.kind {
        EntryKind::Message(Message::Assistant(answer)) if answer.usage.total_tokens > 0 => Some(answer.usage),
        _ => None,
    })
}

/// Converts entries to items.
pub(super) fn items_of(entries: &[Entry], label: &dyn Fn(&str) -> String) -> Vec<Item> {
    let mut items = Vec::new();
    let mut calls: HashMap<String, usize> = HashMap::new();
    for entry in entries {
        match &entry.kind {
            EntryKind::Message(message) => message_items(message, label, &mut items, &mut calls),
            EntryKind::CustomMessage(custom) if custom.custom_type == "toolsmith.shell" => {
                let field = |name: &str| custom.details.as_ref().and_then(|details| details.get(name));
                let text =
                    |name: &str| field(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
                let code = field("code")
                    .and_then(serde_json::Value::as_i64)
                    .and_then(|code| i32::try_from(code).ok());
                items.push(Item::Shell(ShellItem {
                    id: 0,
                    command: text("command"),
                    output: text("output"),
                    end: Some(Ok((code.unwrap_or(0), false))),
                    is_private: false,
                    started: Instant::now(),
                }));
            }
            EntryKind::CustomMessage(custom) if custom.display => {
                let text: Vec<&str> = custom.content.iter().filter_map(ContentBlock::as_text).collect();
                items.push(Item::Custom { title: custom.custom_type.clone(), text: text.join("\n") });
            }
            EntryKind::Compaction(compaction) => {
                let title = format!("Session compacted ({} tokens before)", compaction.tokens_before);
                items.push(Item::Summary { title, text: compaction.summary.clone() });
            }
            EntryKind::BranchSummary(left) => {
                items.push(Item::Summary {
                    title: "Summary of another branch".to_owned(),
                    text: left.summary.clone(),
                });
            }
            _ => {}
        }
    }
    // A call without a result never ended.
    for at in calls.into_values() {
        if let Some(Item::Tool(tool)) = items.get_mut(at)
            && tool.result.is_none()
        {
            tool.state = ToolState::Skipped;
        }
    }
    items
}

fn message_items(
    message: &Message,
    label: &dyn Fn(&str) -> String,
    items: &mut Vec<Item>,
    calls: &mut HashMap<String, usize>,
) {
    match message {
        Message::User(_) => items.push(Item::User { text: message.joined_text() }),
        Message::Assistant(answer) => {
            for block in &answer.content {
                match block {
                    AssistantBlock::Text(text) if !text.text.trim().is_empty() => {
                        items.push(Item::assistant(&text.text, true))
                    }
                    AssistantBlock::Thinking(thinking) if !thinking.thinking.trim().is_empty() => {
                        items.push(Item::Thinking { text: thinking.thinking.clone(), is_final: true });
                    }
                    AssistantBlock::ToolCall(call) => {
                        calls.insert(call.id.clone(), items.len());
                        items.push(Item::Tool(ToolItem {
                            id: call.id.clone(),
                            name: call.name.clone(),
                            label: label(&call.name),
                            arguments: call.arguments.clone(),
                            state: ToolState::Waiting,
                            result: None,
                        }));
                    }
                    _ => {}
                }
            }
            if answer.stop_reason == StopReason::Error {
                let text = answer.error_message.clone().unwrap_or_else(|| "The request failed".to_owned());
                items.push(Item::notice(NoticeLevel::Error, text));
            }
        }
        Message::ToolResult(result) => {
            let Some(Item::Tool(tool)) = calls.get(&result.tool_call_id).and_then(|at| items.get_mut(*at))
            else {
                return;
            };
            tool.result = Some(ToolResult {
                content: result.content.clone(),
                details: result.details.clone(),
                is_error: result.is_error,
            });
            tool.state = ToolState::Ended { is_error: result.is_error, duration: None };
        }
        _ => {}
    }
}
