//! Commands to an instance's thread. Everything reaches the engine through one queue of these.

use std::{path::PathBuf, sync::Arc};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use toolsmith_tool::{CallTape, ContentBlock, RenderedLines, ToolContext, ToolError, ToolResult};

use super::operations::Settled;
use crate::{
    charge::Charge,
    data_limit::{DataError, DataLimit},
    definitions::Observed,
    errors::{LoadError, LoadFailure, Thrown},
};

/// One command.
pub(crate) enum Command {
    /// Import a module and run its factory.
    Load { call: u32, path: PathBuf, tape: Option<CallTape>, reply: oneshot::Sender<LoadReply> },
    /// Start something that settles later.
    Start { call: u32, kind: CallKind, context: Box<ToolContext>, reply: oneshot::Sender<CallReply> },
    /// Trigger a call's signal.
    Abort { call: u32, reason: String },
    /// Render something now.
    Render { number: u32, what: &'static str, width: usize, payload: String, reply: oneshot::Sender<Drawn> },
    /// Render a message or an entry with the renderer an extension registered.
    RenderExtension {
        number: u32,
        kind: &'static str,
        width: usize,
        payload: String,
        reply: oneshot::Sender<Drawn>,
    },
    /// A partial result of an action.
    TaskUpdate { number: u64, json: String },
    /// An operation ended.
    Settle { number: u64, outcome: Settled, held: Option<Charge> },
    /// An event on the bus between tools.
    Hear { channel: String, json: String },
    /// A pending action will never be used.
    ForgetPending { number: u32 },
    /// Input for a component that a tool shows, or a request to render it.
    View { number: u32, what: &'static str, payload: String, reply: Option<oneshot::Sender<Drawn>> },
    /// A line from a sidecar. Further lines are read while there is room for them.
    Said { line: String, room: Option<OwnedSemaphorePermit> },
    /// A sidecar exited.
    Gone { reason: String },
    /// A sidecar was killed because it used more memory than it may.
    OverMemory,
    /// Check the stop flags.
    Wake,
}

/// Kinds of calls.
#[derive(Debug)]
pub(crate) enum CallKind {
    Execute {
        number: u32,
        tool_call_id: String,
        arguments: Arc<Value>,
    },
    /// Apply or reject a pending action.
    Resolve {
        number: u32,
        what: &'static str,
        reason: String,
    },
    Session {
        number: u32,
        event: String,
    },
    /// Something of an extension: `event`, `command`, `completions` or `shortcut`.
    Extension {
        number: u32,
        what: &'static str,
        name: String,
        payload: String,
    },
    /// `approval` or `details`.
    Approval {
        number: u32,
        what: &'static str,
        arguments: String,
    },
    /// The module's `getState`.
    State {
        number: u32,
    },
}

/// The outcome of a call, or its failure.
pub(crate) type CallReply = Result<Answer, CallFailure>;

/// The outcome of a call.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The outcome as JSON; empty for none.
    json: String,
    /// A result, if it was not handed over as JSON.
    result: Option<ToolResult>,
    limit: DataLimit,
    /// Counts until the outcome was taken.
    _held: Option<Charge>,
}

impl Answer {
    /// Creates an outcome that is JSON text.
    pub(crate) fn json(json: String, limit: DataLimit, held: Option<Charge>) -> Self {
        Self { json, result: None, limit, _held: held }
    }

    /// Creates an outcome that is a result.
    pub(crate) fn result(result: ToolResult, held: Charge) -> Self {
        Self { result: Some(result), _held: Some(held), ..Self::default() }
    }

    /// Adds text blocks to a result. Other values stay as they are.
    pub(super) fn add_texts(&mut self, texts: Vec<String>) {
        if texts.is_empty() {
            return;
        }
        if let Some(result) = &mut self.result {
            result.content.extend(texts.into_iter().map(ContentBlock::text));
        } else if let Ok(mut value) = self.read::<Value>()
            && let Some(content) = value.get_mut("content").and_then(Value::as_array_mut)
        {
            content.extend(texts.iter().map(|text| json!({ "type": "text", "text": text })));
            self.json = value.to_string();
        }
    }

    /// Returns the JSON text; empty for none.
    pub(crate) fn text(&self) -> &str {
        &self.json
    }

    /// Parses the JSON text.
    ///
    /// # Errors
    /// Fails if it has another form or too many values.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, DataError> {
        self.limit.read(&self.json)
    }

    /// Checks the size of details that are part of the outcome.
    ///
    /// # Errors
    /// Fails if they are too large.
    pub(crate) fn check(&self, details: Option<&Value>) -> Result<(), DataError> {
        self.limit.check(details)
    }

    /// Returns the result of a tool; `None` if there is no outcome.
    ///
    /// # Errors
    /// Fails if it is malformed or too large.
    pub(crate) fn into_result(self) -> Result<Option<ToolResult>, ToolError> {
        let invalid =
            |error: DataError| ToolError::reply(format!("Tool returned an invalid result: {error}"));
        if self.result.is_some() || self.json.is_empty() {
            return Ok(self.result);
        }
        let result: ToolResult = self.read().map_err(invalid)?;
        self.check(result.details.as_ref()).map_err(invalid)?;
        Ok(Some(result))
    }
}

/// Outcome of a load.
pub(crate) struct LoadReply {
    /// The module's definitions.
    pub(crate) said: Result<String, Box<LoadError>>,
    /// Its files.
    pub(crate) files: Vec<PathBuf>,
    /// A feature it needs that this engine lacks.
    pub(crate) needs: Option<String>,
    /// Everything the load depended on, where that is known.
    pub(crate) observed: Option<Box<Observed>>,
}

impl LoadReply {
    pub(crate) fn failed(error: LoadError) -> Self {
        Self { said: Err(Box::new(error)), files: Vec::new(), needs: None, observed: None }
    }
}

/// Failures of a call inside the engine.
#[derive(Debug)]
pub(crate) enum CallFailure {
    /// The author's own schema rejected the arguments: `(path, message)` of each problem.
    Refused(Vec<(String, String)>),
    Tool(ToolError),
}

/// Result of a renderer.
#[derive(Debug)]
pub(crate) enum Drawn {
    Lines(RenderedLines),
    /// Another answer of a component.
    Json(Value),
    Failed(String),
}

impl Drawn {
    /// Reads the kernel's answer: `(kind, payload)`.
    pub(crate) fn read(kind: &str, payload: &str, limit: DataLimit) -> Self {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Lines(Vec<String>),
            Framed {
                lines: Vec<String>,
                #[serde(default, rename = "isFramed")]
                is_framed: bool,
            },
        }
        match kind {
            "lines" => match limit.read(payload) {
                Ok(Form::Lines(lines)) => Self::Lines(lines.into()),
                Ok(Form::Framed { lines, is_framed }) => {
                    let mut drawn = RenderedLines::from(lines);
                    drawn.is_framed = is_framed;
                    Self::Lines(drawn)
                }
                Err(error) => Self::Failed(error.to_string()),
            },
            "json" => limit.read(payload).map_or_else(|error| Self::Failed(error.to_string()), Self::Json),
            "gone" => Self::Failed("the component was removed".to_owned()),
            _ => Self::Failed(Thrown::from_json(payload).full_message()),
        }
    }
}

impl From<LoadFailure> for CallFailure {
    fn from(failure: LoadFailure) -> Self {
        Self::Tool(ToolError::reply(match failure {
            LoadFailure::Thrown(thrown) => thrown.full_message(),
            LoadFailure::Deadline(time) => format!("loading the tool exceeded {time:?}"),
            LoadFailure::Memory(cap) => format!("the tool exceeded its memory limit of {} MB", cap >> 20),
            LoadFailure::Engine(message) => message,
        }))
    }
}
