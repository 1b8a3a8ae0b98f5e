//! The session's events, as changes of the transcript and the status.

use std::time::{Duration, Instant};

use toolsmith::{
    USER_BASH,
    agent::{AgentEvent, RunEnd},
    llm::{Message, StreamEvent},
    tool::{NoticeLevel, SessionEvent},
};

use super::{
    event::Event,
    extensions,
    interface::App,
    transcript::{Item, ToolItem},
};
use crate::blocks::{Block, SummaryBlock, SummaryKind, ThinkingBlock, ToolBlock, ToolState, UserBlock};

impl App {
    pub(super) fn agent_event(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::AgentStart => {
                self.running = Some(Instant::now());
                self.title_dirty = true;
            }
            AgentEvent::AgentEnd { end, .. } => self.run_ended(end),
            AgentEvent::MessageStart { message: Message::Assistant(_) } => self.transcript.finish_message(),
            AgentEvent::MessageUpdate { assistant_message_event } => {
                self.stream_event(assistant_message_event)
            }
            AgentEvent::MessageEnd { message } => self.message_ended(message),
            AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args } => {
                self.with_tool(tool_call_id, tool_name, |tool| {
                    tool.started = Some(Instant::now());
                    tool.change(|block| {
                        block.arguments = args.clone();
                        block.state = ToolState::Running;
                    });
                });
            }
            AgentEvent::ApprovalRequested { request } => {
                if let Some(tool) = self.transcript.tool(&request.tool_call_id) {
                    tool.change(|block| block.state = ToolState::Waiting);
                }
            }
            AgentEvent::ApprovalDecided { tool_call_id, .. } => {
                if let Some(tool) = self.transcript.tool(tool_call_id) {
                    // The time of a call does not include the question.
                    tool.started = Some(Instant::now());
                    tool.change(|block| {
                        (block.state, block.elapsed) = (ToolState::Running, None);
                    });
                }
            }
            AgentEvent::ToolExecutionUpdate { tool_call_id, tool_name, partial_result } => {
                self.with_tool(tool_call_id, tool_name, |tool| {
                    tool.change(|block| block.result = Some(partial_result.clone()));
                });
            }
            AgentEvent::ToolExecutionEnd {
                tool_call_id,
                tool_name,
                result,
                is_error,
                duration_ms,
                metrics,
                ..
            } => {
                self.with_tool(tool_call_id, tool_name, |tool| {
                    tool.ended = Some(Instant::now());
                    tool.change(|block| {
                        block.result = Some(result.clone());
                        block.elapsed = Some(Duration::from_millis(*duration_ms));
                        block.metrics = *metrics;
                        block.state = if *is_error { ToolState::Failed } else { ToolState::Done };
                    });
                });
            }
            AgentEvent::PendingPushed { count, .. } | AgentEvent::PendingPopped { count, .. } => {
                self.status.pending = *count;
                self.refresh_pending();
            }
            // Messages delivered are removed when they appear; a cleared queue empties the list.
            AgentEvent::QueueChanged { steering: 0, follow_up: 0 } => self.queued.clear(),
            AgentEvent::Error { message, .. } => {
                self.transcript.finish_message();
                self.notice(NoticeLevel::Error, message);
            }
            AgentEvent::Notice { message } => self.notice(NoticeLevel::Info, message),
            AgentEvent::Session(event) => self.session_event(event),
            _ => {}
        }
        self.changed();
    }

    fn stream_event(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::TextStart { content_index } => {
                self.transcript.start_block(*content_index, Item::answer("", false, &self.theme));
            }
            StreamEvent::TextDelta { content_index, delta } => {
                if let Some(Item::Answer { stream, .. }) = self.transcript.block(*content_index) {
                    stream.push(delta);
                }
            }
            StreamEvent::TextEnd { content_index, .. } => {
                if let Some(Item::Answer { is_final, .. }) = self.transcript.block(*content_index) {
                    *is_final = true;
                }
            }
            StreamEvent::ThinkingStart { content_index } => {
                let block = ThinkingBlock { is_live: true, ..ThinkingBlock::default() };
                self.transcript.start_block(*content_index, Item::Thinking(block));
            }
            StreamEvent::ThinkingDelta { content_index, delta } => {
                if let Some(Item::Thinking(block)) = self.transcript.block(*content_index) {
                    block.text.push_str(delta);
                }
            }
            StreamEvent::ThinkingEnd { content_index, .. } => {
                if let Some(Item::Thinking(block)) = self.transcript.block(*content_index) {
                    block.is_live = false;
                }
            }
            StreamEvent::ToolCallStart { content_index, id, name } => {
                let item = Item::Tool(Box::new(self.new_tool(id, name)));
                self.transcript.start_block(*content_index, item);
            }
            StreamEvent::ToolCallEnd { content_index, tool_call } => {
                if let Some(Item::Tool(tool)) = self.transcript.block(*content_index) {
                    tool.change(|block| {
                        block.arguments = tool_call.arguments.clone();
                        block.state = ToolState::Waiting;
                    });
                }
            }
            _ => {}
        }
    }

    fn message_ended(&mut self, message: &Message) {
        match message {
            Message::User(said) => {
                let text = message.joined_text();
                if let Some(at) = self.queued.iter().position(|queued| queued.text == text) {
                    self.queued.remove(at);
                }
                let images = said.content.iter().filter(|block| block.as_text().is_none()).count();
                let mut block = UserBlock::new(text);
                block.images = images;
                self.transcript.push(Item::Block(Block::User(block)));
            }
            Message::Assistant(answer) => {
                self.transcript.finish_message();
                self.status.note_usage(&answer.usage);
            }
            // A shell command of the person has its own item.
            Message::Developer(said) if said.custom_type.as_deref() != Some(USER_BASH) => {
                let id = self.next_message();
                if let Some(item) = extensions::message_item(said, id) {
                    self.transcript.push(item);
                }
            }
            _ => {}
        }
    }

    fn run_ended(&mut self, end: &RunEnd) {
        let duration = self.running.take().map(|started| started.elapsed());
        self.transcript.finish_run();
        match end {
            RunEnd::Completed => {}
            RunEnd::Aborted { .. } => {
                self.notice(NoticeLevel::Warning, "Interrupted. Tell the model what to do differently.")
            }
            // The error event was shown already.
            RunEnd::Failed { .. } => {}
            other => self.notice(NoticeLevel::Error, other.message().unwrap_or("The run ended early.")),
        }
        self.title_dirty = true;
        self.notify_end(duration);
        self.refresh_branch();
        if let Some(session) = self.session.clone() {
            self.spawn(async move {
                session.wait_for_idle().await;
                Event::Idle
            });
        }
    }

    fn session_event(&mut self, event: &SessionEvent) {
        match event {
            SessionEvent::AutoCompactionStart { .. } => {
                self.status.working = Some("Compacting the session".to_owned())
            }
            SessionEvent::AutoCompactionEnd(end) => {
                self.status.working = None;
                match &end.error_message {
                    Some(error) => {
                        self.notice(NoticeLevel::Error, &format!("The session was not compacted: {error}"))
                    }
                    None if !end.aborted => {
                        let summary = end.result.as_ref().and_then(|result| result.get("summary"));
                        let text = summary.and_then(|text| text.as_str()).unwrap_or_default().to_owned();
                        let mut block = SummaryBlock::default();
                        (block.kind, block.text) = (SummaryKind::Compaction, text);
                        self.transcript.push(Item::Block(Block::Summary(block)));
                    }
                    None => {}
                }
            }
            SessionEvent::AutoRetryStart(retry) => {
                let wait = Duration::from_millis(retry.delay_ms).as_secs();
                let text = format!(
                    "{} Retrying in {wait}s (attempt {} of {}).",
                    retry.error_message, retry.attempt, retry.max_attempts
                );
                self.notice(NoticeLevel::Warning, &text);
            }
            SessionEvent::AutoRetryEnd(end) if !end.success => {
                if let Some(error) = &end.final_error {
                    self.notice(NoticeLevel::Error, error);
                }
            }
            _ => {}
        }
    }

    pub(super) fn new_tool(&self, id: &str, name: &str) -> ToolItem {
        let tool = self.session.as_ref().and_then(|session| {
            let registry = session.agent().dispatcher().registry();
            registry.read(|registry| registry.get(name).map(|found| std::sync::Arc::clone(&found.tool)))
        });
        let label = tool.as_ref().map_or_else(|| name.to_owned(), |tool| tool.spec().label.clone());
        ToolItem::new(ToolBlock::new(id, name, label), tool)
    }

    fn with_tool(&mut self, id: &str, name: &str, change: impl FnOnce(&mut ToolItem)) {
        if self.transcript.tool(id).is_none() {
            let item = self.new_tool(id, name);
            self.transcript.push(Item::Tool(Box::new(item)));
        }
        if let Some(tool) = self.transcript.tool(id) {
            change(tool);
        }
    }
}
