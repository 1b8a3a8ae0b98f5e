//! The transcript of a stored session. Only its end is drawn: the rest is in the transcript view.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use toolsmith::{
    USER_BASH,
    agent::session::{Entry, EntryKind},
    llm::{AssistantBlock, Message, StopReason},
    tool::{NoticeLevel, ToolResult},
};

use super::{
    extensions::custom_item,
    interface::App,
    transcript::{Item, ShellItem, ToolItem, Transcript},
};
use crate::blocks::{BashBlock, Block, SummaryBlock, SummaryKind, ThinkingBlock, ToolState, UserBlock};
use crate::text::{Row, Token};

/// Rows of an earlier session that are written to the screen.
const MAX_ROWS: usize = 200;

impl App {
    /// Shows the session from its current position, after it was opened or switched.
    pub(super) fn restore_transcript(&mut self) {
        let Some(session) = &self.session else { return };
        let log = session.log();
        let Ok(entries) = log.path(None) else { return };
        let items = self.items_of(&entries);
        self.status.cost = log.usage().cost.total;
        if items.is_empty() {
            return self.start_over(Vec::new(), None);
        }
        if let Some(usage) = last_usage(&entries) {
            self.status.note_usage(&usage);
            self.status.cost = log.usage().cost.total;
        }
        let (columns, options) = (self.columns(), self.block_options());
        let (mut first, mut rows) = (items.len(), 0);
        while first > 0 && rows < MAX_ROWS {
            first -= 1;
            rows += items.get(first).map_or(0, |item| item.rows(columns, &self.theme, &options).len() + 1);
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
                transcript.items.insert(first, self.separator(&text));
            }
            None => {
                transcript.push(self.separator("New session"));
            }
        }
        transcript.has_rows = true;
        transcript.items.extend(left);
        self.transcript = transcript;
        self.restart_full_view();
        self.changed();
    }

    fn separator(&self, text: &str) -> Item {
        Item::Plain(vec![Row::styled(format!("── {text}"), self.style(Token::Muted))])
    }

    /// Converts entries to items.
    pub(super) fn items_of(&self, entries: &[Entry]) -> Vec<Item> {
        let mut items = Vec::new();
        let mut calls: HashMap<String, usize> = HashMap::new();
        for entry in entries {
            match &entry.kind {
                EntryKind::Message(message) => self.message_items(message, &mut items, &mut calls),
                EntryKind::CustomMessage(custom) if custom.custom_type == USER_BASH => {
                    let field = |name: &str| custom.details.as_ref().and_then(|details| details.get(name));
                    let text = |name: &str| {
                        field(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
                    };
                    let mut block = BashBlock::new(text("command"), false);
                    block.output = text("output");
                    let code = field("exitCode").and_then(serde_json::Value::as_i64);
                    block.exit_code = code.and_then(|code| i32::try_from(code).ok());
                    items.push(Item::Shell(ShellItem {
                        id: 0,
                        block,
                        started: Instant::now(),
                        is_final: true,
                    }));
                }
                EntryKind::CustomMessage(custom) if custom.display => {
                    // Entries have numbers of their own, below those of new messages.
                    let id = u64::MAX - u64::try_from(items.len()).unwrap_or_default();
                    let details = custom.details.as_ref();
                    items.extend(custom_item(&custom.custom_type, &custom.content, details, 0, id));
                }
                EntryKind::Compaction(compaction) => {
                    let mut block = SummaryBlock::default();
                    (block.kind, block.text) = (SummaryKind::Compaction, compaction.summary.clone());
                    block.tokens_before = Some(compaction.tokens_before);
                    items.push(Item::Block(Block::Summary(block)));
                }
                EntryKind::BranchSummary(left) => {
                    let mut block = SummaryBlock::default();
                    (block.kind, block.text) = (SummaryKind::Branch, left.summary.clone());
                    items.push(Item::Block(Block::Summary(block)));
                }
                _ => {}
            }
        }
        // A call without a result never ended.
        for at in calls.into_values() {
            if let Some(Item::Tool(tool)) = items.get_mut(at)
                && tool.block.result.is_none()
            {
                tool.block.state = ToolState::Skipped;
            }
        }
        items
    }

    fn message_items(&self, message: &Message, items: &mut Vec<Item>, calls: &mut HashMap<String, usize>) {
        match message {
            Message::User(said) => {
                let mut block = UserBlock::new(message.joined_text());
                block.images = said.content.iter().filter(|block| block.as_text().is_none()).count();
                items.push(Item::Block(Block::User(block)));
            }
            Message::Assistant(answer) => {
                for block in &answer.content {
                    match block {
                        AssistantBlock::Text(text) if !text.text.trim().is_empty() => {
                            items.push(Item::answer(&text.text, true, &self.theme));
                        }
                        AssistantBlock::Thinking(thinking) if !thinking.thinking.trim().is_empty() => {
                            items.push(Item::Thinking(ThinkingBlock::new(&thinking.thinking)));
                        }
                        AssistantBlock::ToolCall(call) => {
                            calls.insert(call.id.clone(), items.len());
                            let mut tool: ToolItem = self.new_tool(&call.id, &call.name);
                            tool.change(|block| block.arguments = call.arguments.clone());
                            // Earlier calls are drawn with the view that is there.
                            tool.is_drawn = tool.tool.is_none();
                            tool.ended = Some(Instant::now());
                            items.push(Item::Tool(Box::new(tool)));
                        }
                        _ => {}
                    }
                }
                if answer.stop_reason == StopReason::Error {
                    let text =
                        answer.error_message.clone().unwrap_or_else(|| "The request failed".to_owned());
                    items.push(Item::notice(NoticeLevel::Error, text));
                }
            }
            Message::ToolResult(result) => {
                let at = calls.get(&result.tool_call_id).copied();
                let Some(Item::Tool(tool)) = at.and_then(|at| items.get_mut(at)) else { return };
                tool.change(|block| {
                    block.result = Some(ToolResult {
                        content: result.content.clone(),
                        details: result.details.clone(),
                        is_error: result.is_error,
                    });
                    block.elapsed = result.metrics.map(|metrics| Duration::from_micros(metrics.wall_us));
                    block.metrics = result.metrics;
                    block.state = if result.is_error { ToolState::Failed } else { ToolState::Done };
                });
            }
            _ => {}
        }
    }
}

fn last_usage(entries: &[Entry]) -> Option<toolsmith::llm::Usage> {
    entries.iter().rev().find_map(|entry| match &entry.kind {
        EntryKind::Message(Message::Assistant(answer)) if answer.usage.total_tokens > 0 => Some(answer.usage),
        _ => None,
    })
}
