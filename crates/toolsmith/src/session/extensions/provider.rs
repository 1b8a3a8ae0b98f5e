//! A provider whose requests an extension answers itself (`registerProvider` with `streamSimple`).

use std::{
    collections::HashSet,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use toolsmith_agent::{WeakAgent, model_json};
use toolsmith_llm::{
    AssistantBlock, AssistantMessage, Capabilities, Environment, ErrorClass, EventStream, ForcedTool,
    LlmError, Message, Model, Provider, Reply, ReplySource, Request, Secret, Slot, StopReason, ThinkingLevel,
};
use toolsmith_middleware::WeakExtensions;
use toolsmith_tool::{CancelToken, Extension, ToolContext, ToolError, UpdateSink, async_trait};

/// Longest time without an event.
const IDLE: Duration = Duration::from_secs(300);
/// Bytes of events that may wait to be read. The extension waits while there are more.
const MAX_WAITING: usize = 1 << 20;
/// Bytes that an event counts for beside its text.
const EVENT_BYTES: usize = 256;

/// The session that is asked. It holds the provider, so the provider does not keep it alive.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) agent: WeakAgent,
    pub(super) modules: WeakExtensions,
}

impl Asked {
    /// Returns the module that answers for a provider, and the context of a call. The last one that registered it counts.
    fn find(&self, provider: &str) -> Option<(Arc<dyn Extension>, ToolContext)> {
        let answers = |extension: &Arc<dyn Extension>| {
            let registered = extension.registrations().providers;
            registered.iter().any(|spec| spec.name == provider && spec.streams)
        };
        let module = self.modules.upgrade()?.list().into_iter().rev().find(answers)?;
        Some((module, self.agent.upgrade()?.tool_context()))
    }
}

/// A provider of an extension.
#[derive(Debug)]
pub(super) struct ExtensionProvider {
    name: String,
    api: String,
    base_url: Option<String>,
    key: Option<Secret>,
    asked: Arc<OnceLock<Asked>>,
}

impl ExtensionProvider {
    pub(super) fn new(
        name: &str,
        config: &Value,
        environment: &Environment,
        asked: Arc<OnceLock<Asked>>,
    ) -> Self {
        let text = |name: &str| config[name].as_str().map(str::to_owned);
        // A key is given itself or by the name of a variable.
        let key = text("apiKey").and_then(|given| {
            let variable = given.trim_start_matches('$').trim_matches(['{', '}']);
            let value = environment.get(variable);
            value.or_else(|| (!given.starts_with('$')).then_some(given)).map(Secret::new)
        });
        let api = text("api").unwrap_or_else(|| name.to_owned());
        Self { name: name.to_owned(), api, base_url: text("baseUrl"), key, asked }
    }

    fn request(&self, request: &Request<'_>) -> Value {
        let mut model = model_json(request.model);
        model["api"] = json!(self.api);
        model["baseUrl"] = json!(self.base_url);
        let price = &request.model.price;
        model["cost"] = json!({
            "input": price.input, "output": price.output,
            "cacheRead": price.cache_read, "cacheWrite": price.cache_write,
        });
        let tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| json!({ "name": tool.name, "description": tool.description, "parameters": *tool.parameters }))
            .collect();
        let messages: Vec<Value> = request.messages.iter().map(|message| as_sent(message)).collect();
        let system = Some(request.system).filter(|system| !system.is_empty());
        let mut options =
            json!({ "apiKey": self.key.as_ref().map(Secret::expose), "sessionId": request.cache_key });
        options["maxTokens"] = json!(request.max_tokens.unwrap_or(request.model.max_output));
        if let Some(temperature) = request.temperature {
            options["temperature"] = json!(temperature);
        }
        if request.thinking != ThinkingLevel::Off {
            options["reasoning"] = json!(request.thinking.as_str());
        }
        json!({
            "model": model,
            "context": { "systemPrompt": system, "messages": messages, "tools": tools },
            "options": options,
        })
    }
}

/// Returns a message as a provider receives it: what a user or an extension said is a message of the user.
fn as_sent(message: &Message) -> Value {
    let mut value = json!(message);
    if value["role"] == "developer" {
        value = json!({ "role": "user", "content": value["content"], "timestamp": value["timestamp"] });
    }
    value
}

impl Provider for ExtensionProvider {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self, model: &Model) -> Capabilities {
        // The function takes no choice of a tool.
        let mut capabilities = Capabilities::of(model);
        capabilities.forced_tool = ForcedTool::None;
        capabilities
    }

    fn is_gone(&self) -> bool {
        self.asked.get().is_some_and(|asked| asked.find(&self.name).is_none())
    }

    fn stream(&self, request: &Request<'_>, cancel: CancelToken) -> EventStream {
        let answer = Answer {
            provider: self.name.clone(),
            request: Some(self.request(request)),
            asked: Arc::clone(&self.asked),
            stop: cancel.child(),
            pieces: None,
            waiting: Arc::default(),
            closed: HashSet::new(),
        };
        EventStream::new(Box::new(answer), Reply::new(request, self.api.clone()), cancel)
    }
}

/// A piece of an answer. All come from one channel, so that the end is read after the events.
enum Piece {
    Event(Value),
    End(Result<Value, ToolError>),
}

/// An answer being received. Dropping it stops the extension's call.
struct Answer {
    provider: String,
    request: Option<Value>,
    asked: Arc<OnceLock<Asked>>,
    stop: CancelToken,
    pieces: Option<UnboundedReceiver<Piece>>,
    /// Bytes of the events that were not read yet.
    waiting: Arc<AtomicUsize>,
    /// Blocks that ended.
    closed: HashSet<Slot>,
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.stop.cancel("the answer is no longer needed");
    }
}

#[async_trait]
impl ReplySource for Answer {
    async fn advance(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
        if let Some(request) = self.request.take() {
            self.pieces = Some(self.start(request)?);
        }
        let Some(pieces) = &mut self.pieces else { return Err(self.failed("nothing was asked")) };
        let piece = tokio::time::timeout(IDLE, pieces.recv()).await;
        match piece {
            Ok(Some(Piece::Event(event))) => {
                self.waiting.fetch_sub(size(&event), Ordering::SeqCst);
                self.take(&event, reply);
            }
            Ok(Some(Piece::End(Ok(message)))) => return self.finish(message, reply),
            Ok(Some(Piece::End(Err(error)))) => return Err(self.failed(&error.to_string())),
            Ok(None) => return Err(self.failed("it was stopped")),
            Err(_) => {
                return Err(LlmError::new(
                    ErrorClass::Network,
                    format!("the extension sent nothing for {} s", IDLE.as_secs()),
                ));
            }
        }
        Ok(())
    }
}

impl Answer {
    /// An error of the module, which another attempt would meet again.
    fn failed(&self, why: &str) -> LlmError {
        LlmError::new(
            ErrorClass::BadRequest,
            format!("the extension that answers for {} failed: {why}", self.provider),
        )
    }

    fn start(&self, request: Value) -> Result<UnboundedReceiver<Piece>, LlmError> {
        let (module, context) = self
            .asked
            .get()
            .and_then(|asked| asked.find(&self.provider))
            .ok_or_else(|| self.failed("it is not loaded any more"))?;
        let (sender, pieces) = unbounded_channel();
        let updates: UnboundedSender<Piece> = sender.clone();
        let (added, waiting) = (Arc::clone(&self.waiting), Arc::clone(&self.waiting));
        let sink = UpdateSink::new(move |update| {
            let event = update.details.unwrap_or_default();
            added.fetch_add(size(&event), Ordering::SeqCst);
            // Nobody reads an answer that was dropped.
            let _ = updates.send(Piece::Event(event));
        });
        let sink = sink.with_room(move || waiting.load(Ordering::SeqCst) < MAX_WAITING);
        let context = context.with_cancel(self.stop.clone()).with_updates(sink);
        let provider = self.provider.clone();
        tokio::spawn(async move {
            let end = module.stream(&provider, request, context).await;
            let _ = sender.send(Piece::End(end));
        });
        Ok(pieces)
    }

    /// Writes an event. Events may be incomplete: whatever is missing is taken from the end of the block or the message.
    fn take(&mut self, event: &Value, reply: &mut Reply) {
        let text = |name: &str| event[name].as_str().unwrap_or_default();
        let Some(slot) = event["contentIndex"].as_u64() else {
            return reply.start();
        };
        if self.closed.contains(&slot) {
            return;
        }
        let kind = text("type");
        match kind {
            "text_start" | "text_delta" => reply.text(slot, text("delta")),
            "thinking_start" | "thinking_delta" => reply.thinking(slot, text("delta")),
            "text_end" => reply.text(slot, rest(reply.peek(slot), text("content"))),
            "thinking_end" => reply.thinking(slot, rest(reply.peek(slot), text("content"))),
            "toolcall_start" | "toolcall_delta" | "toolcall_end" => {
                if !reply.is_open(slot) && !text("name").is_empty() {
                    reply.call(slot, text("id"), text("name"));
                }
                reply.arguments(slot, text("delta"));
                if kind == "toolcall_end" {
                    complete_arguments(slot, &event["arguments"], reply);
                }
            }
            _ => {}
        }
        if kind.ends_with("_end") && reply.is_open(slot) {
            if let Some(signature) = event["signature"].as_str() {
                reply.sign(slot, signature);
            }
            reply.close(slot);
            self.closed.insert(slot);
        }
    }

    fn finish(&mut self, message: Value, reply: &mut Reply) -> Result<(), LlmError> {
        let error = message["errorMessage"].as_str().map(str::to_owned);
        let message: AssistantMessage = serde_json::from_value(message)
            .map_err(|error| self.failed(&format!("its message is invalid: {error}")))?;
        if matches!(message.stop_reason, StopReason::Error | StopReason::Aborted) {
            let said = error.unwrap_or_else(|| "the provider gave no reason".to_owned());
            return Err(LlmError::from_provider(&said));
        }
        for (slot, block) in (0..).zip(&message.content) {
            if !self.closed.contains(&slot) {
                self.complete(slot, block, reply);
            }
        }
        reply.set_usage(message.usage);
        reply.finish(message.stop_reason);
        Ok(())
    }

    /// Writes a block of the finished message that was streamed in part or not at all.
    fn complete(&mut self, slot: Slot, block: &AssistantBlock, reply: &mut Reply) {
        let signature = match block {
            AssistantBlock::Text(block) => {
                reply.text(slot, rest(reply.peek(slot), &block.text));
                &block.text_signature
            }
            AssistantBlock::Thinking(block) => {
                reply.thinking(slot, rest(reply.peek(slot), &block.thinking));
                &block.thinking_signature
            }
            AssistantBlock::ToolCall(call) => {
                if !reply.is_open(slot) {
                    reply.call(slot, &call.id, &call.name);
                }
                complete_arguments(slot, &call.arguments, reply);
                &call.thought_signature
            }
            _ => return,
        };
        if let Some(signature) = signature {
            reply.sign(slot, signature);
        }
        reply.close(slot);
        self.closed.insert(slot);
    }
}

/// Returns the bytes that an event counts for while it waits.
fn size(event: &Value) -> usize {
    let texts = ["delta", "content"].map(|name| event[name].as_str().map_or(0, str::len));
    texts.iter().sum::<usize>() + EVENT_BYTES
}

/// Returns the part of a whole text that has not been written yet.
fn rest<'a>(written: Option<&AssistantBlock>, whole: &'a str) -> &'a str {
    let written = match written {
        Some(AssistantBlock::Text(block)) => block.text.as_str(),
        Some(AssistantBlock::Thinking(block)) => block.thinking.as_str(),
        _ => "",
    };
    whole.strip_prefix(written).unwrap_or_default()
}

/// Writes the arguments of a call unless they were streamed.
fn complete_arguments(slot: Slot, arguments: &Value, reply: &mut Reply) {
    let is_streamed = matches!(
        reply.peek(slot),
        Some(AssistantBlock::ToolCall(call)) if call.raw_arguments.as_ref().is_some_and(|text| !text.is_empty())
    );
    if !is_streamed && !arguments.is_null() {
        reply.arguments(slot, &arguments.to_string());
    }
}
