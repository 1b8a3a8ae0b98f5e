//! The session's events, as changes of the transcript and the status.

use std::time::{Duration, Instant};

use toolsmith::{
    agent::{AgentEvent, RunEnd},
    llm::{Message, StreamEvent},
    tool::{NoticeLevel, SessionEvent, ToolResult},
};

use super::{
    app::App,
    transcript::{Item, ToolItem, ToolState},
};

impl App {
    pub(super) fn agent_event(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::AgentStart => {
                self.running = Some(Instant::now());
                self.title_dirty = true;
            }
            AgentEvent::AgentEnd { end, .. } => self.run_ended(end),
            AgentEvent::MessageStart { message: Message::Assistant(_) } => self.transcript.start_message(),
            AgentEvent::MessageUpdate { assistant_message_event } => {
                self.stream_event(assistant_message_event)
            }
            AgentEvent::MessageEnd { message } => self.message_ended(message),
            AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args } => {
                self.with_tool(tool_call_id, tool_name, |tool| {
                    tool.arguments = args.clone();
                    tool.state = ToolState::Running(Instant::now());
                });
            }
            AgentEvent::ToolExecutionUpdate { tool_call_id, tool_name, partial_result } => {
                self.with_tool(tool_call_id, tool_name, |tool| tool.result = Some(partial_result.clone()));
            }
            AgentEvent::ToolExecutionEnd {
                tool_call_id, tool_name, result, is_error, duration_ms, ..
            } => {
                self.with_tool(tool_call_id, tool_name, |tool| {
                    tool.result = Some(result.clone());
                    let duration = Some(Duration::from_millis(*duration_ms));
                    tool.state = ToolState::Ended { is_error: *is_error, duration };
                });
            }
            AgentEvent::PendingPushed { count, .. } | AgentEvent::PendingPopped { count, .. } => {
                self.status.pending = *count;
                self.refresh_pending();
            }
            AgentEvent::QueueChanged { steering, follow_up } => {
                // Messages delivered are removed when they appear; a cleared queue empties the list.
                if steering + follow_up == 0 {
                    self.queued.clear();
                }
            }
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
                self.transcript.start_block(*content_index, Item::assistant("", false));
            }
            StreamEvent::TextDelta { content_index, delta } => {
                if let Some(Item::Assistant { stream, text, .. }) = self.transcript.block(*content_index) {
                    stream.push(delta);
                    text.push_str(delta);
                }
            }
            StreamEvent::TextEnd { content_index, .. } => {
                if let Some(Item::Assistant { is_final, .. }) = self.transcript.block(*content_index) {
                    *is_final = true;
                }
            }
            StreamEvent::ThinkingStart { content_index } => {
                let item = Item::Thinking { text: String::new(), is_final: false };
                self.transcript.start_block(*content_index, item);
            }
            StreamEvent::ThinkingDelta { content_index, delta } => {
                if let Some(Item::Thinking { text, .. }) = self.transcript.block(*content_index) {
                    text.push_str(delta);
                }
            }
            StreamEvent::ThinkingEnd { content_index, .. } => {
                if let Some(Item::Thinking { is_final, .. }) = self.transcript.block(*content_index) {
                    *is_final = true;
                }
            }
            StreamEvent::ToolCallStart { content_index, id, name } => {
                let item = Item::Tool(self.new_tool(id, name));
                self.transcript.start_block(*content_index, item);
            }
            StreamEvent::ToolCallEnd { content_index, tool_call } => {
                if let Some(Item::Tool(tool)) = self.transcript.block(*content_index) {
                    tool.arguments = tool_call.arguments.clone();
                    tool.state = ToolState::Waiting;
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
                let mut text = text;
                for number in 1..=images {
                    let label = format!("[image #{number}");
                    if !text.contains(&label) {
                        text.push_str(&format!(" {label}]"));
                    }
                }
                self.transcript.push(Item::User { text });
            }
            Message::Assistant(answer) => {
                self.transcript.finish_message();
                self.status.note_usage(&answer.usage);
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
        // Prompts that were typed too late to be steered start the next run.
        self.send_waiting();
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
                        self.transcript.push(Item::Summary { title: "Session compacted".to_owned(), text });
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
        ToolItem {
            id: id.to_owned(),
            name: name.to_owned(),
            label: self.tool_label(name),
            arguments: serde_json::Value::Null,
            state: ToolState::Writing,
            result: None::<ToolResult>,
        }
    }

    fn with_tool(&mut self, id: &str, name: &str, change: impl FnOnce(&mut ToolItem)) {
        if self.transcript.tool(id).is_none() {
            let item = self.new_tool(id, name);
            self.transcript.push(Item::Tool(item));
        }
        if let Some(tool) = self.transcript.tool(id) {
            change(tool);
        }
    }

    fn tool_label(&self, name: &str) -> String {
        let label = self.session.as_ref().and_then(|session| {
            session
                .agent()
                .dispatcher()
                .registry()
                .read(|registry| registry.get(name).map(|found| found.tool.spec().label.clone()))
        });
        label.unwrap_or_else(|| name.to_owned())
    }
}
