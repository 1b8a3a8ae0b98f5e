//! The scripted provider, which plays a script in place of a model.

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use toolsmith_tool::CancelToken;

use super::{
    format::ScriptError,
    turn::{Expectation, Script, Step, Turn},
};
use crate::{
    error::{ErrorClass, LlmError},
    message::{Message, StopReason, join_text},
    model::Model,
    provider::{Capabilities, Exchange, Provider},
    reply::{Reply, Slot},
    request::{Request, ThinkingLevel, ToolChoice, ToolDefinition},
    stream::{EventStream, ReplySource},
};

const NAME: &str = "script";
/// Maximum number of characters of the conversation in an error.
const SHOWN_CHARS: usize = 200;

/// A provider that answers from a script. Clones share the script: each request takes the next turn.
#[derive(Clone, Debug)]
pub struct ScriptedProvider {
    model: Model,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    origin: String,
    turns: VecDeque<Turn>,
    played: usize,
    requests: Vec<RecordedRequest>,
}

/// A recorded request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The system prompt.
    pub system: String,
    /// The conversation.
    pub messages: Vec<Message>,
    /// The tools offered.
    pub tools: Vec<ToolDefinition>,
    /// Which tools may or must be called.
    pub tool_choice: ToolChoice,
    /// Thinking level.
    pub thinking: ThinkingLevel,
}

impl ScriptedProvider {
    /// Creates a provider from a script.
    pub fn new(script: Script) -> Self {
        let stem = Path::new(&script.origin).file_stem();
        let id = stem.map_or_else(|| NAME.to_owned(), |stem| stem.to_string_lossy().into_owned());
        let mut model = Model::unknown(NAME, id);
        model.images = true;
        script.model.apply(&mut model);
        Self {
            model,
            state: Arc::new(Mutex::new(State {
                origin: script.origin,
                turns: script.turns.into(),
                played: 0,
                requests: Vec::new(),
            })),
        }
    }

    /// Creates a provider from a script file.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not a valid script.
    pub fn open(path: &Path) -> Result<Self, ScriptError> {
        Script::open(path).map(Self::new)
    }

    /// Returns the model it represents.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.lock().requests.clone()
    }

    /// Returns the number of turns not yet played.
    pub fn turns_left(&self) -> usize {
        self.lock().turns.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next turn, if the conversation matches the script's expectations.
    fn take(&self, request: &Request<'_>) -> Result<Turn, LlmError> {
        let mut state = self.lock();
        state.requests.push(RecordedRequest {
            system: request.system.to_owned(),
            messages: request.messages.iter().map(|&message| message.clone()).collect(),
            tools: request.tools.iter().map(|&tool| tool.clone()).collect(),
            tool_choice: request.tool_choice.clone(),
            thinking: request.thinking,
        });
        let fault = |text: String| Err(LlmError::new(ErrorClass::Script, text));
        let number = state.played + 1;
        let Some(turn) = state.turns.pop_front() else {
            let (origin, played) = (&state.origin, state.played);
            return fault(format!("{origin} has {played} turns, but the conversation needs turn {number}"));
        };
        state.played = number;
        match failed_expectation(&turn.expect, request) {
            None => Ok(turn),
            Some(what) => fault(format!("{}: turn {number} expects {what}", state.origin)),
        }
    }
}

impl Provider for ScriptedProvider {
    fn name(&self) -> &str {
        NAME
    }

    fn capabilities(&self, model: &Model) -> Capabilities {
        Capabilities::of(model)
    }

    fn stream(&self, request: &Request<'_>, cancel: CancelToken) -> EventStream {
        let turn = self.take(request).map(|turn| Turn {
            steps: turn.steps.into_iter().map(|step| filled(step, request)).collect(),
            ..turn
        });
        let exchange = request.exchange.clone().map(|exchange| {
            let body = serde_json::json!({
                "model": request.model.id,
                "system": request.system,
                "messages": request.messages,
                "tools": request.tools.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
            });
            (exchange, body)
        });
        let source = Playing { exchange, turn: Some(turn), pieces: VecDeque::new(), ending: None };
        EventStream::new(Box::new(source), Reply::new(request, NAME), cancel)
    }
}

/// A turn being played.
struct Playing {
    /// Sees the request as a provider would send it.
    exchange: Option<(Arc<dyn Exchange>, serde_json::Value)>,
    turn: Option<Result<Turn, LlmError>>,
    pieces: VecDeque<Piece>,
    ending: Option<StopReason>,
}

/// Plays one step. Steps are small, so that cancellation takes effect between them.
enum Piece {
    Text(Slot, String),
    Thinking(Slot, String),
    Sign(Slot, String),
    Call { slot: Slot, id: String, name: String },
    Arguments(Slot, String),
    Close(Slot),
    Pause(std::time::Duration),
    Error(LlmError),
    WaitForAbort,
}

#[async_trait]
impl ReplySource for Playing {
    async fn advance(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
        if let Some(turn) = self.turn.take() {
            if let Some((exchange, body)) = self.exchange.take() {
                exchange.request(body).await;
                exchange.headers(serde_json::Map::new()).await;
                exchange.response(200, serde_json::Map::new()).await;
            }
            let turn = turn?;
            reply.set_usage(turn.usage.unwrap_or_default());
            self.ending = turn.stop;
            self.pieces = pieces(turn);
            // An error as the only step comes before the request is accepted, as a rejected request does.
            if !matches!(self.pieces.front(), Some(Piece::Error(_))) {
                reply.start();
            }
            return Ok(());
        }
        match self.pieces.pop_front() {
            Some(Piece::Text(slot, text)) => reply.text(slot, &text),
            Some(Piece::Thinking(slot, text)) => reply.thinking(slot, &text),
            Some(Piece::Sign(slot, signature)) => reply.sign(slot, &signature),
            Some(Piece::Call { slot, id, name }) => reply.call(slot, &id, &name),
            Some(Piece::Arguments(slot, text)) => reply.arguments(slot, &text),
            Some(Piece::Close(slot)) => reply.close(slot),
            Some(Piece::Pause(pause)) => tokio::time::sleep(pause).await,
            Some(Piece::Error(error)) => return Err(error),
            Some(Piece::WaitForAbort) => std::future::pending().await,
            None => reply.finish(self.ending.unwrap_or_default()),
        }
        Ok(())
    }
}

fn pieces(turn: Turn) -> VecDeque<Piece> {
    let mut pieces = VecDeque::new();
    let spread = |pieces: &mut VecDeque<Piece>, slot: Slot, text: &str, make: fn(Slot, String) -> Piece| {
        for part in parts(text, turn.chunk) {
            pieces.push_back(make(slot, part));
            if !turn.pace.is_zero() {
                pieces.push_back(Piece::Pause(turn.pace));
            }
        }
    };
    for (slot, step) in (0..).zip(turn.steps) {
        match step {
            Step::Text(text) => spread(&mut pieces, slot, &text, Piece::Text),
            Step::Thinking { text, signature } => {
                spread(&mut pieces, slot, &text, Piece::Thinking);
                pieces.extend(signature.map(|signature| Piece::Sign(slot, signature)));
            }
            Step::Call { id, name, arguments } => {
                pieces.push_back(Piece::Call { slot, id, name });
                spread(&mut pieces, slot, &arguments, Piece::Arguments);
            }
            Step::Delay(pause) => pieces.push_back(Piece::Pause(pause)),
            Step::Error(error) => pieces.push_back(Piece::Error(error)),
            Step::WaitForAbort => pieces.push_back(Piece::WaitForAbort),
        }
        pieces.push_back(Piece::Close(slot));
    }
    pieces
}

/// Splits the text into pieces of this many characters.
fn parts(text: &str, chunk: Option<usize>) -> Vec<String> {
    let Some(chunk) = chunk.filter(|chunk| *chunk > 0) else {
        return vec![text.to_owned()];
    };
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(chunk).map(|part| part.iter().collect()).collect()
}

fn filled(step: Step, request: &Request<'_>) -> Step {
    match step {
        Step::Text(text) if text.contains("{{") => Step::Text(
            text.replace("{{lastUser}}", &last_user(request).unwrap_or_default())
                .replace("{{lastToolResult}}", &last_tool_result(request).unwrap_or_default()),
        ),
        step => step,
    }
}

fn failed_expectation(expect: &Expectation, request: &Request<'_>) -> Option<String> {
    let text = |what: &str, wanted: &Option<String>, found: Option<String>| {
        let wanted = wanted.as_deref()?;
        match found {
            Some(found) if found.contains(wanted) => None,
            Some(found) => {
                let shown: String = found.chars().take(SHOWN_CHARS).collect();
                Some(format!("the last {what} to contain {wanted:?}, but it is {shown:?}"))
            }
            None => Some(format!("the last {what} to contain {wanted:?}, but there is none")),
        }
    };
    text("user message", &expect.last_user_contains, last_user(request))
        .or_else(|| text("tool result", &expect.last_tool_result_contains, last_tool_result(request)))
        .or_else(|| {
            let wanted = expect.tool_offered.as_deref()?;
            let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
            (!names.contains(&wanted))
                .then(|| format!("the tool \"{wanted}\" to be offered, but the offered tools are {names:?}"))
        })
        .or_else(|| {
            let wanted = expect.tool_choice.as_deref()?;
            let found = match &request.tool_choice {
                ToolChoice::Auto => "auto",
                ToolChoice::None => "none",
                ToolChoice::Required => "required",
                ToolChoice::Tool(name) => name,
            };
            (found != wanted).then(|| format!("the tool choice \"{wanted}\", but it is \"{found}\""))
        })
}

fn last_user(request: &Request<'_>) -> Option<String> {
    request.messages.iter().rev().find_map(|message| match message {
        Message::User(input) => Some(join_text(&input.content)),
        _ => None,
    })
}

fn last_tool_result(request: &Request<'_>) -> Option<String> {
    request.messages.iter().rev().find_map(|message| match message {
        Message::ToolResult(result) => Some(result.joined_text()),
        _ => None,
    })
}
