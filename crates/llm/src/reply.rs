//! A response being received. Every provider writes into a `Reply`, which alone emits events: start first, each block
//! opened before it grows and closed after, one end. No wire format can get the order wrong.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use crate::{
    error::{ErrorClass, LlmError},
    message::{AssistantBlock, AssistantMessage, StopReason, TextBlock, ThinkingBlock, ToolCall, Usage},
    model::Price,
    request::Request,
    stream::StreamEvent,
    tool_names::mapped_names,
    wire::EncodedHistory,
};

/// Identifies a block in the wire format, chosen by the provider; the block's index in the message follows from the
/// order of opening.
pub type Slot = u64;

/// The most one answer may contain: far above what any model writes, and small enough to keep in memory.
const MAX_CONTENT_BYTES: usize = 32 << 20;
/// The most text the arguments of one call may have.
const MAX_ARGUMENT_BYTES: usize = 16 << 20;
/// The most blocks one answer may have: texts, thoughts and calls.
const MAX_BLOCKS: usize = 4096;

/// The reply so far, and the events not yet taken.
#[derive(Debug)]
pub struct Reply {
    message: AssistantMessage,
    price: Price,
    open: Vec<(Slot, usize)>,
    events: VecDeque<StreamEvent>,
    /// Ids of the calls of this conversation, those of the messages encoded earlier apart.
    used_ids: HashSet<String>,
    earlier_ids: Arc<HashSet<String>>,
    /// Part of the ids generated for calls without one. The conversation grows with each turn, so ids differ between
    /// turns, and replaying a conversation generates the same ones.
    turn: usize,
    started: bool,
    finished: bool,
    /// Bytes of text, thoughts, arguments and signatures so far.
    content_bytes: usize,
    /// Own names of tools that were offered under mapped names (CONTRACT 5.5).
    own_names: HashMap<String, String>,
    /// The limit that was exceeded. Nothing is added from then on.
    exceeded: Option<String>,
}

impl Reply {
    /// Creates an empty reply to `request` for the wire format `api`.
    pub fn new(request: &Request<'_>, api: impl Into<String>) -> Self {
        let (earlier_ids, used_ids) = EncodedHistory::call_ids(request);
        Self {
            message: AssistantMessage {
                api: api.into(),
                provider: request.model.provider.clone(),
                model: request.model.id.clone(),
                timestamp: now(),
                ..AssistantMessage::default()
            },
            price: request.model.price,
            open: Vec::new(),
            events: VecDeque::new(),
            used_ids,
            earlier_ids,
            turn: request.messages.len(),
            started: false,
            finished: false,
            content_bytes: 0,
            own_names: mapped_names(request),
            exceeded: None,
        }
    }

    /// Returns what has arrived so far.
    pub fn message(&self) -> &AssistantMessage {
        &self.message
    }

    /// Returns whether the end was written.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Marks the request as accepted. Writing anything implies it.
    pub fn start(&mut self) {
        if !self.started {
            self.started = true;
            self.events.push_back(StreamEvent::Start);
        }
    }

    /// Returns the error of an answer that exceeds a limit.
    pub(crate) fn over_limit(&self) -> Option<LlmError> {
        let limit = self.exceeded.as_ref()?;
        Some(LlmError::too_long(format!("it has more than {limit}")))
    }

    /// Counts what is about to be added; `false` when it would be too much.
    fn has_room(&mut self, bytes: usize) -> bool {
        self.content_bytes = self.content_bytes.saturating_add(bytes);
        if self.content_bytes > MAX_CONTENT_BYTES {
            self.exceeded.get_or_insert_with(|| format!("{MAX_CONTENT_BYTES} bytes of content"));
        }
        self.exceeded.is_none()
    }

    /// Adds words for the reader to the block at `slot`.
    pub fn text(&mut self, slot: Slot, delta: &str) {
        if !self.has_room(delta.len()) {
            return;
        }
        let index = self.block(slot, || AssistantBlock::Text(TextBlock::default()));
        if let Some(AssistantBlock::Text(block)) = self.message.content.get_mut(index)
            && !delta.is_empty()
        {
            block.text.push_str(delta);
            self.events.push_back(StreamEvent::TextDelta { content_index: index, delta: delta.to_owned() });
        }
    }

    /// Appends thinking to the block at `slot`.
    pub fn thinking(&mut self, slot: Slot, delta: &str) {
        if !self.has_room(delta.len()) {
            return;
        }
        let index = self.block(slot, || AssistantBlock::Thinking(ThinkingBlock::default()));
        if let Some(AssistantBlock::Thinking(block)) = self.message.content.get_mut(index)
            && !delta.is_empty()
        {
            block.thinking.push_str(delta);
            self.events
                .push_back(StreamEvent::ThinkingDelta { content_index: index, delta: delta.to_owned() });
        }
    }

    /// Opens a thinking block whose text the provider withholds.
    pub fn redacted_thinking(&mut self, slot: Slot, signature: &str) {
        self.thinking(slot, "");
        if !self.has_room(signature.len()) {
            return;
        }
        if let Some(AssistantBlock::Thinking(block)) = self.open_block(slot) {
            block.redacted = true;
            block.thinking_signature = Some(signature.to_owned());
        }
    }

    /// Sets the opaque data of the block at `slot`, which must be open.
    pub fn sign(&mut self, slot: Slot, signature: &str) {
        if !self.has_room(signature.len()) {
            return;
        }
        let place = match self.open_block(slot) {
            Some(AssistantBlock::Text(block)) => &mut block.text_signature,
            Some(AssistantBlock::Thinking(block)) => &mut block.thinking_signature,
            Some(AssistantBlock::ToolCall(call)) => &mut call.thought_signature,
            _ => return,
        };
        *place = Some(signature.to_owned());
    }

    /// Opens a call at `slot`. An empty or duplicate id is replaced.
    pub fn call(&mut self, slot: Slot, id: &str, name: &str) {
        if !self.has_room(id.len() + name.len()) {
            return;
        }
        let id = self.unused_id(id);
        let name = self.own_names.get(name).map_or(name, String::as_str);
        let call =
            ToolCall { raw_arguments: Some(String::new()), ..ToolCall::new(id, name, serde_json::json!({})) };
        self.block(slot, || AssistantBlock::ToolCall(call));
    }

    /// Appends to the arguments of the call at `slot`, which must be open.
    pub fn arguments(&mut self, slot: Slot, delta: &str) {
        let Some(index) = self.index_of(slot) else { return };
        if !self.has_room(delta.len()) {
            return;
        }
        if let Some(AssistantBlock::ToolCall(call)) = self.message.content.get(index)
            && call.raw_arguments.as_ref().map_or(0, String::len) + delta.len() > MAX_ARGUMENT_BYTES
        {
            self.exceeded = Some(format!("{MAX_ARGUMENT_BYTES} bytes of arguments for one call"));
            return;
        }
        if let Some(AssistantBlock::ToolCall(call)) = self.message.content.get_mut(index)
            && !delta.is_empty()
        {
            call.raw_arguments.get_or_insert_default().push_str(delta);
            self.events
                .push_back(StreamEvent::ToolCallDelta { content_index: index, delta: delta.to_owned() });
        }
    }

    /// Returns whether a block is open at `slot`.
    pub fn is_open(&self, slot: Slot) -> bool {
        self.index_of(slot).is_some()
    }

    /// Returns the block open at `slot`, as far as it has arrived.
    pub fn peek(&self, slot: Slot) -> Option<&AssistantBlock> {
        self.message.content.get(self.index_of(slot)?)
    }

    /// Closes the block at `slot`, if one is open.
    pub fn close(&mut self, slot: Slot) {
        let Some(at) = self.open.iter().position(|(open, _)| *open == slot) else {
            return;
        };
        let (_, content_index) = self.open.remove(at);
        let event = match self.message.content.get_mut(content_index) {
            Some(AssistantBlock::Text(block)) => {
                StreamEvent::TextEnd { content_index, content: block.text.clone() }
            }
            Some(AssistantBlock::Thinking(block)) => {
                StreamEvent::ThinkingEnd { content_index, content: block.thinking.clone() }
            }
            Some(AssistantBlock::ToolCall(call)) => {
                call.settle_arguments();
                StreamEvent::ToolCallEnd { content_index, tool_call: call.clone() }
            }
            _ => return,
        };
        self.events.push_back(event);
    }

    /// Closes all open blocks in the order they were opened.
    pub fn close_all(&mut self) {
        while let Some((slot, _)) = self.open.first().copied() {
            self.close(slot);
        }
    }

    /// Sets the token usage and computes the cost.
    pub fn set_usage(&mut self, usage: Usage) {
        self.message.usage = Usage { cost: self.price.cost(&usage), ..usage };
    }

    /// Writes the end of a stream that closed. It is complete if a stop reason arrived.
    ///
    /// # Errors
    /// Fails if none did.
    pub fn finish_closed(&mut self, reason: Option<StopReason>) -> Result<(), LlmError> {
        let cut = || LlmError::network("the connection closed before the response was complete");
        self.finish(reason.ok_or_else(cut)?);
        Ok(())
    }

    /// Writes the end. The presence of calls decides between [`StopReason::Stop`] and [`StopReason::ToolUse`], because
    /// not every provider distinguishes them.
    pub fn finish(&mut self, reason: StopReason) {
        if self.finished {
            return;
        }
        self.start();
        self.close_all();
        let has_calls = self.message.tool_calls().next().is_some();
        self.message.stop_reason = match reason {
            StopReason::Stop | StopReason::ToolUse if has_calls => StopReason::ToolUse,
            StopReason::ToolUse => StopReason::Stop,
            reason => reason,
        };
        self.finished = true;
        self.events
            .push_back(StreamEvent::Done { reason: self.message.stop_reason, message: self.message.clone() });
    }

    /// Ends the reply with an error. What has arrived is kept; incomplete calls keep their text.
    pub(crate) fn fail(&mut self, mut error: LlmError) {
        if self.finished {
            return;
        }
        if error.provider.is_empty() {
            error.provider.clone_from(&self.message.provider);
        }
        self.message.stop_reason = match error.class {
            ErrorClass::Aborted => StopReason::Aborted,
            _ => StopReason::Error,
        };
        self.message.error_message = Some(error.to_string());
        self.finished = true;
        self.events.push_back(StreamEvent::Error {
            reason: self.message.stop_reason,
            error,
            message: self.message.clone(),
        });
    }

    pub(crate) fn take_event(&mut self) -> Option<StreamEvent> {
        self.events.pop_front()
    }

    /// Discards events that are no longer needed.
    pub(crate) fn forget_events(&mut self) {
        self.events.clear();
    }

    fn index_of(&self, slot: Slot) -> Option<usize> {
        self.open.iter().find(|(open, _)| *open == slot).map(|(_, index)| *index)
    }

    fn open_block(&mut self, slot: Slot) -> Option<&mut AssistantBlock> {
        let index = self.index_of(slot)?;
        self.message.content.get_mut(index)
    }

    /// Returns the index of the block at `slot`, opening it if needed.
    fn block(&mut self, slot: Slot, make: impl FnOnce() -> AssistantBlock) -> usize {
        if let Some(index) = self.index_of(slot) {
            return index;
        }
        self.start();
        let content_index = self.message.content.len();
        if content_index >= MAX_BLOCKS {
            self.exceeded.get_or_insert_with(|| format!("{MAX_BLOCKS} blocks"));
            return content_index;
        }
        let block = make();
        self.events.push_back(match &block {
            AssistantBlock::Text(_) => StreamEvent::TextStart { content_index },
            AssistantBlock::Thinking(_) => StreamEvent::ThinkingStart { content_index },
            AssistantBlock::ToolCall(call) => {
                StreamEvent::ToolCallStart { content_index, id: call.id.clone(), name: call.name.clone() }
            }
        });
        self.message.content.push(block);
        self.open.push((slot, content_index));
        content_index
    }

    fn unused_id(&mut self, id: &str) -> String {
        let base = match id {
            "" => format!("call_{}_{}", self.turn, self.message.tool_calls().count() + 1),
            id => id.to_owned(),
        };
        let mut unused = base.clone();
        let mut again = 2;
        while self.earlier_ids.contains(&unused) || !self.used_ids.insert(unused.clone()) {
            unused = format!("{base}_{again}");
            again += 1;
        }
        unused
    }
}

fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
